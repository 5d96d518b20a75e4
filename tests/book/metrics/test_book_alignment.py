"""Rows, pooling, intervals, documents, and what is left unscored."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from book.book_doubles import SOURCE, SUMMARY, WordEmbedder, book, make_metric
from door import prepare
from gistmeter import score_book
from gistmeter.book.edition_alarms import Person
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics import segmentation
from gistmeter.book.metrics.book_alignment import FEW_BOOKS, BookAlignment
from gistmeter.book.metrics.book_comparison import Thresholds, thresholds_for
from gistmeter.book.metrics.description import document_name
from gistmeter.book.metrics.segmentation import fold
from gistmeter.book.metrics.sentence_rows import passage_labels
from gistmeter.core.cache import Cache
from gistmeter.core.evaluation import evaluate
from gistmeter.core.rows import Rows
from gistmeter.core.signature import sign
from gistmeter.core.statistics import bootstrap_weights, resampled
from gistmeter.languages import get
from gistmeter.models.cached import CachedEmbedder

TITLE = "The Lantern"
BOOK = book(TITLE, SOURCE, SUMMARY)


def test_a_row_for_each_summary_sentence_and_each_passage_of_the_source():
    rows = make_metric([BOOK]).measure([BOOK])
    passages = [f"{TITLE}#passage {at}" for at in range(1, 5)]
    assert list(rows.keys["id"]) == [*(f"{TITLE}#{at}" for at in range(1, 5)), *passages]
    assert set(rows.keys["group"]) == {TITLE}
    assert rows.item.tolist() == [0] * 8
    assert rows.texts["sentence"][2] == "The ice broke."
    assert rows.texts["source_sentence"][2] == "The ice broke under its paws."
    assert list(rows.texts["sentence"][4:]) == [None] * 4
    assert 0 < rows.sum("source_kept_words") <= rows.sum("source_words")


def test_headings_are_marks_and_no_sentences():
    document = make_metric([BOOK]).measure([BOOK]).details[document_name(TITLE, "summary")]
    assert len(document["source"]["sentences"]) == 8
    assert document["source"]["headings"] == [
        {"text": "Chapter 1", "sentence": 0},
        {"text": "Chapter 2", "sentence": 4},
    ]


def test_the_simple_splitter_knows_no_headings():
    rows = make_metric([BOOK], splitter="simple").measure([BOOK])
    document = rows.details[document_name(TITLE, "summary")]
    assert document["source"]["sentences"][0].startswith("Chapter 1 The fox")


def test_the_pooled_value_is_the_mean_over_books():
    other = book("Short", "A cat slept. A dog barked.", "A cat slept.")
    metric = make_metric([BOOK, other])
    together = metric.pool(metric.measure([BOOK, other]))
    alone = [metric.pool(metric.measure([one])) for one in (BOOK, other)]
    for name, value in together.items():
        assert value == pytest.approx((alone[0][name] + alone[1][name]) / 2), name


@given(st.permutations(range(3)))
def test_neither_order_nor_sharding_matters(order):
    books = [book(f"b{at}", SOURCE, SUMMARY.split(". ", at)[-1]) for at in range(3)]
    metric = make_metric(books)
    whole = metric.pool(metric.measure(books))
    parts = Rows.concat([metric.measure([books[at]]) for at in order])
    assert metric.pool(parts) == pytest.approx(whole)


def test_identity_is_perfect():
    metric = make_metric([BOOK], support_threshold=0.99, coverage_threshold=0.99)
    values = metric.pool(metric.measure([book(TITLE, SOURCE, SOURCE)]))
    for name in ("coverage", "alignment_confidence", "pfs", "coverage_at", "source_recall"):
        assert values[name] == 1.0, name
    for name in ("unsupported", "moved", "order_violations"):
        assert values[name] == 0.0, name


@pytest.mark.parametrize("algorithm", ["blocks", "monotone", "nw", "dtw"])
def test_scores_keep_their_bounds(algorithm):
    metric = make_metric([BOOK], alignment=algorithm)
    values = metric.pool(metric.measure([BOOK]))
    infos = [info for info in metric.scores if info.name in values]
    assert list(values) == [info.name for info in infos]
    assert {info.name for info in metric.scores} - set(values) <= {"changed", "gist"}  # no models
    for info in infos:
        assert info.lowest <= values[info.name] <= info.highest, info.name


@pytest.mark.parametrize(
    ("source", "summary", "reason"),
    [("", SUMMARY, "the source has no sentence"), (SOURCE, " \n", "the summary has no sentence")],
)
def test_an_empty_side_is_unscored_with_its_reason(source, summary, reason):
    books = [BOOK, book("Empty", source, summary)]
    run = evaluate(books, {"alignment": make_metric(books)}, resamples=0)
    alone = evaluate([BOOK], {"alignment": make_metric([BOOK])}, resamples=0)
    assert run.unscored == {reason: 1}
    for name, score in run.systems["summary"].scores.items():
        assert score.value == pytest.approx(alone[name].value), name
        assert score.unscored == 1
        assert np.isnan(run.systems["summary"].groups["Empty"][name])


def test_more_sentences_than_can_be_compared_are_unscored(monkeypatch):
    """A budget in pairs of sentences, so that 1 MB of short ones is not compared for hours."""
    monkeypatch.setattr(segmentation, "MOST_PAIRED", 8 * 4)
    books = [BOOK, book("Long", SOURCE * 2, SUMMARY)]
    fits = evaluate([BOOK], {"alignment": make_metric(books)}, resamples=0)
    assert not fits.unscored
    run = evaluate(books, {"alignment": make_metric(books)}, resamples=0)
    assert run.unscored == {"more than 32 pairs of sentences to compare": 1}
    assert np.isnan(run.systems["summary"].groups["Long"]["source_recall"])
    assert not np.isnan(run.systems["summary"].groups[BOOK.id]["source_recall"])


def test_single_sentences_are_defined():
    one = book("One", "A cat slept.", "A cat slept.")
    for algorithm in ("monotone", "nw", "dtw"):
        metric = make_metric([one], alignment=algorithm)
        values = metric.pool(metric.measure([one]))
        assert {name: round(float(value), 6) for name, value in values.items()} == {
            "fidelity": 1, "source_recall": 1, "unsupported": 0, "moved": 0,
            **({"changed": 0} if metric.guard else {}),
            "coverage": 1, "alignment_confidence": 1, "pfs": 1, "scs": 1, "coverage_at": 1,
            "order_violations": 0,
        }  # fmt: skip


def test_a_sentence_that_the_model_cannot_read_is_unscored():
    damaged = book("Damaged", SOURCE, SUMMARY + " An unreadable sentence.")
    rows = make_metric([damaged]).measure([damaged])
    for name in ("coverage", "alignment_confidence", "scs", "coverage_at", "order_violations"):
        assert np.isnan(rows.values(name)[4]), name
        assert rows.reasons[name] == {4: "the model failed on it"}
    assert not np.isnan(rows.values("coverage")[:4]).any()


def test_skipped_sentences_say_so():
    surplus = book(
        "Surplus", "A cat slept. A dog barked.", "A cat slept. Zebra. Yak. A dog barked."
    )
    metric = make_metric([surplus], alignment="nw", gap_penalty=0.0)
    rows = metric.measure([surplus])
    skipped = np.flatnonzero(np.isnan(rows.values("aligned_index")[:4]))
    assert len(skipped) == 2
    for at in skipped.tolist():
        assert rows.reasons["alignment_confidence"][at] == "skipped by the alignment"
    assert metric.pool(rows)["alignment_confidence"] == pytest.approx(1.0, abs=1e-6)


def test_without_a_calibrated_threshold_three_scores_are_unscored():
    metric = make_metric([BOOK], coverage_threshold=None)
    run = evaluate([BOOK], {"alignment": metric}, resamples=0)
    for name in ("coverage_at", "unsupported", "source_recall"):
        assert np.isnan(run[name].value)
        assert sum(run[name].reasons.values()) == 4
    assert [why for why in run.unscored if "threshold" in why]
    assert run["coverage"].unscored == 0


def test_calibrated_thresholds_go_by_language():
    metric = replace(
        make_metric([BOOK], coverage_threshold=None),
        calibrated={"en": Thresholds(0.5, 0.4), "zh": Thresholds(0.7, 0.6)},
    )
    assert metric.settings_for("zh").coverage_threshold == 0.7
    assert metric.settings_for("en").support_threshold == 0.4
    given_one = replace(metric, coverage_threshold=0.9)
    assert given_one.settings_for("zh").coverage_threshold == 0.9
    assert given_one.settings_for("zh").support_threshold == 0.6
    assert thresholds_for("e5-small-q4@1571fc98/query", ["zh-Hant"]).keys() == {"zh-Hant"}
    assert thresholds_for("someone/else", ["en"]) == {}


def test_books_are_drawn_whole_and_as_often_as_they_count():
    books = [book(f"b{at}", SOURCE, SUMMARY.split(". ", at % 4)[-1]) for at in range(FEW_BOOKS)]
    metric = make_metric(books)
    rows = metric.measure(books)
    found = resampled(metric.pool, rows, seed=3, resamples=20)
    places = rows.by("group")
    own = {title: metric.pool(part) for title, part in places.items()}
    drawn = np.concatenate(list(bootstrap_weights(FEW_BOOKS, 20, 3)))
    for name, values in found.items():
        expected = drawn @ np.array([own[title][name] for title in places]) / FEW_BOOKS
        assert values == pytest.approx(expected), name


def test_a_single_books_intervals_are_over_its_passages():
    cycle = f"{SUMMARY} Zebras slept. "  # five sentences, and blocks of four
    long = book("Long", "\n\n".join([SOURCE] * 6), cycle * 8)
    run = evaluate([long], {"alignment": make_metric([long])}, resamples=200)
    assert run.rows is not None
    clusters = list(run.rows.keys["cluster"])
    assert clusters == passage_labels(run.rows)
    assert 1 < len(set(clusters)) < len(clusters)
    for name in ("coverage", "pfs", "source_recall"):
        assert run[name].low <= run[name].value <= run[name].high
        assert run[name].low < run[name].high, name


def test_every_setting_is_in_the_signature():
    metric = make_metric([BOOK])
    before = sign("alignment", metric)
    changed = {
        "algorithm": "nw", "gap_penalty": -0.25, "move_cost": 2.0, "word_weight": 0.3,
        "guard": "x", "judge": WordEmbedder("judge"), "sure": 0.9, "bandwidth": 3,
        "band": "absolute",
        "pfs_gamma": 2.0, "alpha": 5.0, "scs_beta": 0.2, "top_k": 5, "coverage_threshold": 0.7,
        "support_threshold": 0.5, "order_tolerance": 0.1, "embedder": WordEmbedder("other"),
        "splitters": {}, "calibrated": {"en": Thresholds(0.1, 0.2)}, "resampled": "other",
        "weights": {"follows": 0.5}, "fit": {"languages": ["en"]},
        "people": (Person(("Becky", "Rebecca")),),
    }  # fmt: skip
    assert {*changed, "alarms"} == {part.name for part in fields(BookAlignment)}
    assert sign("alignment", replace(metric, alarms="all")) == before, "what is listed"
    for name, value in changed.items():
        assert sign("alignment", replace(metric, **{name: value})) != before, name


def test_alpha_is_the_models_own_unless_it_is_given():
    calibrated = {"en": Thresholds(0.89, 0.85, 0.1, 40.0)}
    own = replace(make_metric([BOOK]), calibrated=calibrated)
    assert own.settings_for("en").alpha == 40.0
    preset = BookSettings(preset="aligneval", profile="embedded", no_judge=True)
    seeds = prepare(Books(), preset, [BOOK]).metrics["alignment"]
    assert replace(seeds, calibrated=calibrated).settings_for("en").alpha == 10.0


def test_the_judge_is_asked_unless_it_is_left_out():
    asked = prepare(Books(), BookSettings(), [BOOK]).metrics["alignment"]
    assert asked.judge is not None
    assert asked.judge.id.startswith("gistmeter-judge-small")
    assert prepare(Books(), BookSettings(no_judge=True), [BOOK]).metrics["alignment"].judge is None


def test_an_edition_in_another_language_is_scored_by_its_places_alone():
    one = replace(BOOK, edition_language="de")
    metric = replace(make_metric([one]), calibrated={"en": Thresholds(0.6, 0.6)})
    metric = replace(metric, coverage_threshold=None, support_threshold=None)
    run = evaluate([one], {"alignment": metric}, resamples=0)
    for name in ("alignment_confidence", "pfs"):
        assert math.isfinite(run[name].value)
    for name in ("fidelity", "source_recall", "unsupported", "changed"):
        assert math.isnan(run[name].value)
        (reason,) = run[name].reasons
        assert "in German, the original in English" in reason


def test_the_document_links_both_texts():
    rows = make_metric([BOOK]).measure([BOOK])
    document = rows.details[document_name(TITLE, "summary")]
    entry = document["sentences"][2]
    assert document["summary"]["sentences"][2] == entry["sentence"]
    assert document["source"]["sentences"][entry["aligned_index"]].startswith("The ice broke")
    assert document["path"][2] == [2, entry["aligned_index"]]
    assert len(document["support"]["similarity"]) == 8
    assert len(document["recall_along"]) == len(document["coverage_along"]) == 10
    assert np.array(document["heat_map"]["values"]).shape == (4, 8)


def test_documents_of_similar_titles_do_not_collide():
    names = {
        document_name(title, system)
        for title in ("a/b", "a b", "a:b", "", "../a", "书")
        for system in ("x", "y")
    }
    assert len(names) == 12
    assert all("/" not in name and not name.startswith(".") for name in names)


class CountingEncoder:
    """A back end that remembers what it was asked to read."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def read(self, texts):
        self.seen += texts
        for at, vector in enumerate(WordEmbedder().embed(texts).vectors):
            yield at, SimpleNamespace(vector=vector, unseen=0.0)


