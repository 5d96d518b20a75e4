"""Both sides of every row of docs/differences.md are run."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gistmeter
from gistmeter import languages
from gistmeter.book.family import BookSettings
from gistmeter.book.metrics.book_comparison import CALIBRATED
from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError
from gistmeter.core.rows import Rows
from gistmeter.core.settings import options_of
from gistmeter.core.types import Pair
from gistmeter.models.llm.asking import ServiceAsker
from gistmeter.models.protocols import Judgements, PairScores
from gistmeter.models.settings import profile_names
from gistmeter.parse.family import ParseSettings
from gistmeter.speech.consent import DEFAULT_MODEL, find_fact_model
from gistmeter.speech.family import SpeechSettings
from gistmeter.speech.metrics.fact_answers import check
from gistmeter.speech.metrics.fact_prompt import SemanticFact, Verdict
from gistmeter.text.family import TextSettings
from gistmeter.text.metrics.accuracy import SemanticAccuracy
from gistmeter.text.metrics.consistency import Consistency, SequenceRobustness, StructuralRobustness
from gistmeter.text.metrics.logic import LogicalValidity, Reading

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
SETTINGS = {"OrderProbe": TextSettings, "AlignEval": BookSettings, "SEMarkup": ParseSettings,
            "Semantic understanding": SpeechSettings}  # fmt: skip
CHECKS: dict[str, Callable[[Path], None]] = {}


def row(name: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    def keep(check: Callable[[Path], None]) -> Callable[[Path], None]:
        CHECKS[name] = check
        return check

    return keep


def table() -> dict[str, list[str]]:
    lines = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
    ]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[1:]]
    return {cell[0].strip(): [part.strip() for part in cell] for cell in cells}


def test_every_row_is_checked_and_every_check_has_a_row() -> None:
    assert set(table()) == set(CHECKS)
    for name, own in CHECKS.items():
        assert re.search(r"\bassert\b|pytest\.raises", inspect.getsource(own)), name


@pytest.mark.parametrize("name", list(table()))
def test_a_row(name: str, tmp_path: Path) -> None:
    CHECKS[name](tmp_path)


@pytest.mark.parametrize("name", list(table()))
def test_the_flag_exists_and_is_the_presets(name: str) -> None:
    system, flag = name.partition(":")[0], table()[name][4]
    found = re.search(r"`--([a-z-]+) (\S+?)`", flag)
    assert found, flag
    kind: Any = SETTINGS[system]
    option = options_of(kind)[found[1].replace("-", "_")]
    given = kind(**{option.name: found[2]})
    assert str(getattr(given, option.name)) == found[2] != str(option.default)
    for preset in kind.presets.values():
        if option.name in preset:
            assert str(preset[option.name]) == found[2]


def test_every_choice_of_a_preset_has_a_row() -> None:
    """What a preset sets otherwise than the default is in the table, with its flag."""
    flags = " ".join(cells[4] for cells in table().values())
    for kind in SETTINGS.values():
        ours: Any = kind()
        for preset in kind.presets.values():
            for name, value in preset.items():
                if getattr(ours, name) != value:
                    assert f"`--{name.replace('_', '-')} {value}`" in flags, name


def rows(*table: tuple[str, str, float, float]) -> Rows:
    """Rows of id, arrangement, S_Acc and S_Acc under mean."""
    made = Rows.of([Pair(one[0], "x", ("y",), "s", one[1], "xx") for one in table])
    most, mean = [one[2] for one in table], [one[3] for one in table]
    return made.with_numbers({"s_acc": most, "s_acc_max": most, "s_acc_mean": mean})


@row("OrderProbe: S_Cons")
def _(_: Path) -> None:
    nonsense = rows(
        *(("ab"[i], f"p{p}", 0.1 + 0.1 * i, 0.1 + 0.1 * i) for i in range(2) for p in range(3))
    )
    theirs = Consistency(by="idioms").pool(nonsense)["s_cons"]
    ours = Consistency().pool(Consistency().derive(nonsense))["s_cons"]
    assert theirs == pytest.approx(0.95 * 0.95) and ours == pytest.approx(0.15)


@row("OrderProbe: S_struct")
def _(_: Path) -> None:
    for low in (0.1, 0.7):
        two = rows(("1", "p", 0.8, 0.8), ("2", "p", low, low)).with_numbers(
            {"structure=a": [1, np.nan], "structure=b": [np.nan, 1]}
        )
        assert StructuralRobustness(spread="range").pool(two)["s_struct"] == pytest.approx(0.5)
        ours = StructuralRobustness().pool(two)["s_struct"]
        assert ours == pytest.approx(1 - np.std([0.8, low]) / np.mean([0.8, low]))


@row("OrderProbe: S_Rob")
def _(_: Path) -> None:
    held = rows(("1", "original", 0.8, 0.5), ("1", "p", 0.4, 0.1))
    assert SequenceRobustness(on="mean").pool(held)["mdr"] == pytest.approx(0.8)
    assert SequenceRobustness().pool(held)["mdr"] == pytest.approx(0.5)


def info(said: str, **how: Any) -> float:
    run = gistmeter.score_text(
        [said], ["喜欢学习历史"], language="zh", metrics=["s_info"], resamples=0, **how
    )
    return float(run["s_info"].value)


@row("OrderProbe: S_Info")
def _(_: Path) -> None:
    assert info("史历习学欢喜", information_unit="characters") == 1.0
    assert info("史历习学欢喜") < 0.5


@row("OrderProbe: reference cell")
def _(folder: Path) -> None:
    """One of two right answers: whole against itself, half of the cell's seven characters."""
    how = {"reference_separators": "；", "information_unit": "characters"}
    each = from_file(folder, "喜欢；很想学习", **how)
    cell = from_file(folder, "喜欢；很想学习", **how, against="cell")
    assert each["s_info"].value == 1.0
    assert cell["s_info"].value == pytest.approx(math.exp(1 - 7 / 2))
    asked: list[Any] = []

    class Follows:
        id = "follows"

        def classify(self, pairs: Any) -> Judgements:
            asked.extend(pairs)
            flat = np.full(len(pairs), 0.5)
            return Judgements(flat, flat / 2, flat / 2, unseen=np.zeros(len(pairs)))

    item = [Pair("1", "喜欢", ("喜欢", "很想学习"), "s", "", "zh", {"cell": "喜欢；很想学习"})]
    LogicalValidity(Follows(), against="cell").measure(item)
    LogicalValidity(Follows()).measure(item)
    assert asked == [("喜欢", "喜欢；很想学习"), ("喜欢", "喜欢"), ("喜欢", "很想学习")]


