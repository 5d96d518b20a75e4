"""How speech is scored. Each field is an option of `gistmeter speech` and an argument in Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from gistmeter.core.errors import InputError, UnknownName
from gistmeter.core.options import ModelSettings
from gistmeter.core.settings import option

NORMALIZERS = ("default", "whisper", "seed", "none")
NO_MODEL = "none"  # of language: the semantic error rate is left out


@dataclass(frozen=True, kw_only=True)
class SpeechSettings(ModelSettings):
    """How transcripts are made or read, compared with what was said, and scored."""

    title: ClassVar[str] = "speech"

    table: Path | None = option(
        None,
        "A table with the columns file, expected and one per system, or file, system, expected,"
        " got.",
        panel="input", reach="read", metavar="TABLE", argument="only", main=True,
    )  # fmt: skip
    expected: Path | None = option(
        None,
        "What was said: one utterance per line (with ids: id<TAB>text, Kaldi, NIST trn; STM), or"
        " one text (also SRT, WebVTT); or a folder of texts. Which of them is found and said.",
        panel="input", reach="read", metavar="FILE", main=True,
    )  # fmt: skip
    got: tuple[Path, ...] = option(
        (),
        "A system's transcripts, of the same form (CTM with STM). May be repeated.",
        panel="input", reach="read", metavar="FILE", main=True,
    )  # fmt: skip
    lines: bool = option(
        False, "Every line of the files is an utterance, in the same order.", panel="input"
    )
    whole: bool = option(False, "Every file is one text, whatever its lines.", panel="input")
    systems: tuple[str, ...] = option(
        (),
        "The columns of a wide table that are systems, separated by commas. By default they are"
        " found by content.",
        panel="input", reach="nothing", metavar="HEADER,…",
    )  # fmt: skip
    column: Mapping[str, str] = option(
        {},
        "Which column of the table is meant, such as expected=Reference. May be repeated.",
        panel="input", reach="nothing", metavar="NAME=HEADER",
    )  # fmt: skip
    language: str = option(
        "auto",
        "Language of the texts (en, cs, zh, ja, ko, th …), for all of them. auto takes it from a"
        " column 'language', the files' names or the texts.",
        panel="input", reach="nothing",
    )  # fmt: skip
    assets: Path | None = option(
        None,
        "A folder with x.txt beside every x.wav, .flac or .ogg: for recognisers, or with --got for"
        " transcripts that are there.",
        panel="input", reach="read", metavar="FOLDER", main=True,
    )  # fmt: skip
    recognizers: tuple[str, ...] = option(
        (),
        "Recognisers to run on the assets: moonshine, pocketsphinx, faster-whisper:FOLDER,"
        " vosk:FOLDER, deepgram, elevenlabs, openai:MODEL@URL, command:PROGRAM, module:Class. May"
        " be repeated.",
        panel="input", metavar="NAME,…", main=True, separator="",
        reach="command", harmless=("moonshine", "pocketsphinx"),
    )  # fmt: skip
    recognizer_key_env: Mapping[str, str] = option(
        {},
        "The environment variable of the key for a recogniser's host that is not the vendor's own."
        " May be repeated.",
        panel="input", reach="network", metavar="HOST=NAME", kept=False, advanced=True,
    )  # fmt: skip
    realtime_factor: float = option(
        0.0, "Pace of streaming: 1 as spoken, 0 as fast as the recogniser takes it.",
        panel="input", low=0, high=10, advanced=True,
    )  # fmt: skip
    timeout: float = option(
        30.0, "Seconds after which a try is given up, beside four times the sound's duration.",
        panel="input", low=1, kept=False, advanced=True,
    )  # fmt: skip
    tries: int = option(
        3, "Tries for each clip.", panel="input", low=1, high=10, kept=False, advanced=True
    )
    metrics: tuple[str, ...] = option(
        (),
        "Scores to compute, separated by commas: wer,cer,gist,alarms,sem_dist,ser. By default all"
        " that can be.",
        panel="scores", reach="nothing", main=True,
    )  # fmt: skip
    normalizer: str = option(
        "default",
        "What does not count as an error: default (case, punctuation, markup, hesitations, and how"
        " numbers, dates, money and short forms are written), whisper (Whisper's own rules), seed"
        " (case, punctuation, white space), none.",
        panel="scores", reach="nothing", metavar="default|whisper|seed|none",
    )  # fmt: skip
    numbers: str = option(
        "", "Retired: the default normaliser reads numbers, seed leaves them as they are.",
        panel="scores", reach="nothing", kept=False, advanced=True,
    )  # fmt: skip
    alternatives: Any = option(
        None,
        "Spellings that count as equal, one set per line: colour = color. In Python also the sets"
        " themselves.",
        panel="scores", reach="read", metavar="FILE", model=True, kept=False,
    )  # fmt: skip
    keywords: Any = option(
        None,
        "Words or phrases that must be heard, one per line: adds keyword_recall, keyword_precision"
        " and keyword_f1. In Python also the words themselves.",
        panel="scores", reach="read", metavar="FILE", model=True, kept=False,
    )  # fmt: skip
    segments: bool | None = option(
        None,
        "Take intervals over segments of the texts and not over clips. By default only when one"
        " text is all there is.",
        panel="statistics", advanced=True,
    )  # fmt: skip
    custom_metric: Any = option(
        "",
        "A metric of your own: an async function of (expected, got) that returns a"
        " CustomMetricResult.",
        panel="scores", reach="command", metavar="MODULE:FUNCTION", model=True, advanced=True,
    )  # fmt: skip
    llm: Any = option(
        "",
        "The language model that compares facts, or none; gemini is the one of the benchmark."
        " Naming one sends it the texts. Without it you are asked first, where GEMINI_API_KEY is"
        " set.",
        panel="models", reach="network", withheld=NO_MODEL, metavar="PROVIDER:MODEL", model=True,
    )  # fmt: skip
    facts: Literal["model", "embedded"] = option(
        "model",
        "Who lists the facts of ser: a language model, or embedded: clauses, judged by the embedded"
        " judge, offline and marked as such.",
        panel="models", reach="nothing",
    )  # fmt: skip
    llm_url: str = option(
        "", "Where the model is served, such as an OpenAI-compatible server of your own.",
        panel="models", reach="network", metavar="URL", kept=False,
    )  # fmt: skip
    llm_key_env: str = option(
        "",
        "The environment variable of the key for --llm-url. A server that is not the provider's own"
        " gets no key without it.",
        panel="models", reach="network", metavar="NAME", kept=False,
    )  # fmt: skip
    batch: bool = option(
        False,
        "Ask through the provider's batch interface (OpenAI and servers that have the same,"
        " Anthropic, Gemini): half the price, answers within a day. A stopped command goes on"
        " waiting when it is called again.",
        panel="models", kept=False,
    )  # fmt: skip
    repeats: int = option(
        1, "Ask this many times and take the median.", panel="models", low=1, high=100
    )
    verify: bool = option(
        False,
        "Ask a second time with the texts the other way round; disputed facts do not count.",
        panel="models",
    )  # fmt: skip
    occurrence: Literal["report", "strict"] = option(
        "report",
        "Facts that do not occur where the model says: only reported, or moved and dropped"
        " (strict).",
        panel="models",
    )  # fmt: skip
    estimate: bool = option(
        False, "Print how many calls, tokens, dollars and minutes it would take, and stop.",
        panel="models", kept=False,
    )  # fmt: skip
    max_cost: float | None = option(
        None,
        "Ask before spending more than this, or stop where nobody can be asked; a run that turns"
        " out to cost more than expected stops before it.",
        panel="models", low=0, metavar="DOLLARS", kept=False,
    )  # fmt: skip
    token_encoder: Any = option(
        "", "Another model for the semantic distance: a name or a folder.",
        panel="models", reach="model", model=True, advanced=True,
    )  # fmt: skip
    layer: int | None = option(
        None, "The layer of its token vectors.", panel="models", advanced=True
    )
    diffs: bool = option(
        True, "Write an HTML diff of every pair into the run's details.", panel="output"
    )

    def check(self) -> None:
        names = [name for text in self.recognizers for name in _names(text)]
        if self.recognizers and not names:
            raise InputError("recognizers names none; such as moonshine,pocketsphinx")
        object.__setattr__(self, "recognizers", tuple(dict.fromkeys(names)))
        if self.numbers:
            raise InputError(
                "--numbers is retired: --normalizer default reads numbers in words and in digits,"
                " --normalizer seed leaves them as they are"
            )
        if self.normalizer == "basic":
            raise InputError(
                "--normalizer basic is retired: use default, which also reads numbers, or whisper"
            )
        if self.normalizer not in NORMALIZERS:
            raise UnknownName("value of normalizer", self.normalizer, NORMALIZERS)
        if self.lines and self.whole:
            raise InputError("--lines and --whole contradict each other; give one")
        if self.from_file:
            from gistmeter.speech.consent import check_origins

            check_origins(self)

    @property
    def reading(self) -> str:
        """How files of transcripts are read."""
        return "lines" if self.lines else "whole" if self.whole else "auto"


def _names(text: str) -> list[str]:
    """Names separated by commas; a command line is one name, commas and all, to the end.

    >>> _names("moonshine,sh=command:say a,b")
    ['moonshine', 'sh=command:say a,b']
    """
    command = re.search(r"(?:^|,)\s*(?:[^,:=]+=)?command:", text)
    before, line = (text[: command.start()], text[command.start() :]) if command else (text, "")
    names = [*before.split(","), line.lstrip(",")]
    return [name.strip() for name in names if name.strip()]
