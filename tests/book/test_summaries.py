"""Summaries: found by length and wording, cut into claims, looked up, judged, shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from book.book_doubles import ToyJudge, WordEmbedder
from door import prepare
from gistmeter.book.book_document import BookDocument, Edition
from gistmeter.book.edition_kinds import kind_of
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.flags import flags_of
from gistmeter.book.map import book_view, findings_by_chapter
from gistmeter.book.metrics import claims as checked
from gistmeter.book.metrics.claim_support import ClaimSupport
from gistmeter.book.metrics.claims import FEATURES, Claim, count_tokens, look_up, split_claims
from gistmeter.book.metrics.measures import ContentWords
from gistmeter.core.types import Book

PARTS = ("The carpenter Elias built a boat of cedar", "Mira sold her ring to the miller",
         "A storm broke the northern dam", "The judge freed the old poacher")  # fmt: skip
FILLER = " ".join(
    f"Then number{at} passed by quietly with goods{at} and went on." for at in range(40)
)
SOURCE = "\n\n".join(
    f"Chapter {at + 1}\n\n{part}. {FILLER.replace('number', f'n{at}x')}"
    for at, part in enumerate(PARTS)
)
TRUE = "Elias the carpenter made a boat. Mira gave up the ring for money from the miller."
FALSE = "Mira kept her ring and cheated the miller. Dragons burned the palace of glass."


@pytest.fixture
def fitted(monkeypatch):
    """Weights that follow the toy judge."""
    zero = dict.fromkeys(FEATURES, 0.0)
    model = {
        "room": 60, "least": 0.5,
        "found": {**zero, "intercept": -3.0, "follows": 8.0, "against": 8.0},
        "agrees": {**zero, "intercept": 0.0, "follows": 6.0, "against": -6.0},
    }  # fmt: skip
    monkeypatch.setattr(checked, "fitted", lambda: model)
    monkeypatch.setattr("gistmeter.book.metrics.claim_support.fitted", lambda: model)


def book(summary: str, system: str = "ours", **options: str) -> Book:
    return Book("Tale", SOURCE, summary, system, "en", **options)


def metric() -> ClaimSupport:
    from gistmeter import languages

    return ClaimSupport(WordEmbedder(), {"en": languages.get("en")}, ToyJudge(), "passages")


def test_a_short_text_in_other_words_is_a_summary():
    found = kind_of(book(TRUE), "auto")
    assert found.kind == "summary" and "read as a summary" in found.remark
    assert "--kind abridgement" in found.remark
    copied = " ".join(f"{part}." for part in PARTS)
    assert kind_of(book(copied), "auto").kind == "abridgement"
    assert kind_of(book(SOURCE.replace("Then", "Thus")), "auto").kind == "abridgement"
    assert kind_of(book(copied), "summary").kind == "summary"
    assert kind_of(book(TRUE), "abridgement").kind == "abridgement"


def test_an_edition_in_another_language_is_said_to_be_one():
    german = "Der Tischler Elias baute ein Boot, und Mira verkaufte dem Müller ihren Ring für Geld."
    found = kind_of(book(f"{german} Danach brach ein Sturm den Damm im Norden."), "auto")
    assert found.language == "de" and "in German, the original in English" in found.remark
    assert kind_of(book(SOURCE), "auto").language == ""


def test_a_long_sentence_is_cut_at_its_clauses():
    clause = "the carpenter built a boat of cedar in the yard behind the church for his sister"
    long = f"{clause}; {clause}; {clause}."
    claims = split_claims(["A short one; it stays whole.", long])
    assert [claim.sentence for claim in claims] == [0, 1, 1, 1]
    assert "".join(claim.text.replace(" ", "") for claim in claims[1:]) == long.replace(" ", "")


def test_a_claim_finds_its_passages_wherever_they_stand():
    source = [f"Filler words number{at} stand here." for at in range(50)]
    source[3], source[40] = "Elias built the boat.", "Elias sold the boat to Mira."
    claim = "Elias built and sold the boat to Mira."
    embedder = WordEmbedder()
    words = ContentWords.of([one.lower().split() for one in (*source,)], [claim.lower().split()])
    reading = look_up(
        [Claim(claim, 0)], embedder.embed([claim]).vectors, source, embedder.embed(source).vectors,
        words, room=25,
    )  # fmt: skip
    first, second, *_ = reading.passages[0]
    assert {3, 40} <= {place for one in (first, second) for place in range(one[0], one[1] + 1)}
    assert reading.together[0].index(source[3]) < reading.together[0].index(source[40])
    for passage in reading.passages[0]:
        assert count_tokens(" ".join(source[passage[0] : passage[1] + 1])) <= 25


def test_claims_are_supported_contradicted_or_not_found(fitted):
    rows = metric().measure([book(f"{TRUE} {FALSE}", kind="summary")])
    assert rows.values("claims_supported").tolist() == [1, 1, 0, 0]
    assert rows.values("claims_contradicted").tolist() == [0, 0, 1, 0]
    assert rows.values("claims_not_found").tolist() == [0, 0, 0, 1]
    scores = metric().pool(rows)
    assert scores["claims_supported"] == 0.5
    (document,) = rows.details.values()
    told = {entry["home"] // 41 for entry in document["sentences"][:2]}
    assert len(document["chapters"]) == len(PARTS)
    assert scores["plot_coverage"] == pytest.approx(len(told) / len(PARTS))


def test_an_abridgement_has_no_claims(fitted):
    rows = metric().measure([book(SOURCE)])
    assert np.isnan(rows.values("claims_supported")).all()
    assert "abridgement" in rows.reasons["claims_supported"][0]
    without = replace(metric(), judge=None).measure([book(TRUE, kind="summary")])
    assert "judge" in without.reasons["claims_supported"][0]


def test_the_page_lists_every_claim_with_its_passages(fitted):
    rows = metric().measure([book(f"{TRUE} {FALSE}", kind="summary")])
    (document,) = rows.details.values()
    told = BookDocument.from_dict(document)
    flags = flags_of(told)
    assert sorted(flag.kind for flag in flags) == sorted(
        ["supported", "supported", "contradicted", "not found"]
    )
    against = next(flag for flag in flags if flag.kind == "contradicted")
    assert "say otherwise" in against.reason and against.further
    block = findings_by_chapter(Edition("ours", "x.json", told))
    assert block["kinds"] == ["contradicted", "not found", "supported"]
    view = book_view(told)[0]
    lines = dict(view["l"])
    for first, last in (*((flag.start, flag.end) for flag in flags), *against.further):
        assert all(lines[place + 1] for place in range(first, last + 1))


def test_the_run_chooses_its_metric_by_the_editions():
    config = BookSettings(
        model_name=WordEmbedder(), coverage_threshold=0.6, language="en", no_judge=True
    )
    summary = prepare(Books(), config, [book(TRUE)])
    assert list(summary.metrics) == ["claims"]
    assert any("read as a summary" in remark for remark in summary.remarks)
    assert list(prepare(Books(), config, [book(SOURCE)]).metrics) == ["alignment"]
    both = prepare(Books(), config, [book(TRUE), book(SOURCE, "theirs")])
    assert list(both.metrics) == ["alignment", "claims"]