@row("OrderProbe: direction of S_Logic")
def _(_: Path) -> None:
    """Half of a definition follows from all of it, and all of it not from half."""

    class Longer:
        id = "longer"

        def classify(self, pairs: Any) -> Judgements:
            yes = np.asarray([float(len(first) >= len(second)) for first, second in pairs])
            return Judgements(yes, 1 - yes, 0 * yes, unseen=0 * yes)

    half = [Pair("1", "likes", ("likes history",), "s", "", "en")]
    theirs = LogicalValidity(Longer(), "reference-to-prediction").measure(half)
    ours = LogicalValidity(Longer()).measure(half)
    assert theirs.values("s_logic").tolist() == [1.0] and ours.values("s_logic").tolist() == [0.0]


@row("OrderProbe: reading")
def _(_: Path) -> None:
    scored = Rows.of([Pair("1", "a", ())]).with_numbers({"s_acc": [0.7], "s_logic": [0.7]})
    fitted = Reading(cuts={"en": {"s_acc": 0.6, "s_logic": 0.6}})
    assert fitted.derive(scored).texts["reading"] == ["reliable"]
    paper = Reading(0.8, 0.8, cuts={"en": {"s_acc": 0.6, "s_logic": 0.6}})
    assert paper.derive(scored).texts["reading"] == ["unreliable"]