def test_a_second_run_embeds_only_what_was_edited(tmp_path):
    encoder = CountingEncoder()
    for source, new in ((SOURCE, 11), (SOURCE.replace("The ice broke", "The ice sang"), 1)):
        cache = Cache(tmp_path / "answers.sqlite")
        embedder = CachedEmbedder("counting", encoder, cache)
        metric = replace(make_metric([BOOK]), embedder=embedder)
        encoder.seen.clear()
        metric.measure([book(TITLE, source, SUMMARY)])
        cache.close()
        assert len(encoder.seen) == new
    assert encoder.seen == ["The ice sang under its paws."]


def test_editions_without_a_sentence_are_unscored_in_every_resample(tmp_path: Path) -> None:
    source, edition = tmp_path / "source.json", tmp_path / "edition.json"
    source.write_text('{"one": "It rains. It pours.", "two": "He left."}', encoding="utf-8")
    edition.write_text('{"one": "", "two": ""}', encoding="utf-8")
    run = score_book(source, edition, language="en", resamples=100)
    assert math.isnan(run["coverage"].value) and run["coverage"].unscored == 2


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("They walked _eleven_ miles.", "They walked  eleven  miles."),
        ('He said *"never"*.', 'He said  "never" .'),
        ("snake_case and 3 * 4 = 12", "snake_case and 3 * 4 = 12"),
    ],
)
def test_marks_of_emphasis_are_not_read_and_words_stay_at_their_places(marked, plain):
    assert fold(marked, get("en")) == plain
