"""Slices by a column, and several answers to one item."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from gistmeter.core.comparison import Options
from gistmeter.core.comparison.answer import Standing
from gistmeter.core.comparison.significance import correct
from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.repeats import LARGEST, variances
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run
from gistmeter.core.slices import slice_run
from gistmeter.report.decisive import contradiction, deciding
from gistmeter.report.highlights import apart
from gistmeter.report.latex import latex, latex_slices, sole_winner
from gistmeter.report.methods import methods
from gistmeter.text.views import VIEW
from report.sample_runs import Means, finish

SIZE, SAMPLES = 24, 3


def made(**further: list[str]) -> Run:
    """b wins by a little overall, a by much in `med`; three answers to each item."""
    random = np.random.default_rng(5)
    systems, ids, topics, samples, gist, words = [], [], [], [], [], []
    for system in "ab":
        for item in range(SIZE):
            topic = "law" if item % 4 else "med"
            level = {("a", "law"): 0.4, ("b", "law"): 0.7, ("a", "med"): 0.8, ("b", "med"): 0.3}
            own = level[system, topic] + np.random.default_rng(item).normal(0, 0.05)
            for sample in range(SAMPLES):
                systems.append(system), ids.append(str(item)), topics.append(topic)
                samples.append(str(sample))
                gist.append(own + random.normal(0, 0.02))
                words.append(0.9 - own)
    keys = {"id": ids, "system": systems, "group": [""] * len(ids), "cluster": ids}
    rows = Rows(keys, np.arange(len(ids))).with_numbers({"gist": gist, "f_beta": words})
    rows = rows.with_texts({"topic": topics, "sample": samples, **further})
    return finish("text", rows, {"m": Means(("gist", "f_beta"))})[0]


def test_a_slice_is_a_run_and_says_where_the_order_turns() -> None:
    run = made()
    slices = run.by("Topic")
    assert list(slices.parts) == ["law", "med"] and slices.score == "gist"
    rows = run.measured
    own = [at for at, topic in enumerate(rows.texts["topic"]) if topic == "med"]
    ours = [at for at in own if rows.keys["system"][at] == "a"]
    expected = float(rows.values("gist")[ours].mean())
    assert slices["med"].systems["a"]["gist"].value == pytest.approx(expected)
    assert (slices.size("law"), slices.size("med")) == (18, 6)
    (turned,) = slices.reversals()
    assert (turned.label, turned.winner, turned.loser) == ("med", "b", "a")
    told = " ".join(slices.sentences())
    assert "topic law (18 items): b is ahead" in told and "topic med (6 items): a is ahead" in told
    assert "a overall, but is behind it by" in told and "where topic is med" in told


def test_p_values_are_corrected_for_all_slices() -> None:
    slices = made().by("topic")
    pairs = [held.pairs[0] for held in slices.comparisons.values()]
    together = correct([pair.p_value for pair in pairs], "bh")
    assert [pair.p_corrected for pair in pairs] == together
    assert any(pair.p_corrected > pair.p_value for pair in pairs)
    said = slices.answers()
    assert [part.answer() for part in slices.parts.values()] == [*said.values()]
    assert slices["med"].findings.on("gist").pairs[0].p_corrected == together[1]


def test_a_column_that_is_not_there_or_tells_every_item_apart() -> None:
    with pytest.raises(UnknownName, match="topic"):
        made().by("topics")
    unique = [f"q{at}" for at in range(2 * SIZE * SAMPLES)]
    with pytest.raises(InputError, match=r"144 values for 24 items; at most 40"):
        made(question=unique).by("question")


def test_several_languages_are_slices_without_asking() -> None:
    codes = ["en" if int(at) % 2 else "cs" for at in range(2 * SIZE * SAMPLES)]
    assert [held.column for held in made(language=codes).slices] == ["language"]
    assert made().slices == []
    assert "slices" in made(language=codes).to_dict() and "slices" not in made().to_dict()


def test_variances_by_hand() -> None:
    answers = [np.array([0.0, 0.2]), np.array([1.0, 1.2])]
    assert variances(answers) == (pytest.approx(0.49), pytest.approx(0.02))


def test_items_are_counted_not_answers() -> None:
    run = made()
    score = run.systems["a"]["gist"]
    assert (score.n, score.unscored) == (SIZE, 0)
    rows = run.measured
    gist = rows.values("gist").copy()
    gist[: 4 * SAMPLES] = math.nan  # four items of a have no answer, a fifth lacks one of three
    gist[4 * SAMPLES] = math.nan
    some = finish("text", rows.with_numbers({"gist": gist}), {"m": Means(("gist",))})[0]
    score = some.systems["a"]["gist"]
    assert (score.n, score.unscored) == (SIZE - 4, 4)
    assert some.systems["b"]["gist"].n == SIZE
    gist[: SIZE * SAMPLES] = math.nan
    gist[0] = 0.5
    one = finish("text", rows.with_numbers({"gist": gist}), {"m": Means(("gist",))})[0]
    assert one.systems["a"]["gist"].n == 1
    assert "a scored only 1 of 24 and is not ranked" in one.answer()


def test_repeated_answers() -> None:
    run = made()
    assert [one.system for one in run.repeats] == ["b", "a"]  # best first
    one = run.repeats[1]
    values = run.measured.values("gist")[: SIZE * SAMPLES].reshape(SIZE, SAMPLES)
    assert one.best.value == pytest.approx(values.max(axis=1).mean())
    assert one.worst.value == pytest.approx(values.min(axis=1).mean())
    assert (one.items, one.samples) == (SIZE, SAMPLES)
    assert one.between_samples == pytest.approx(values.var(axis=1, ddof=1).mean())
    assert 0.95 < one.stability < 1 and one.worth == 1
    assert "1 would do: more items help more" in one.sentence()
    assert "count more" not in one.sentence()
    uneven = finish("text", run.measured.take([0, 1, *range(3, 72)]), {"m": Means(("gist",))})[0]
    assert "Items have 2 to 3 answers, and those with more count more." in (
        uneven.repeats[0].sentence()
    )
    assert run.to_dict()["repeats"]["a"]["worth"] < LARGEST
    single = run.measured.take(
        [at for at, s in enumerate(run.measured.texts["sample"]) if s == "0"]
    )
    assert finish("text", single, {"m": Means(("gist",))})[0].repeats == []


def test_items_are_the_unit_and_answers_nested_in_them() -> None:
    """The interval is that of the items' means: more answers to an item are no more items."""
    run = made()
    rows = run.measured.take(np.arange(SIZE * SAMPLES))
    means = rows.values("gist").reshape(SIZE, SAMPLES).mean(axis=1)
    score = run.systems["a"]["gist"]
    half = 1.96 * means.std(ddof=1) / SIZE**0.5
    assert (score.high - score.low) / 2 == pytest.approx(half, rel=0.25)


