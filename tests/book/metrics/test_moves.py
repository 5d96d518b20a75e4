"""Blocks that moved: found on the path, and named by their chapters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.book_doubles import book, make_metric
from gistmeter.book.metrics.description import document_name
from gistmeter.book.metrics.moves import find_moved, staying
from gistmeter.book.metrics.paths import align_sentences
from gistmeter.book.metrics.segmentation import NamedStretch, Segments, chapters_of, name_stretch
from gistmeter.languages import Heading

CHAPTERS = {
    "I": "A miller owned a grey donkey. The donkey hated every sack of flour.",
    "II": "One morning a stranger knocked twice. He carried a violin without strings.",
    "III": "The river froze before November ended. Children skated under the old bridge.",
    "IV": "A wolf stole the baker's best goose. Hunters followed its tracks northward.",
    "V": "Spring brought swallows and warm rain. Everyone danced until midnight struck.",
}
INVENTED = "Robots invaded Jupiter yesterday. Lasers melted seven satellites. Captains ejected."


def bound(order: list[str], further: str = "") -> str:
    return "\n\n".join(CHAPTERS[name] for name in order) + "\n\n" + further


def source() -> str:
    return "\n\n".join(f"Chapter {name}\n\n{text}" for name, text in CHAPTERS.items())


def describe(summary: str) -> dict:
    item = book("Book", source(), summary)
    rows = make_metric([item], coverage_threshold=0.5).measure([item])
    return rows.details[document_name("Book", "summary")]


def moves_of(summary: str) -> list[str]:
    return [move["text"] for move in describe(summary)["moves"]]


@given(st.lists(st.integers(0, 9), max_size=12))
def test_what_stays_never_goes_back_and_nothing_longer_does(places):
    kept = [places[at] for at in staying(places)]
    assert kept == sorted(kept)
    lengths = [0] * len(places)
    for at, place in enumerate(places):
        lengths[at] = 1 + max((lengths[b] for b in range(at) if places[b] <= place), default=0)
    assert len(kept) == max(lengths, default=0)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (["I", "II", "III", "IV", "V"], []),
        (["I", "III", "V"], []),
        (["I", "IV", "II", "III", "V"], ["Chapter IV stands before Chapter II"]),
        (["I", "III", "IV", "V", "II"], ["Chapter II stands after Chapter V"]),
        (["IV", "V", "I", "II", "III"], ["Chapter IV – Chapter V stand before Chapter I"]),
    ],
)
def test_moved_chapters_are_named(order, expected):
    assert moves_of(bound(order)) == expected


def test_the_edition_of_all_faults():
    document = describe(bound(["I", "IV", "III", "II"], INVENTED))
    moves = [move["text"] for move in document["moves"]]
    assert "Chapter IV stands before Chapter III" in [*moves, *_turned(moves)]
    assert len(moves) == 2
    invented = [entry["sentence"] for entry in document["sentences"] if not entry["covered"]]
    assert len(invented) == 3
    assert [cut["chapter"] for cut in document["cuts"] if cut["whole"]] == [4]


def _turned(moves: list[str]) -> list[str]:
    """ "B stands after A" says the same as "A stands before B"."""
    parts = [move.split(" stands after ") for move in moves if " stands after " in move]
    return [f"{after} stands before {block}" for block, after in parts]


def test_a_sentence_with_places_of_its_own_is_a_block():
    places = np.array([0, 1, 8, 2, 3, 4, 5])
    (block,) = find_moved(places, np.ones(7, bool))
    assert (block.first, block.last, block.start, block.end) == (2, 2, 8, 8)
    assert block.before
    assert find_moved(places, places != 8) == []


def test_a_path_of_blocks_goes_back_where_that_gains_more_than_it_costs():
    table = np.full((6, 6), 0.2)
    for row, column in enumerate([3, 4, 5, 0, 1, 2]):
        table[row, column] = 0.9
    assert [place for _, place in align_sentences(table, "blocks")] == [3, 4, 5, 0, 1, 2]
    monotone = [place for _, place in align_sentences(table, "monotone")]
    assert monotone == sorted(monotone)


def test_parts_of_chapters_are_called_so():
    text = Segments(tuple("abcdefgh"), (Heading("I", 0), Heading("II", 4)))
    chapters = chapters_of(text)
    assert [(chapter.title, chapter.first, chapter.last) for chapter in chapters] == [
        ("I", 0, 3),
        ("II", 4, 7),
    ]
    whole = name_stretch(chapters, [4, 5, 6, 7], [0, 4, 5, 6, 7])
    assert whole == NamedStretch("II", plural=False)
    part = name_stretch(chapters, [4, 5], [4, 5, 6, 7])
    assert part == NamedStretch("part of II (sentences 5–6)", plural=False)
    untitled = name_stretch(chapters_of(Segments(tuple("abc"))), [1, 2], [1, 2])
    assert untitled == NamedStretch("sentences 2–3", plural=True)


def test_quotation_marks_and_old_letters_do_not_matter():
    original = "“Lost?” said the miſtreſs. The donkey — grey — slept."
    copy = '"Lost?" said the mistress. The donkey - grey - slept.'
    item = book("Book", original, copy)
    metric = make_metric([item], coverage_threshold=0.99)
    values = metric.pool(metric.measure([item]))
    assert (values["source_recall"], values["unsupported"], values["coverage"]) == (1, 0, 1)


def test_a_sentence_without_content_words_moves_nothing():
    original = source()
    told_twice = bound(["I", "II", "III", "IV", "V"]).replace(
        "One morning", "It was so. One morning"
    )
    item = book("Book", f"{original} It was so.", told_twice)
    rows = make_metric([item], coverage_threshold=0.5).measure([item])
    document = rows.details[document_name("Book", "summary")]
    assert document["moves"] == []
    assert [entry["moved"] for entry in document["sentences"]].count(None) == 1


def test_a_sentence_on_the_edge_of_a_chapter_stays_with_its_block():
    places = np.array([6, 7, 9, 0, 1, 2, 3, 4, 8, 10, 11])
    (block,) = find_moved(places, np.ones(11, bool))
    assert (block.first, block.last) == (0, 2)
