"""What a partial S_Acc is worth beside one of its own parts.

Spearman's rho with people's judgements of sentence pairs (development sets of the STS benchmarks),
of S_Acc without its cross-encoder and of the part that agrees best alone, with the models that come
along. `benchmarks/validity.py --only sts` measures them ("s_acc before", "cosine"); here alone they
stand. A language that is not here was not measured, and that is what is said of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gistmeter.core.wording import listed
from gistmeter.languages import name_of

if TYPE_CHECKING:
    from gistmeter.core.run import Run


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement with people on so many pairs: of a partial S_Acc, and of its best part."""

    pairs: int
    whole: float
    part: float
    name: str = "sts"


MEASURED = {
    "en": Agreement(1500, 0.846, 0.872),
    "zh": Agreement(1500, 0.789, 0.827),
    "ru": Agreement(1500, 0.799, 0.823),
    "ko": Agreement(1500, 0.790, 0.807),
}


BLIND = "Neither sees a negation; the judge does (leave out --no-judge)."


def caution(run: Run) -> str:
    """Said of an S_Acc that lacks its cross-encoder and nothing else, made as it was measured."""
    partial = {
        held.scores["s_acc"].partial for held in run.systems.values() if "s_acc" in held.scores
    }
    settings = run.settings
    chosen = any(settings.get(role) for role in ("embedder", "token_encoder", "cross_encoder"))
    if partial != {("cross_encoder",)} or settings.get("profile") != "embedded" or chosen:
        return ""
    known = [code for code in _languages(run) if code.partition("-")[0] in MEASURED]
    if not known:
        return (
            "S_Acc* has no cross-encoder here. How it then agrees with people was not measured in "
            f"this language; in {listed([name_of(code) for code in MEASURED])} its part sts alone "
            f"agreed more. Look at sts too. {BLIND}"
        )
    told = []
    for code in known:
        found = MEASURED[code.partition("-")[0]]
        told.append(
            f"on {found.pairs:,} {name_of(code)} sentence pairs rho was {found.whole:.3f}, and "
            f"{found.part:.3f} of {found.name}"
        )
    return (
        "S_Acc* without its cross-encoder agreed with people less than one of its parts alone: "
        f"{'; '.join(told)}. Look at {MEASURED[known[0].partition('-')[0]].name} too. {BLIND}"
    )


def _languages(run: Run) -> list[str]:
    held = run.rows.texts.get("language") if run.rows is not None else None
    if held:
        return sorted({code for code in held if code})
    given = run.settings.get("language")
    return [given] if isinstance(given, str) else list(given or ())