@row("OrderProbe: STS and BERTScore")
def _(_: Path) -> None:
    def sts(**how: Any) -> float:
        run = gistmeter.score_text(
            ["他每天早上跑步"], ["火山喷发毁了村庄"], language="zh", metrics=["s_acc"],
            no_judge=True, resamples=0, **how,
        )  # fmt: skip
        return float(run["sts"].value)

    assert sts(rescaling="none") > 0.7 and sts() < 0.2


@row("OrderProbe: around an answer")
def _(_: Path) -> None:
    def scored(**how: Any) -> str:
        run = gistmeter.score_text(
            ["**a fine day**"],
            ["a fine day"],
            language="en",
            metrics=["s_info"],
            resamples=0,
            **how,
        )
        return str(run.to_polars()["prediction"][0])

    assert scored(extract="none") == "**a fine day**" and scored() == "a fine day"


@row("OrderProbe: cross-encoder")
def _(_: Path) -> None:
    class Sure:
        id = "sure"

        def score(self, pairs: Any) -> PairScores:
            return PairScores(np.full(len(pairs), 0.9), np.zeros(len(pairs)))

    packs = {"en": languages.get("en")}
    item = [Pair("1", "a", ("b",), "s", "", "en")]
    one, two = (
        SemanticAccuracy(packs, cross_encoder=Sure(), sigmoids=count).measure(item)
        for count in (1, 2)
    )
    assert one.values("cross_encoder")[0] == 0.9
    assert two.values("cross_encoder")[0] == pytest.approx(1 / (1 + math.exp(-0.9)))


@row("OrderProbe: BERTScore of traditional Chinese")
def _(_: Path) -> None:
    assert profile_names("orderprobe", "zh-Hant")["matcher"] == "bert-base-multilingual-cased"
    assert profile_names("paper", "zh-Hant")["matcher"] == "bert-base-chinese"


def from_file(folder: Path, reference: str, **how: Any) -> gistmeter.Run:
    path = folder / "m.csv"
    path.write_text(f'idiom,Prediction,Reference\na,喜欢,"{reference}"\n', encoding="utf-8")
    return gistmeter.score_text(path, language="zh", metrics=["s_info"], resamples=0, **how)


@row("OrderProbe: references")
def _(folder: Path) -> None:
    split = from_file(folder, "喜欢；喜欢、害怕", reference_separators="wide")
    assert split.measured.texts["reference"] == ["喜欢 || 喜欢 || 害怕"]
    whole = from_file(folder, "喜欢；喜欢、害怕")
    assert whole.measured.texts["reference"] == ["喜欢；喜欢、害怕"]


@row("OrderProbe: words")
def _(_: Path) -> None:
    plain = languages.get("ko", "jieba").content_words("학교에서 배운다.")
    ours = languages.get("ko").content_words("학교에서 배운다.")
    assert "." in plain and "." not in ours and "학교" in ours


@row("OrderProbe: polarity")
def _(_: Path) -> None:
    def conflict(**how: Any) -> float:
        run = gistmeter.score_text(
            ["不是不喜欢，不讨厌"],
            ["非常喜欢"],
            language="zh",
            metrics=["s_acc"],
            resamples=0,
            **how,
        )
        return float(run["polarity_conflict"].value)

    assert conflict(polarity_reading="words") == 1.0 and conflict() == 0.0


@row("OrderProbe: missing predictions")
def _(_: Path) -> None:
    def value(**how: Any) -> float:
        run = gistmeter.score_text(
            ["喜欢", None], ["喜欢", "学习"], language="zh", metrics=["s_info"], resamples=0, **how
        )
        return float(run["s_info"].value)

    assert value(missing_prediction="zero") == 0.5 and value() == 1.0


