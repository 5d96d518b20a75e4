"""Small items for every registered metric, and the metrics that its scores are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gistmeter.book.metrics.book_alignment import BookAlignment
from gistmeter.book.metrics.claim_support import ClaimSupport
from gistmeter.core.types import Book, Clip, Metric, Pair
from gistmeter.languages import get
from gistmeter.languages.guard import Guard
from gistmeter.metrics.gist import PairGist
from gistmeter.parse.formats.pairs import ParsePairs
from gistmeter.parse.formats.treebank_reader import read_treebank
from gistmeter.parse.formats.word_alignment import align
from gistmeter.parse.metrics.conll18 import Conll18
from gistmeter.parse.metrics.enhanced import EnhancedDependencies
from gistmeter.parse.metrics.parsing import ParseAccuracy
from gistmeter.speech.formats.speakers import Meeting, SegmentClip, TimedClip
from gistmeter.speech.formats.timed import TimedText
from gistmeter.speech.metrics.custom import CustomMetric, NamedFunction
from gistmeter.speech.metrics.distance import SemanticDistance
from gistmeter.speech.metrics.keywords import Keywords, KeywordScores
from gistmeter.speech.metrics.latency import Latency
from gistmeter.speech.metrics.meetings import MeetingErrors
from gistmeter.speech.metrics.normalizer import Normalisation
from gistmeter.speech.metrics.rates import ErrorRates
from gistmeter.speech.metrics.semantic_error import SemanticErrorRate
from gistmeter.speech.metrics.transcript_alarms import TranscriptAlarms
from gistmeter.speech.metrics.transcript_gist import TranscriptGist
from gistmeter.text.metrics.accuracy import SemanticAccuracy
from gistmeter.text.metrics.consistency import Consistency, SequenceRobustness, StructuralRobustness
from gistmeter.text.metrics.fact_alarms import FactAlarms
from gistmeter.text.metrics.information import Information, Recovery
from gistmeter.text.metrics.logic import LogicalValidity, Reading


@dataclass(frozen=True)
class Case:
    """Items, and metrics of which the last is the one that is tried."""

    items: Sequence[Any]
    metrics: Mapping[str, Metric]


def texts() -> list[Pair]:
    """Two systems, three arrangements; a prediction and a reference are missing."""
    said = [
        ("the cat sat + there", ("a cat sat there", "the + cat")),
        ("not the dog", ("the dog -",)),
        ("", ("nothing said",)),
        ("birds fly south", ("birds fly north", "birds + fly")),
        ("why ?", ("why not",)),
        ("lone words", ()),
    ]
    found = []
    for system in ("one", "two"):
        for number, (candidate, references) in enumerate(said):
            for arrangement in ("original", "swapped", "reversed"):
                turned = candidate if arrangement == "original" else candidate[::-1]
                fields = {
                    "structure": ("ABAB", "AABB", "")[number % 3],
                    "recovered": ("yes", "", "idiom 3")[number % 3],
                    "has_original": "yes" if system == "one" else "no",
                }
                where = "" if arrangement == "original" and system == "two" else arrangement
                found.append(
                    Pair(f"idiom {number}", turned, references, system, where, "xx", fields)
                )
    return found


def clips() -> list[TimedClip]:
    said = [
        ("Anna sold apples. Bob lost keys. Anna sold apples.", "Anna sold apples. Bob has keys."),
        ("Eve reads books.", None),
        ("one two three four five", "one two for five six"),
        ("", "noise"),
        ("Tom hit walls. Kim ate soup.", ""),
        ("word " * 90, "word " * 70 + "other " * 20),
        ("Zoe won gold.", "Zoe won gold."),
    ]
    return [
        TimedClip(
            f"clip {at}", expected, got, ("fast", "slow")[at % 2],
            language="en", group="ab"[at % 2],
            latency=0.1 * at if at % 3 else float("nan"), elapsed=2.0 + at, duration=1.5 + at,
            failure="" if got is not None else "the service hung up",
        )
        for at, (expected, got) in enumerate(said)
    ]  # fmt: skip


def books() -> list[Book]:
    from book.book_doubles import SOURCE, SUMMARY, book

    return [
        book("whole", SOURCE, SUMMARY),
        book("none", SOURCE, ""),
        book("half", SOURCE, SUMMARY[: len(SUMMARY) // 2]),
        book("partly unreadable", SOURCE, "The fox ran. This is unreadable. The ice broke."),
        book("other", SUMMARY, "An owl asked for the light. Nothing else happened.", "second"),
    ]


def treebanks() -> tuple[list[Any], list[Any]]:
    from parse.parse_files import row

    slots, classes = ("Agent", "Object", "_", "Locative"), ("DOG", "_", "WOLF")
    gold = [
        [
            row(
                at + 1, f"w{number}{at}", lemma="Lemma", upos=("NOUN", "VERB", "NEW")[at % 3],
                feats=("Case=Nom|Odd=1", "_", f"Odd={number}")[at % 3], head=str(at),
                deprel="root" if not at else "obj", semslot=slots[(at + number) % 4],
                semclass=classes[(at * number) % 3],
                deps=("0:root", f"1:obj|{at + 1}.1:conj:and", "1:nsubj")[at % 3],
            )
            for at in range(1 + number % 3)
        ]
        for number in range(7)
    ]  # fmt: skip
    system = [[list(cells) for cells in sentence] for sentence in gold]
    for number, sentence in enumerate(system):
        sentence[-1][3], sentence[0][10] = "VERB", slots[number % 4]
        sentence[0][5], sentence[-1][11] = "Case=Gen|Odd=1", classes[number % 3]
        sentence[-1][7] = "nsubj" if len(sentence) > 1 else "root"
    for number, sentence in enumerate((*gold, *system)):
        if len(sentence) > 1:
            sentence.insert(2, row("2.1", "#NULL", deps="1:conj", semslot=slots[number % 2]))
    return gold, system


def parses(folder: Path, *, aligned: bool = False) -> ParsePairs:
    """A gold and two systems; aligned, one of them cuts sentences and words otherwise."""
    from gistmeter.parse.formats.pairs import pair
    from parse.parse_files import write

    gold, system = treebanks()
    ours = read_treebank(write(folder / "gold.conllu", gold))
    banks = {}
    other = [list(map(list, sentence)) for sentence in gold]
    if aligned:  # the fourth sentence, of one word, goes with the third, of three
        lone = other.pop(3)[0]
        other[2].append(["4", *lone[1:6], "1", "obj", *lone[8:]])
    for name, sentences in (("one", system), ("two", other)):
        path = write(folder / f"{name}.conllu", sentences)
        banks[name] = read_treebank(path, fallback=ours.layout, vocabularies=ours.vocabularies)
    return align(ours, banks) if aligned else pair(ours, banks)


def text_case(*names: str) -> Callable[[Path], Case]:
    """S_Acc and S_Logic come first: the others are made from their columns."""

    def make(folder: Path) -> Case:
        from text.text_doubles import PACKS, Given, Letters

        made: dict[str, Metric] = {
            "s_acc": SemanticAccuracy(PACKS, Letters(), Given(), Given()),
            "gist": PairGist(Given(failing=frozenset({"not the dog"})), Letters(), Given()),
            "s_logic": LogicalValidity(Given(failing=frozenset({"not the dog"})), "both"),
            "consistency": Consistency(),
            "robustness": SequenceRobustness(),
            "structure": StructuralRobustness(),
            "reading": Reading(0.5, 0.5),
            "s_info": Information(PACKS),
            "alarms": FactAlarms({"en": Guard("en")}),
            "recovery": Recovery(),
        }
        items = [replace(item, language="en") for item in texts()] if "gist" in names else texts()
        return Case(items, {name: made[name] for name in names})

    return make


def speech_case(name: str) -> Callable[[Path], Case]:
    def make(folder: Path) -> Case:
        from speech.speech_doubles import WordMatcher, honest
        from text.text_doubles import Given, Letters

        english = Normalisation(get("en"))

        def length(said: str, got: str) -> SimpleNamespace:
            return SimpleNamespace(score=len(got) / len(said or " "), detail="")

        made: dict[str, Metric] = {
            "transcription": ErrorRates(english),
            "sem_dist": SemanticDistance(WordMatcher(), english),
            "facts": SemanticErrorRate(honest(), english),
            "alarms": TranscriptAlarms(english, Guard("en")),
            "latency": Latency(),
            "gist": TranscriptGist(Given(), Letters(), Given(), "speech", normalisation=english),
            "keywords": KeywordScores(english, Keywords(("one", "dog", "the"))),
            "meetings": MeetingErrors(english, ("cpwer", "der")),
            "custom_metric": CustomMetric(NamedFunction("length", length)),
        }
        return Case(meeting_clips() if name == "meetings" else clips(), {name: made[name]})

    return make


def meeting_clips() -> list[Clip]:
    """A meeting of two, and a clip of none."""
    said = [
        TimedText("m", f"one two {at}", 2.0 * at, 2.0 * at + 1.5, "ab"[at % 2]) for at in range(6)
    ]
    heard = [TimedText("m", f"one too {at}", 2.0 * at, 2.0 * at + 2.0, "xy"[at % 3 > 0])
             for at in range(6)]  # fmt: skip
    meeting = Meeting("m", tuple(said), tuple(heard))
    clips: list[Clip] = [
        SegmentClip(f"m-{at}", piece.text, piece.text, system, meeting=meeting, place=at)
        for system in ("first", "second")
        for at, piece in enumerate(said)
    ]
    return [*clips, Clip("alone", "one", None, "first")]


def book_case(folder: Path) -> Case:
    from book.book_doubles import make_metric

    metric: BookAlignment = make_metric(books())
    return Case(books(), {"alignment": metric})


def claims_case(folder: Path) -> Case:
    from book.book_doubles import ToyJudge, WordEmbedder

    known = {"en": get("en")}
    summaries = [replace(book, kind="summary") for book in books()]
    return Case(summaries, {"claims": ClaimSupport(WordEmbedder(), known, ToyJudge())})


def parse_case(folder: Path) -> Case:
    return Case(parses(folder), {"parsing": ParseAccuracy(flat_classes=True)})


def conll18_case(folder: Path) -> Case:
    metrics: dict[str, Metric] = {"parsing": ParseAccuracy(flat_classes=True), "conll18": Conll18()}
    return Case(parses(folder, aligned=True), metrics)


def enhanced_case(folder: Path) -> Case:
    return Case(parses(folder, aligned=True), {"enhanced": EnhancedDependencies()})


CASES: Mapping[str, Callable[[Path], Case]] = {
    **{f"text/{name}": text_case(name) for name in ("s_acc", "gist", "s_logic", "s_info")},
    **{f"text/{name}": text_case(name) for name in ("recovery", "alarms")},
    "text/consistency": text_case("s_acc", "consistency"),
    "text/robustness": text_case("s_acc", "robustness"),
    "text/structure": text_case("s_acc", "structure"),
    "text/reading": text_case("s_acc", "s_logic", "reading"),
    **{f"speech/{name}": speech_case(name) for name in ("transcription", "sem_dist", "facts")},
    **{f"speech/{name}": speech_case(name) for name in ("latency", "keywords", "custom_metric")},
    "speech/meetings": speech_case("meetings"),
    **{f"speech/{name}": speech_case(name) for name in ("alarms", "gist")},
    "book/alignment": book_case,
    "book/claims": claims_case,
    "parse/parsing": parse_case,
    "parse/conll18": conll18_case,
    "parse/enhanced": enhanced_case,
}