def test_components_that_contradict_the_headline_are_named_with_the_reason() -> None:
    said = contradiction(made().by("topic")["law"], VIEW)
    assert said.startswith("f_beta puts a first: words alone count there")
    assert "gist, by which b leads, is the one to judge by" in said
    assert deciding(made(), VIEW) == ["gist"]


def test_latex_is_bold_only_where_it_is_real() -> None:
    run = made()
    assert sole_winner(run.findings.on("gist")) in (None, "b")
    told = latex(run, VIEW)
    assert r"\toprule" in told and r"gist $\uparrow$" in told
    bold = r"\textbf" in told
    assert bold == (sole_winner(run.findings.on("gist")) is not None)
    assert "% Methods: We scored 2 systems on 24 items, with 3 answers to each" in told


def test_an_unusual_confidence_is_said_as_it_is() -> None:
    run = replace(made(), confidence=0.999)
    assert [latex(run, VIEW).count(part) for part in ("99.9\\%", "(99.9%)")] == [1, 1]
    assert "In small print: 99.9\\% intervals" in latex_slices(run.by("topic"))
    assert "99.9% intervals" in repr(run) and "small print" not in latex(
        replace(run, resamples=0), VIEW
    )


def test_the_methods_name_the_score_and_the_test() -> None:
    told = methods(made(), VIEW)
    assert "gist is the share of the meaning that survived" in told and "Noreen 1989" in told


def test_the_methods_say_how_intervals_were_made_where_there_are_any() -> None:
    assert "limits of Wilson (1927)" in methods(made(), VIEW)
    few = made().by("topic")["med"]
    assert all(math.isnan(held.scores["gist"].low) for held in few.systems.values())
    assert few.resamples and "Intervals" not in methods(few, VIEW)


def test_items_on_which_systems_differ_are_told_by_the_mean_of_their_answers() -> None:
    run = made()
    first = apart(Standing(run, VIEW, run.findings))[0]
    values = run.measured.values("gist").reshape(2, SIZE, SAMPLES).mean(axis=2)[:, int(first.name)]
    assert first.values == pytest.approx(dict(zip("ab", values, strict=True)))


def test_a_system_that_turns_around_against_several_gets_one_sentence() -> None:
    random = np.random.default_rng(8)
    values, topics = {}, ["law" if at % 2 else "med" for at in range(2 * SIZE)]
    for system, law, med in (("a", 0.95, 0.3), ("b", 0.3, 0.5), ("c", 0.25, 0.5)):
        level = np.where(np.asarray(topics) == "law", law, med)
        values[system] = level + random.normal(0, 0.02, 2 * SIZE)
    ids = [str(at) for at in range(2 * SIZE)] * 3
    systems = [name for name in "abc" for _ in topics]
    keys = {"id": ids, "system": systems, "group": [""] * len(ids), "cluster": ids}
    rows = Rows(keys, np.arange(len(ids))).with_numbers(
        {"gist": np.concatenate([*values.values()])}
    )
    run = finish("text", rows.with_texts({"topic": topics * 3}), {"m": Means(("gist",))})[0]
    slices = run.by("topic")
    assert {(one.winner, one.loser) for one in slices.reversals()} == {("a", "b"), ("a", "c")}
    *_, told = slices.sentences()
    assert all(one.shown_overall for one in slices.reversals())
    assert told.startswith("a is ahead of b and c overall, but is behind them by 0.2")


def test_against_a_baseline_slices_are_compared_with_it_alone() -> None:
    slices = slice_run(made(), "topic", "gist", Options(baseline="a"))
    assert all({pair.b for pair in one.pairs} == {"a"} for one in slices.comparisons.values())
    elsewhere = slice_run(made(), "topic", "gist", Options(baseline="nobody"))
    assert not elsewhere.comparisons  # a slice in which the baseline has no items
