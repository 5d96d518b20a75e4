"""Write study.xlsx: 36 questions in 3 languages and 4 categories, 12 systems, 5 answers of each.

The texts and the systems are made up. A system repeats the reference, says it in other words, gets
a fact wrong or talks of something else, as often as its skill in that language and category says.
"""

import random
from collections.abc import Iterator
from itertools import product

from xlsxwriter import Workbook

# By language and category: question, reference, other words, a wrong fact, and what fills {}.
TEXTS = {
    "en": {
        "time": (
            "How long does {} take?",
            "{} takes three days.",
            "You need to allow 3 days for {}.",
            "{} takes nine days.",
            ("the repair", "the delivery", "the inspection"),
        ),
        "price": (
            "What does {} cost?",
            "{} costs 40 euros.",
            "The price of {} is forty euros.",
            "{} costs 70 euros.",
            ("the ticket", "the lamp", "the course"),
        ),
        "place": (
            "Where is {}?",
            "{} is behind the station.",
            "You find {} at the back of the station.",
            "{} is in front of the town hall.",
            ("the library", "the bakery", "the museum"),
        ),
        "rule": (
            "Is {} allowed?",
            "{} is allowed in the garden.",
            "In the garden you may do it: {} is fine.",
            "{} is not allowed in the garden.",
            ("smoking", "cycling", "camping"),
        ),
    },
    "de": {
        "time": (
            "Wie lange dauert {}?",
            "{} dauert drei Tage.",
            "Für {} muss man mit 3 Tagen rechnen.",
            "{} dauert neun Tage.",
            ("die Reparatur", "die Lieferung", "die Prüfung"),
        ),
        "price": (
            "Was kostet {}?",
            "{} kostet 40 Euro.",
            "Der Preis für {} beträgt vierzig Euro.",
            "{} kostet 70 Euro.",
            ("die Karte", "die Lampe", "das Seminar"),
        ),
        "place": (
            "Wo ist {}?",
            "{} ist hinter dem Bahnhof.",
            "Man findet {} auf der Rückseite des Bahnhofs.",
            "{} ist vor dem Rathaus.",
            ("die Bücherei", "die Bäckerei", "das Museum"),
        ),
        "rule": (
            "Ist {} erlaubt?",
            "{} ist im Garten erlaubt.",
            "Im Garten darf man das: {} ist in Ordnung.",
            "{} ist im Garten nicht erlaubt.",
            ("Rauchen", "Radfahren", "Zelten"),
        ),
    },
    "zh": {
        "time": (
            "{}需要多久？",
            "{}需要三天。",
            "{}要花3天的时间。",
            "{}需要九天。",
            ("修理", "送货", "检查"),
        ),
        "price": (
            "{}多少钱？",
            "{}的价格是40欧元。",
            "{}要四十欧元。",
            "{}的价格是70欧元。",
            ("门票", "台灯", "课程"),
        ),
        "place": (
            "{}在哪里？",
            "{}在车站后面。",
            "{}位于火车站的背后。",
            "{}在市政厅前面。",
            ("图书馆", "面包店", "博物馆"),
        ),
        "rule": (
            "可以{}吗？",
            "花园里可以{}。",
            "在花园中{}是允许的。",
            "花园里不可以{}。",
            ("抽烟", "骑车", "露营"),
        ),
    },
}
ELSEWHERE = {"en": "Please ask our service team.", "de": "Bitte fragen Sie unseren Service.",
             "zh": "请咨询客服人员。"}  # fmt: skip
SYSTEMS = {  # how often an answer is right, and what the system is bad at
    "aster": (0.95, "rule"), "birch": (0.9, "zh"), "cedar": (0.85, ""), "daisy": (0.8, ""),
    "elder": (0.75, "price"), "fern": (0.7, "de"), "gorse": (0.65, ""), "hazel": (0.6, "time"),
    "iris": (0.5, ""), "juniper": (0.4, ""), "kale": (0.3, "place"), "laurel": (0.2, ""),
}  # fmt: skip


def answer(draw: random.Random, right: float, texts: list[str]) -> str:
    """One answer out of the reference, other words, a wrong fact and something else."""
    if draw.random() < right:
        return draw.choice(texts[:2])
    return texts[2] if draw.random() < 0.7 else texts[3]


def rows() -> Iterator[list[str | int]]:
    """The rows of the table, five for every question."""
    draw = random.Random(1)
    for language, categories in TEXTS.items():
        for category, (question, *said, subjects) in categories.items():
            for (at, subject), sample in product(enumerate(subjects, 1), range(1, 6)):
                texts = [one.format(subject) for one in said]
                texts = [one[0].upper() + one[1:] for one in texts] + [ELSEWHERE[language]]
                answers = [
                    answer(draw, right * (0.3 if weak in (language, category) else 1), texts)
                    for right, weak in SYSTEMS.values()
                ]
                item = [f"{language}-{category}-{at}", language, category, question.format(subject)]
                yield [*item, texts[0], sample, *answers]


with Workbook("study.xlsx") as book:
    table = [["id", "language", "category", "question", "reference", "sample", *SYSTEMS], *rows()]
    sheet = book.add_worksheet()
    for number, row in enumerate(table):
        sheet.write_row(number, 0, row)
print(f"study.xlsx: {len(table) - 1} rows with an answer of {len(SYSTEMS)} systems each")
