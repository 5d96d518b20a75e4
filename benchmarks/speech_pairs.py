"""Do alarms and gist tell transcripts that harm from harmless ones?

    python -m benchmarks speech_pairs           # alarms: seconds
    python -m benchmarks speech_pairs --gist    # and the area under the curve of gist: minutes
    python -m benchmarks speech_pairs --set pairs    # on the older set, which is spent

60 harmless and 60 harmful transcripts in each of nine languages (benchmarks/data/speech_fresh),
which nothing is fitted on and no rule was changed with. `found` is the share of the harmful with an
alarm, `false` that of the harmless; intervals are Wilson's of 95%, for AUC those of a bootstrap
over what was said.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gistmeter.speech.metrics.misheard import transcript_alarms

FOLDER = Path(__file__).parent / "data"
SETS = {"fresh": "speech_fresh", "pairs": "speech_pairs"}
LANGUAGES = ("en", "cs", "zh", "ja", "ko", "ru", "fr", "de", "es")
LEAST_FOUND, MOST_FALSE, LEAST_AUC = 0.70, 0.05, 0.90
RESAMPLES = 1000


class SpeechPair(NamedTuple):
    expected: str
    got: str
    harmful: bool


def read_pairs(language: str, name: str = "fresh") -> list[SpeechPair]:
    with (FOLDER / SETS[name] / f"{language}.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [SpeechPair(row["expected"], row["got"], row["harm"] == "1") for row in rows]


def wilson(hits: int, total: int) -> str:
    """A share with its interval."""
    share, z = hits / total, 1.959964
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    half = spread / (1 + z * z / total)
    return f"{share:5.1%} ({middle - half:5.1%} – {middle + half:5.1%})"


def auc(scores: np.ndarray, harmful: np.ndarray) -> float:
    """The chance that a harmless transcript scores above a harmful one."""
    good, bad = scores[~harmful], scores[harmful]
    above = (good[:, None] > bad[None, :]).mean() + (good[:, None] == bad[None, :]).mean() / 2
    return float(above)


def gist_auc(pairs: Sequence[SpeechPair], language: str) -> str:
    from gistmeter import score_speech

    texts = [pair.expected for pair in pairs], [pair.got for pair in pairs]
    run = score_speech(*texts, language=language, metrics=["gist"])
    scores = np.nan_to_num(run.measured.values("gist"))
    harmful = np.asarray([pair.harmful for pair in pairs])
    said = np.unique([pair.expected for pair in pairs], return_inverse=True)[1]
    random = np.random.default_rng(0)
    drawn = []
    for _ in range(RESAMPLES):
        texts = random.integers(0, said.max() + 1, said.max() + 1)
        at = np.concatenate([np.flatnonzero(said == text) for text in texts])
        drawn.append(auc(scores[at], harmful[at]))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{auc(scores, harmful):.3f} ({low:.3f} – {high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--gist", action="store_true", help="also gist's area under the curve")
    parser.add_argument("--set", choices=SETS, default="fresh", dest="name")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    chosen = parser.parse_args()
    print(f"{'':4}{'harmful found':26}{'false on harmless':26}{'AUC of gist' * chosen.gist}")
    for language in chosen.languages.split(","):
        pairs = read_pairs(language, chosen.name)
        counts = {True: 0, False: 0}
        for pair in pairs:
            counts[pair.harmful] += bool(transcript_alarms(pair.expected, pair.got, language))
        size = {harm: sum(pair.harmful is harm for pair in pairs) for harm in counts}
        line = f"{language:4}{wilson(counts[True], size[True]):26}"
        line += f"{wilson(counts[False], size[False]):26}"
        print(line + (gist_auc(pairs, language) if chosen.gist else ""), flush=True)
    print(f"goals: found ≥ {LEAST_FOUND:.0%}, false ≤ {MOST_FALSE:.0%}, AUC ≥ {LEAST_AUC}")


if __name__ == "__main__":
    main()