@row("AlignEval: sentences")
def _(_: Path) -> None:
    text = "“你来吗？”她问。他走了"
    assert languages.simple_sentences(text) == ["“你来吗？", "”她问。", "他走了"]
    assert languages.get("zh").sentences(text) == ["“你来吗？”她问。", "他走了"]


@row("AlignEval: path")
def _(_: Path) -> None:
    matrix = [[0.9, 0.1], [0.9, 0.1]]
    theirs, default = "nw", BookSettings().alignment
    assert gistmeter.align_sentences(matrix, theirs) == [(0, 0), (1, 1)]
    assert gistmeter.align_sentences(matrix, default) == [(0, 0), (1, 0)]
    moved = np.full((4, 8), 0.1)
    moved[[0, 1, 2, 3], [4, 5, 0, 1]] = 0.9
    own = [(0, 4), (1, 5), (2, 0), (3, 1)]
    assert gistmeter.align_sentences(moved, default) == own
    assert gistmeter.align_sentences(moved, theirs) != own


@row("AlignEval: band")
def _(_: Path) -> None:
    matrix = np.full((3, 12), 0.1)
    matrix[0, 2] = matrix[1, 6] = matrix[2, 10] = 0.9  # evenly spread over a longer source
    theirs = gistmeter.align_sentences(matrix, "monotone", bandwidth=3, band="absolute")
    ours = gistmeter.align_sentences(matrix, "monotone", bandwidth=3)
    assert ours == [(0, 2), (1, 6), (2, 10)]
    assert max(abs(source - sentence) for sentence, source in theirs) <= 3


@row("AlignEval: α of SCS")
def _(_: Path) -> None:
    story = [f"{name} walked to the {place}." for name in ("Ann", "Bob", "Cid", "Dan")
             for place in ("house", "river", "market", "old mill")]  # fmt: skip
    half = story[: len(story) // 2]

    def scs(**how: Any) -> float:
        texts = {"a": " ".join(story)}, {"a": " ".join(half)}
        run = gistmeter.score_book(*texts, language="en", resamples=0, **how)
        return float(run["scs"].value)

    assert scs() > scs(alpha=10.0) + 0.01
    assert CALIBRATED["e5-small"].alpha == 40.0
    assert BookSettings(preset="aligneval").alpha == 10.0


@row("AlignEval: model")
def _(_: Path) -> None:
    named = profile_names(BookSettings(preset="aligneval").models_profile)
    assert named == {"embedder": "hfl/chinese-bert-wwm-ext"}
    assert profile_names(BookSettings().models_profile)["embedder"] == "e5-small"


@row("SEMarkup: unknown tags")
def _(folder: Path) -> None:
    path = folder / "g.conllu"
    path.write_text("1\ta\ta\tNOUN\t_\tStrange=Yes\t0\troot\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="refused"):
        gistmeter.score_parses(path, path, unknown_tags="refuse", resamples=0)
    assert gistmeter.score_parses(path, path, resamples=0)["feats"].value == 1.0


@row("Semantic understanding: when the model is asked")
def _(_: Path) -> None:
    pytest.importorskip("google.genai")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEMINI_API_KEY", "a-key")
        patch.setattr(ServiceAsker, "answer", None)  # nothing is sent
        run = gistmeter.score_speech(["it rains"], ["it rained"], language="en")
        assert "ser" not in run.systems["system"].scores
        assert find_fact_model("gemini", Cache(None)).name == f"google:{DEFAULT_MODEL}"


@row("Semantic understanding: facts")
def _(_: Path) -> None:
    fact = SemanticFact("Mars", "was", "saved", Verdict.BOTH)
    report = check([fact], "Anna met Boris.", "Anna met Doris.")
    assert report.facts == (fact,) and report.dropped == 1
    assert check([fact], "Anna met Boris.", "Anna met Doris.", strict=True).facts == ()
