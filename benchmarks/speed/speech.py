"""Word and character error rates of seven systems' transcripts, against jiwer.

Transcripts of 11 earnings calls, 96,681 reference words. Ours also normalises, aligns, keeps the
differences and gives intervals; jiwer gets the texts normalised.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Goal, Megabytes, Work, fresh, need, run_command, shared

DATA = "data/speech/earnings21_eval10"
SYSTEMS = (
    "amazon", "google", "kaldi_librispeech", "microsoft", "rev_espnet", "rev_kaldi", "speechmatics",
)  # fmt: skip


def lines(name: str) -> dict[str, str]:
    text = shared(f"{DATA}/{name}.txt").read_text("utf-8")
    return dict(line.split("\t", 1) for line in text.splitlines())


def rates(folder: Path) -> Iterator[Work]:
    del folder
    need("jiwer")
    import jiwer

    from gistmeter.core.types import Clip
    from gistmeter.languages import get
    from gistmeter.speech.metrics.normalizer import Normalisation
    from gistmeter.speech.metrics.rates import ErrorRates

    said = lines("ref")
    heard = {system: lines(system) for system in SYSTEMS}
    metric = ErrorRates(Normalisation(get("en")))
    plain = metric.normalisation.normalise
    clips = [
        Clip(key, said[key], text, system)
        for system, texts in heard.items()
        for key, text in texts.items()
    ]
    pairs = {
        system: ([plain(said[key]) for key in said], [plain(texts[key]) for key in said])
        for system, texts in heard.items()
    }
    theirs: dict[str, tuple[float, float]] = {}

    def ours() -> float:
        """The largest difference from jiwer's rates, in percent."""
        parts = metric.measure(clips).by("system")
        found = {name: metric.pool(part) for name, part in parts.items()}
        return max(
            (
                max(abs(found[name]["wer"] - 100 * wer), abs(found[name]["cer"] - 100 * cer))
                for name, (wer, cer) in theirs.items()
            ),
            default=0.0,
        )

    def jiwers() -> None:
        for name, texts in pairs.items():
            theirs[name] = (jiwer.wer(*texts), jiwer.cer(*texts))

    yield Work(
        "WER and CER of 77 transcripts", fresh(ours), fresh(jiwers), "jiwer",
        goals=(Goal("value", 1e-9),), rounds=3,
    )  # fmt: skip


def command(folder: Path) -> Iterator[Work]:
    data = shared(DATA)
    got = [part for name in SYSTEMS for part in ("--got", str(data / f"{name}.txt"))]

    def ours() -> Megabytes:
        return Megabytes(run_command(
            folder, "speech", "--expected", str(data / "ref.txt"), *got, "--metrics", "wer,cer",
            "-o", "run", "--overwrite", GISTMETER_CACHE_DIR=str(folder / "cache"),
        ))  # fmt: skip

    yield Work(
        "gistmeter speech, seven systems, intervals and report", fresh(ours),
        goals=(Goal("seconds", 20),), rounds=2, warm=False,
    )  # fmt: skip


PARTS = (rates, command)
