"""Small treebanks for the tests, and strategies that make many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from gistmeter.parse.formats.pairs import ParsePairs, pair
from gistmeter.parse.formats.treebank_reader import read_treebank

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
           "SEMSLOT", "SEMCLASS")  # fmt: skip
PLACE = {name: at for at, name in enumerate(COLUMNS)}
Row = list[str]


def row(number: int | str, form: str = "word", **cells: str) -> Row:
    """A line of twelve cells; named cells are set, others are `_`."""
    found = [str(number), form, *["_"] * 10]
    for name, cell in cells.items():
        found[PLACE[name.upper()]] = cell
    return found


def text(sentences: Sequence[Sequence[Row]], *, named: bool = True) -> str:
    lines = []
    for at, sentence in enumerate(sentences, start=1):
        lines += [f"# sent_id = s{at}"] if named else []
        lines += ["\t".join(cells) for cells in sentence] + [""]
    return "\n".join(lines) + "\n"


def write(path: Path, sentences: Sequence[Sequence[Row]]) -> Path:
    path.write_text(text(sentences), encoding="utf-8")
    return path


def paired(
    folder: Path, gold: Sequence[Sequence[Row]], system: Sequence[Sequence[Row]]
) -> ParsePairs:
    ours = read_treebank(write(folder / "gold.conllu", gold))
    theirs = read_treebank(
        write(folder / "system.conllu", system),
        fallback=ours.layout,
        vocabularies=ours.vocabularies,
    )
    return pair(ours, {"system": theirs})


FORMS = st.sampled_from(["dog", "pes", "Ёлка", "犬", "naïve", "a b", "x" * 9, "y" * 70, "…"])
TAGS = st.sampled_from(["NOUN", "VERB", "ADP", "PUNCT", "X", "NEW"])
FEATS = st.lists(
    st.sampled_from(["Case=Nom", "Case=Gen", "Number=Sing", "Number=Plur", "Odd=1", "Odd=2"]),
    max_size=3,
    unique_by=lambda one: one.split("=")[0],
).map(lambda found: "|".join(sorted(found)) or "_")
RELATIONS = st.sampled_from(["nsubj", "obj", "case", "det", "acl:relcl", "punct", "root", "conj"])
SLOTS = st.sampled_from(["_", "Agent", "Object", "Locative"])
CLASSES = st.sampled_from(["_", "DOG", "WOLF", "ANIMAL", "TABLE", "UNKNOWN"])


@st.composite
def sentence(draw: st.DrawFn, forms: Sequence[str] | None = None) -> list[Row]:
    """Words with any heads at all, as the golden files have them."""
    found = list(forms) if forms else draw(st.lists(FORMS, min_size=1, max_size=6))
    return [
        row(
            at,
            form,
            lemma=draw(st.sampled_from([form, form.upper(), "lemma"])),
            upos=draw(TAGS),
            feats=draw(FEATS),
            head=str(draw(st.integers(0, len(found)))),
            deprel=draw(RELATIONS),
            semslot=draw(SLOTS),
            semclass=draw(CLASSES),
        )
        for at, form in enumerate(found, start=1)
    ]


@st.composite
def two_treebanks(draw: st.DrawFn) -> tuple[list[list[Row]], list[list[Row]]]:
    """Gold and system with the same words."""
    gold = draw(st.lists(sentence(), min_size=1, max_size=4))
    system = [draw(sentence([cells[1] for cells in one])) for one in gold]
    return gold, system
