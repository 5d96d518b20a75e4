"""The seven scores: examples worked by hand, laws, and what corruption moves."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_path
from door import prepare
from gistmeter import score_parses
from gistmeter.core.errors import FormatError, InputError
from gistmeter.core.files import system_names
from gistmeter.core.statistics import bootstrap_weights, resampled
from gistmeter.parse.family import Parses, ParseSettings
from gistmeter.parse.formats.taxonomy import Taxonomy
from gistmeter.parse.metrics.parsing import ParseAccuracy
from gistmeter.parse.metrics.points import SEVEN, normalise_lemma
from gistmeter.parse.metrics.weighting import FEATS_WEIGHTS, FeatureSets, split_features
from gistmeter.parse.read import read_weights
from gistmeter.parse.run_documents import SentenceReport
from parse.parse_files import PLACE, paired, row, two_treebanks, write

Treebanks = tuple[list[list[list[str]]], list[list[list[str]]]]
CLASSES = Taxonomy.build(
    ["ANIMAL", "CANINAE", "DOG", "WOLF", "TABLE"], np.asarray([-1, 0, 1, 1, -1]), "animals"
)


def similarity(gold: str, system: str, weights: dict[str, float] | None = None) -> float:
    sets = FeatureSets.of([gold, system])
    found = sets.similarity(np.asarray([0]), np.asarray([1]), weights or dict(FEATS_WEIGHTS))
    return float(found[0])


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        # Case 8, Degree 3, Gender 3, Number 2: only Number agrees; both have four categories.
        (
            "Case=Nom|Degree=Pos|Gender=Fem|Number=Sing",
            "Animacy=Inan|Case=Loc|Gender=Neut|Number=Sing",
            2 / 16,
        ),
        ("_", "_", 1.0),
        ("_", "Case=Nom", 0.0),
        ("Case=Nom", "_", 0.0),
        ("Case=Nom", "Case=Nom|Number=Sing", 1 / 2),
        ("Case=Nom", "Animacy=Anim|Case=Nom|Number=Sing", 1 / 3),
        ("Case=Nom|Number=Sing", "Number=Sing|Case=Nom", 1.0),
        ("Case=Nom|Number=Sing", "Number=Sing", 2 / 10),
    ],
)
def test_features_by_hand(gold: str, system: str, expected: float) -> None:
    assert similarity(gold, system) == pytest.approx(expected, abs=1e-15)


FEATURES = st.dictionaries(
    st.sampled_from(["Case", "Number", "Gender", "Odd"]), st.sampled_from("abc"), max_size=4
).map(lambda found: "|".join(f"{name}={value}" for name, value in found.items()) or "_")


@given(st.lists(st.tuples(FEATURES, FEATURES), min_size=1, max_size=10))
def test_features_against_a_plain_loop(pairs: list[tuple[str, str]]) -> None:
    weights = {"Case": 8.0, "Number": 2.0, "Gender": 3.0, "Odd": 1.5}
    cells = [cell for one in pairs for cell in one]
    numbers = np.arange(0, len(cells), 2)
    found = FeatureSets.of(cells).similarity(numbers, numbers + 1, weights)
    for (gold, system), value in zip(pairs, found.tolist(), strict=True):
        ours, theirs = split_features(gold), split_features(system)
        if ours:
            shared = sum(weights[name] for name in ours if theirs.get(name) == ours[name])
            extra = max(0, len(theirs) - len(ours))
            expected = shared / sum(weights[name] for name in ours) / (1 + extra)
        else:
            expected = float(not theirs)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("left", "right"), [("Ёжик", "ежик"), ("NASA", "nasa"), ("ё", "е\u0308"), ("É", "e\u0301")]
)
def test_lemmas_that_are_the_same(left: str, right: str) -> None:
    assert normalise_lemma(left) == normalise_lemma(right)


def test_a_sentence_by_hand(tmp_path: Path) -> None:
    gold = [
        [
            row(1, "Dogs", lemma="dog", upos="NOUN", feats="Number=Plur", head="2",
                deprel="nsubj", semslot="Agent", semclass="DOG"),
            row(2, "bark", lemma="bark", upos="VERB", feats="_", head="0", deprel="root",
                semslot="Predicate", semclass="_"),
            row(3, "at", lemma="at", upos="ADP", feats="_", head="2", deprel="case",
                semslot="_", semclass="ANIMAL"),
        ]
    ]  # fmt: skip
    system = [
        [
            row(1, "Dogs", lemma="DOG", upos="NOUN", feats="Case=Nom|Number=Plur", head="2",
                deprel="obj", semslot="Agent", semclass="WOLF"),
            row(2, "bark", lemma="barks", upos="NOUN", feats="_", head="0", deprel="root",
                semslot="_", semclass="TABLE"),
            row(3, "at", lemma="at", upos="ADP", feats="_", head="1", deprel="case",
                semslot="Locative", semclass="TABLE"),
        ]
    ]  # fmt: skip
    metric = ParseAccuracy(taxonomy=CLASSES)
    found = metric.pool(metric.measure(paired(tmp_path, gold, system)))
    expected = {
        "lemma": (0.7 + 0.3) / (0.7 + 0.7 + 0.3),
        "upos": 2 / 3,
        "feats": (1 / 2 + 1 + 1) / 3,
        "uas": 2 / 3,
        "las": 1 / 3,
        "semslot": 1 / 3,
        "semclass": (1 / 3 + 0 + 0) / 3,
        "semslot_micro_f1": 2 * 1 / (2 + 2),
        "semslot_macro_f1": (1 + 0 + 0) / 3,
        "semclass_micro_f1": 0.0,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    mean = sum(expected[name] for name in SEVEN) / 7
    assert found["total"] == pytest.approx(mean, abs=1e-12)


@settings(max_examples=40)
@given(two_treebanks())
def test_identity_and_bounds(
    tmp_path_factory: pytest.TempPathFactory, treebanks: Treebanks
) -> None:
    gold, system = treebanks
    folder = tmp_path_factory.mktemp("laws")
    metric = ParseAccuracy(taxonomy=CLASSES)
    same = metric.pool(metric.measure(paired(folder, gold, gold)))
    other = metric.pool(metric.measure(paired(folder, gold, system)))
    for name in ("total", *SEVEN):
        assert same[name] == pytest.approx(1.0, abs=1e-12)
        assert -1e-12 <= other[name] <= 1 + 1e-12
    assert other["las"] <= other["uas"] + 1e-12


MOVED = {
    "LEMMA": {"lemma"},
    "UPOS": {"upos"},
    "FEATS": {"feats"},
    "HEAD": {"uas", "las"},
    "DEPREL": {"las"},
    "SEMSLOT": {"semslot"},
    "SEMCLASS": {"semclass"},
    "XPOS": set(),
    "DEPS": set(),
    "MISC": set(),
}


@settings(max_examples=40)
@given(two_treebanks(), st.sampled_from(sorted(MOVED)), st.data())
def test_corruption_moves_only_what_it_should(
    tmp_path_factory: pytest.TempPathFactory, treebanks: Treebanks, column: str, data: st.DataObject
) -> None:
    gold = treebanks[0]
    system = [[list(cells) for cells in one] for one in gold]
    sentence = data.draw(st.sampled_from(system))
    cells = data.draw(st.sampled_from(sentence))
    cells[PLACE[column]] = "999" if column == "HEAD" else "Corrupt=Yes"
    metric = ParseAccuracy(taxonomy=CLASSES)
    pairs = paired(tmp_path_factory.mktemp("corrupt"), gold, system)
    found = metric.pool(metric.measure(pairs))
    for score in SEVEN:
        if score in MOVED[column]:
            assert found[score] < 1
        else:
            assert found[score] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "column", ["LEMMA", "UPOS", "FEATS", "HEAD", "DEPREL", "SEMSLOT", "SEMCLASS"]
)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.05, 0.5))
def test_corruption_of_a_real_treebank(
    tmp_path_factory: pytest.TempPathFactory, column: str, seed: int, share: float
) -> None:
    path = shared_path("data/parse/cobald-hun.conllu")
    random = np.random.default_rng(seed)
    place, lines, changed, words = PLACE[column], [], 0, 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if len(cells) == 12:
            words += 1
            if random.random() < share:
                cells[place] = "999" if column == "HEAD" else "Odd=Yes"
                changed += 1
        lines.append("\t".join(cells))
    corrupt = tmp_path_factory.mktemp("real") / "corrupt.conllu"
    corrupt.write_text("\n".join(lines), encoding="utf-8")
    run = score_parses(path, corrupt, flat_classes=True, resamples=0)
    for score in SEVEN:
        value = run[score].value
        if score not in MOVED[column]:
            assert value == pytest.approx(1.0, abs=1e-12)
        elif score in ("lemma", "feats"):
            assert value < 1
        else:
            assert value == pytest.approx(1 - changed / words, abs=1e-12)


def test_unknown_tags_get_the_estimators_weight(tmp_path: Path) -> None:
    gold = [[row(1, "a", upos="NEW", feats="Odd=1|Case=Nom", lemma="a"),
             row(2, "b", upos="ADP", feats="Odd=2", lemma="b")]]  # fmt: skip
    system = [[row(1, "a", upos="NEW", feats="Odd=1", lemma="x"),
               row(2, "b", upos="ADP", feats="Odd=2", lemma="b")]]  # fmt: skip
    metric, pairs = ParseAccuracy(), paired(tmp_path, gold, system)
    settings = ParseSettings(gold=tmp_path / "gold.conllu", systems=tmp_path / "system.conllu")
    task = prepare(Parses(), settings)
    # By itself the metric knows no more of a category than that it is one, whatever it is shown.
    for one, odd in ((metric, 1), (task.metrics["parsing"], 2)):
        found = one.pool(one.measure(pairs))
        assert found["feats"] == pytest.approx((odd / (odd + 8) + 1) / 2, abs=1e-12)
        assert found["lemma"] == pytest.approx(0.3 / (0.7 + 0.3), abs=1e-12)
    assert [warning for warning in task.remarks if "NEW 0.7, Odd 2" in warning]


def test_without_a_taxonomy_classes_are_unscored(tmp_path: Path) -> None:
    gold = [[row(1, "a", semclass="DOG")], [row(1, "b", semclass="DOG")]]
    paired(tmp_path, gold, gold)
    run = score_parses(tmp_path / "gold.conllu", tmp_path / "system.conllu", resamples=0)
    assert math.isnan(run["semclass"].value)
    assert run["semclass"].unscored == 2
    assert "no taxonomy" in next(iter(run["semclass"].reasons))
    assert run["total"].partial == ("semclass",)
    assert run["total"].value == 1.0
    flat = score_parses(
        tmp_path / "gold.conllu", tmp_path / "system.conllu", resamples=0, flat_classes=True
    )
    assert flat["semclass"].value == 1.0
    assert flat["total"].partial == ()


def test_a_system_without_a_column(tmp_path: Path) -> None:
    gold = [[row(1, "a", upos="NOUN", semslot="Agent")]]
    paired(tmp_path, gold, gold)
    (tmp_path / "plain.conllu").write_text(
        "# global.columns = ID FORM UPOS\n1\ta\tNOUN\n", encoding="utf-8"
    )
    run = score_parses(
        tmp_path / "gold.conllu",
        [tmp_path / "system.conllu", tmp_path / "plain.conllu"],
        resamples=0,
        flat_classes=True,
    )
    assert run.systems["plain"]["upos"].value == 1.0
    assert math.isnan(run.systems["plain"]["semslot"].value)
    assert run.systems["system"]["semslot"].value == 1.0
    partial = ("lemma", "feats", "uas", "las", "semslot", "semclass")
    assert run.systems["system"]["total"].partial == partial


@settings(max_examples=40)
@given(two_treebanks())
def test_macro_f1_is_the_mean_over_labels(
    tmp_path_factory: pytest.TempPathFactory, treebanks: Treebanks
) -> None:
    gold, system = treebanks
    metric = ParseAccuracy(flat_classes=True)
    pairs = paired(tmp_path_factory.mktemp("macro"), gold, system)
    found = metric.pool(metric.measure(pairs))["semslot_macro_f1"]
    place = PLACE["SEMSLOT"]
    cells = [
        (ours[place], theirs[place])
        for one, other in zip(gold, system, strict=True)
        for ours, theirs in zip(one, other, strict=True)
    ]
    labels = sorted({cell for one in cells for cell in one} - {"_"})
    each = [
        2 * sum(one == other == label for one, other in cells)
        / (sum(one == label for one, _ in cells) + sum(other == label for _, other in cells))
        for label in labels
    ]  # fmt: skip
    if each:
        assert found == pytest.approx(sum(each) / len(each), abs=1e-9)
    else:
        assert math.isnan(found)


@pytest.mark.parametrize(("times", "honest"), [(4, False), (12, True)])
def test_macro_f1_of_rare_labels_has_no_interval(tmp_path: Path, times: int, honest: bool) -> None:
    right, wrong = row(1, "a", semslot="Agent"), row(1, "a", semslot="Object")
    gold, system = [[right], [wrong], [right]] * times, [[right], [right], [wrong]] * times
    paired(tmp_path, gold, system)
    run = score_parses(tmp_path / "gold.conllu", tmp_path / "system.conllu", resamples=200)
    assert math.isfinite(run["semslot_macro_f1"].value)
    assert math.isfinite(run["semslot_micro_f1"].low)
    assert math.isfinite(run["semslot_macro_f1"].low) == honest


def test_resampled_macro_f1_is_that_of_sentences_really_drawn(tmp_path: Path) -> None:
    slots = ["Agent", "Object", "_", "Locative"]
    gold = [[row(1, "a", semslot=slots[at % 4])] for at in range(120)]
    system = [[row(1, "a", semslot=slots[at % 4 if at % 5 else at % 3])] for at in range(120)]
    metric = ParseAccuracy()
    rows = metric.measure(paired(tmp_path, gold, system))
    found = resampled(metric.pool, rows, seed=3, resamples=6)["semslot_macro_f1"]
    (weights,) = bootstrap_weights(len(rows), 6, 3)
    for value, counts in zip(found, weights.astype(int), strict=True):
        drawn = rows.take(np.repeat(np.arange(len(rows)), counts))
        assert value == pytest.approx(metric.pool(drawn)["semslot_macro_f1"], abs=1e-12)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected an object of weights"),
        ("{", "is not JSON"),
        ('{"NOUN": "x"}', "the weight of 'NOUN' is 'x'"),
        ('{"NOUN": -1}', "0 or more"),
        ('{"NOUN": true}', "the weight of 'NOUN' is True"),
        ('{"NOUN": NaN}', "the weight of 'NOUN'"),
        ("{}", "expected an object of weights"),
    ],
)
def test_bad_weights(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        read_weights(path, "lemma")


def test_weights_from_either_shape(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"lemma": {"NOUN": 1}, "feats": {"Case": 3}}))
    assert read_weights(path, "lemma") == {"NOUN": 1.0}
    assert read_weights(path, "feats") == {"Case": 3.0}
    path.write_text(json.dumps({"NOUN": 0}))
    assert read_weights(path, "lemma") == {"NOUN": 0.0}
    with pytest.raises(FormatError, match="more than 0"):
        read_weights(path, "feats")


def test_systems_are_named_by_their_stems() -> None:
    assert system_names([Path("a/x.conllu"), Path("y.conllu.gz")]) == ["x", "y"]
    assert system_names([Path("a/x.conllu"), Path("b/x.conllu")]) == ["a/x", "b/x"]
    with pytest.raises(InputError, match="Several systems"):
        system_names([Path("a/x.conllu"), Path("a/x.txt")])


def test_details_name_what_is_lost(tmp_path: Path) -> None:
    gold = [[row(1, "wolf", upos="NOUN", semclass="WOLF", deprel="root", head="0")],
            [row(1, "dog", upos="NOUN", semclass="DOG", deprel="root", head="0")]]  # fmt: skip
    system = [gold[0], [row(1, "dog", upos="VERB", semclass="ANIMAL", deprel="obj", head="1")]]
    metric = ParseAccuracy(taxonomy=CLASSES)
    pairs = paired(tmp_path, gold, system)
    details = metric.documents(metric.measure(pairs), pairs)
    right, wrong = details["sentences.json"]["sentences"]
    assert right["systems"]["system"]["wrong"] == {}
    assert (wrong["id"], wrong["line"], wrong["forms"]) == ("s2", 5, ["dog"])
    assert wrong["gold"]["head"] == [0]
    report = wrong["systems"]["system"]
    assert report["paths"] == {1: "DOG → CANINAE → ANIMAL"}
    assert report["wrong"] == {
        "upos": {1: "VERB"}, "head": {1: 1}, "deprel": {1: "obj"}, "semclass": {1: "ANIMAL"},
    }  # fmt: skip
    read = SentenceReport.of(json.loads(json.dumps(wrong)))
    assert read is not None and read.systems["system"].wrong == report["wrong"]
    assert details["confusions.json"]["system"]["UPOS"] == [
        {"gold": "NOUN", "system": "VERB", "count": 1}
    ]
    noun = details["breakdown.json"]["system"]["by_pos"]["NOUN"]
    assert noun["words"] == 2
    assert noun["upos"] == noun["uas"] == 0.5
    assert json.dumps(details)


def test_a_broken_sentence_of_a_document_is_none() -> None:
    system = {"line": 1, "lost": 0, "wrong": {}, "missing": [], "paths": {}}
    whole = {
        "id": "s", "line": 1, "forms": ["a"], "gold": {"upos": ["X"]}, "systems": {"a": system},
    }  # fmt: skip
    assert SentenceReport.of(whole) is not None
    for broken in (
        None, [], {**whole, "forms": 1}, {**whole, "gold": {"upos": []}}, {**whole, "systems": []},
        {**whole, "systems": {"a": {"line": 1}}},
        {**whole, "systems": {"a": {**system, "wrong": {"upos": {"2": "X"}}}}},
    ):  # fmt: skip
        assert SentenceReport.of(broken) is None


def test_words_are_told_apart_by_the_golds_tree(tmp_path: Path) -> None:
    """The arc from 4 to 2 is not projective: 3 stands between and hangs from 1."""
    heads = ["0", "4", "1", "1"]
    gold = [[row(at, f"w{at}", head=head, deprel="d") for at, head in enumerate(heads, 1)]]
    system = [[*gold[0][:1], row(2, "w2", head="1", deprel="d"), *gold[0][2:]]]
    metric = ParseAccuracy(flat_classes=True)
    pairs = paired(tmp_path, gold, system)
    known = {"FORM": pairs.gold.vocabularies["FORM"].flags(lambda one: one != "w2")}
    pairs = replace(pairs, training=known)
    details = metric.documents(metric.measure(pairs), pairs)["breakdown.json"]["system"]
    arcs = details["by_projectivity"]
    assert {label: (one["words"], one["uas"]) for label, one in arcs.items()} == {
        "projective": (3, 1.0), "non-projective": (1, 0.0),
    }  # fmt: skip
    assert [*details["by_arc_length"]] == ["root", "2", "3–6"]
    assert details["by_arc_length"]["2"]["uas"] == 0.5
    assert details["by_direction"]["head to the right"] == {"words": 1, "uas": 0.0, "las": 0.0}
    assert details["by_depth"]["2"]["words"] == 1
    assert details["by_length"]["1–10 words"]["words"] == 4
    assert details["by_form"]["unseen"]["uas"] == 0.0
    assert "by_lemma" not in details


def test_complete_matches(tmp_path: Path) -> None:
    gold = [[row(1, "a", head="0", deprel="root")], [row(1, "b", head="0", deprel="root")]]
    system = [gold[0], [row(1, "b", head="0", deprel="dep")]]
    metric = ParseAccuracy(flat_classes=True)
    assert metric.pool(metric.measure(paired(tmp_path, gold, system)))["complete"] == 0.5


def test_weights_of_one_file_stand_in_the_signature(tmp_path: Path) -> None:
    words = [[row(1, "a", head="0", deprel="root", upos="NOUN", feats="Case=Nom|Number=Sing")]]
    other = [[row(1, "a", head="0", deprel="root", upos="NOUN", feats="Case=Gen|Number=Sing")]]
    gold, system = write(tmp_path / "g.conllu", words), write(tmp_path / "s.conllu", other)
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"lemma": {"NOUN": 1}, "feats": {"Case": 3, "Number": 1}}))
    run = score_parses(gold, system, weights=path, resamples=0)
    assert run["feats"].value == 0.25
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    assert f"weights_file:task.json@{digest}" in run.signature
    assert run.signature != score_parses(gold, system, resamples=0).signature
    with pytest.raises(InputError, match="leave --lemma-weights, --feats-weights out"):
        score_parses(gold, system, weights=path, feats_weights=path, resamples=0)
