"""A distribution with two languages, one spaced and one not, for tests to install."""

from __future__ import annotations

from pathlib import Path

SPACED = '''
"""Toki Pona, spaced; negation follows."""
from gistmeter.languages.hints import Uses
from gistmeter.languages.language import Language
from gistmeter.languages.polarity.spaced import SpacedReader
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language(
    "tok",
    name="Toki Pona",
    aliases=("tokipona",),
    lists=__name__,
    splitter=Splitter(__name__, r"lipu nanpa \\d+"),
    reader=SpacedReader(__name__, follows=True),
    hint=Uses(__name__),
    folds=(lambda text: text.replace("w", "v"),),
)
'''
UNSPACED = '''
"""A language of runes, a rune a word, written without spaces."""
from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.language import Language
from gistmeter.languages.sentences import Splitter


class Runes:
    id = "runes-1"

    def tokens(self, text):
        from gistmeter.languages.analysers import Morph
        return [Morph(one, one, at, at + 1) for at, one in enumerate(text) if one.isalpha()]

    def words(self, text):
        return [token.surface for token in self.tokens(text)]

    def forms(self, text, stop=frozenset()):
        return [word for word in self.words(text) if word not in stop]


LANGUAGE = Language(
    "qru",
    Runes(),
    name="Runish",
    spaced=False,
    lists=__name__,
    splitter=Splitter(__name__, wide=True),
    hint=WrittenIn("\\u16a0-\\u16ea"),
)
'''
LISTS = {
    "tok/columns.txt": "id: nimi\nreference: toki lon\nprediction: toki pali = pali",
    "tok/stopwords.txt": "li\ne\nmi\nsina\nona\npi\nla",
    "tok/negations.txt": "ala",
    "tok/positive.txt": "pona",
    "tok/negative.txt": "ike",
    "tok/numbers.txt": "wan 1\ntu 2",
    "tok/abbreviations.txt": "jan title",
    "qru/stopwords.txt": "ᚠ",
}
EXAMPLES = {
    "tok": """
texts = ["mi moku e kili. ona li pona tawa mi."]
sentences = [["mi tawa.", "Sina kama!", "Jan. Lisa li lape."]]
headings = ["lipu nanpa 3"]
not_headings = ["lipu pona"]
[words]
"mi moku e kili." = ["mi", "moku", "e", "kili"]
[content_words]
"mi moku e kili." = ["moku", "kili"]
[number_words]
"tu" = "2"
[polarity]
praise = ["ona li pona"]
not_good = ["ona li pona ala"]
denied = ["mi moku ala"]
""",
    "qru": """
texts = ["ᚠᚢᚦᚨᚱᚲ"]
sentences = [["ᚠᚢᚦ。", "ᚨᚱᚲ。"]]
[words]
"ᚠᚢᚦ" = ["ᚠ", "ᚢ", "ᚦ"]
[content_words]
"ᚠᚢᚦ" = ["ᚢ", "ᚦ"]
""",
}


def install(folder: Path) -> Path:
    """The distribution in a folder, as pip would install it."""
    for code, source in (("tok", SPACED), ("qru", UNSPACED)):
        (folder / "more_languages" / code).mkdir(parents=True)
        (folder / "more_languages" / code / "__init__.py").write_text(source, encoding="utf-8")
        (folder / "more_languages" / code / "examples.toml").write_text(EXAMPLES[code], "utf-8")
    for name, words in LISTS.items():
        (folder / "more_languages" / name).write_text(f"# MIT\n{words}\n", encoding="utf-8")
    write_about(folder, "tok = more_languages.tok:LANGUAGE\nqru = more_languages.qru:LANGUAGE\n")
    return folder


def write_about(folder: Path, points: str) -> None:
    about = folder / "more_languages-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: more-languages\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[gistmeter.languages]\n{points}")
