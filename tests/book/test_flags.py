"""Every flag of an edition is on the page, in the JSON report, and counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from book.book_doubles import WordEmbedder
from gistmeter import score_book
from gistmeter.book.book_document import BookDocument, Edition, editions
from gistmeter.book.book_report import write_report
from gistmeter.book.edition_alarms import AlarmReason, EditionAlarm
from gistmeter.book.flags import flags_of
from gistmeter.book.map import DOTS, GRID, book_map, book_view, findings_by_chapter

CHAPTERS, SENTENCES, INVENTED = 20, 30, 12


def tell(chapter: int, size: int) -> str:
    kept = (f"The w{chapter}x{at} met v{at}y{chapter} at u{at}z{chapter}." for at in range(size))
    return f"Chapter {chapter + 1}\n\n{' '.join(kept)}"


def invent(chapter: int) -> str:
    return " ".join(
        f"Q{chapter}r{at} s{at}t{chapter} ate p{chapter}o{at}." for at in range(INVENTED)
    )


SOURCE = "\n\n".join(tell(chapter, SENTENCES) for chapter in range(CHAPTERS))
EDITION = "\n\n".join(f"{tell(chapter, 10)} {invent(chapter)}" for chapter in range(CHAPTERS))


@pytest.fixture(scope="module")
def run():
    return score_book(
        {"Long": SOURCE}, {"ours": {"Long": EDITION}}, language="en", model_name=WordEmbedder(),
        coverage_threshold=0.6, no_judge=True, resamples=0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def edition(run) -> Edition:
    (one,) = editions(run)
    return one


def test_a_late_chapter_has_its_flags_on_the_page(edition):
    """More than 150 invented sentences: the lists used to end in the middle of the book."""
    book = edition.book
    assert len(book.invented) > 200
    block = findings_by_chapter(edition)
    last = block["c"][-1]
    late = [entry for entry in block["a"] if last[2] <= entry[1] <= last[3]]
    assert sum(entry[0] == "invented" for entry in late) >= INVENTED - 2
    assert sum(entry[0] == "cut" for entry in block["a"]) == len(book.cuts)
    assert len(block["a"]) == len(flags_of(book))


def test_the_map_has_every_sentence_and_what_was_found_on_top(edition):
    block = book_map(edition)
    assert sorted(block["i"]) == [entry.index for entry in edition.book.sentences]
    kinds = list(block["f"])
    assert kinds.index("i") > max(at for at, kind in enumerate(kinds) if kind == "k")


def test_many_sentences_become_cells_that_hold_them_all():
    sentences = tuple(
        {"index": at, "sentence": "a", "covered": True, "home": at, "place": at}
        for at in range(2 * DOTS)
    )
    document = {"source": {"sentences": ["a"] * 2 * DOTS}, "sentences": list(sentences)}
    book = BookDocument.from_dict(document)
    block = book_map(Edition("ours", "x.json", book))
    assert not block["i"] and sum(cell[3] for cell in block["d"]) == 2 * DOTS
    assert all(row < GRID[0] and column < GRID[1] for _, row, column, *_ in block["d"])


def test_strips_show_shares(edition):
    counts = book_map(edition)["g"]
    invented = len(edition.book.invented)
    assert [sum(column) for column in zip(*counts, strict=True)][2] == invented
    assert sum(map(sum, counts)) == len(edition.book.sentences)


def test_what_a_flag_points_to_is_whole_where_the_rest_is_cut():
    long = "Here is a very long sentence that goes on " * 30
    sentences = [long] * 400
    document = {
        "source": {"sentences": sentences},
        "sentences": [
            {"index": at, "sentence": long, "place": at, "home": at, "covered": True,
             **({"changed": ["name: a → b"]} if at == 350 else {})}
            for at in range(400)
        ],
    }  # fmt: skip
    (view,) = book_view(BookDocument.from_dict(document), room=200_000)
    assert view["r"][350] == long == dict(view["l"])[351]
    assert len(view["r"][10]) < len(long) > len(view["l"][10][1])


def test_flags_are_those_of_the_alarms_with_reason_and_probability(edition):
    reason = AlarmReason("name", "Emma", "Jane", 3, (0, 4), (2, 6))
    alarms = (
        EditionAlarm("changed", 0.9, "sure", 2, 2, 3, 3, (reason,)),
        EditionAlarm("invented", 0.2, "all", 5, 5, 7, 7, (AlarmReason("no source"),)),
    )
    book = replace(edition.book, alarms=alarms)
    flags = [flag for flag in flags_of(book) if flag.kind != "cut"]
    assert [(flag.kind, flag.probability) for flag in flags] == [
        ("changed", 0.9),
        ("invented", 0.2),
    ]
    assert flags[0].reason == "name: Emma → Jane"
    assert flags[0].marks == ((2, 6),) and flags[0].source_marks == ((3, 0, 4),)
    block = findings_by_chapter(Edition("ours", "x.json", book))
    changed, invented = [entry for entry in block["a"] if entry[0] != "cut"]
    assert changed[7:] == [0.9, ((2, 6),), ((3, 0, 4),)] and invented[10] == 2
    assert block["level"] == 1  # balanced: the second is shown only when asked for


def test_the_json_report_has_flags_chapters_and_cuts(run, edition, tmp_path):
    path = tmp_path / "report.json"
    write_report(run, {}, path)
    report = json.loads(path.read_text(encoding="utf-8"))["books"]["Long"]
    assert len(report["flags"]) == len(flags_of(edition.book))
    flag = next(flag for flag in report["flags"] if flag["sentence"].startswith("Q0r0"))
    assert flag["kind"] == "invented" and flag["reason"] and flag["chapter"] == "Chapter 1"
    assert [chapter["title"] for chapter in report["chapters"]][-1] == f"Chapter {CHAPTERS}"
    assert len(report["cuts"]) == len(edition.book.cuts)
    assert report["cuts"][0]["text"].startswith("The w0x10")
