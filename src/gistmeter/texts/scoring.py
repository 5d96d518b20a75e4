"""`score_text`: candidates and references in, a run with intervals out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gistmeter import languages
from gistmeter.cache import Cache
from gistmeter.errors import InputError
from gistmeter.formats.references import clean
from gistmeter.metrics.consistency import HAS_ORIGINAL, is_original
from gistmeter.metrics.reading import count_readings
from gistmeter.metrics.references import Aggregate
from gistmeter.models.protocols import CrossEncoder, Embedder, EntailmentModel, TokenMatcher
from gistmeter.rows import Rows
from gistmeter.texts.choice import (
    TextModels,
    TextSettings,
    build_metrics,
    language_readers,
    makers_of,
    possible_metrics,
    roles_for,
)
from gistmeter.types import Pair, Run

CHUNK = 512  # pairs that fit in one block of the matcher, so that no text is encoded twice in it


def score_text(
    candidates: Sequence[str | None],
    references: Sequence[str | Sequence[str]],
    *,
    language: str = "",
    metrics: Sequence[str] | None = None,
    aggregate: Aggregate = "max",
    ids: Sequence[str] | None = None,
    systems: Sequence[str] | str = "system",
    arrangements: Sequence[str] | str = "",
    structures: Sequence[str] | None = None,
    recovered: Sequence[str] | None = None,
    profile: str = "embedded",
    models: Mapping[str, Any] | None = None,
    settings: TextSettings | None = None,
    cache: Cache | None = None,
    **options: Any,
) -> Run:
    """Score candidates against their references, each one text or several.

    `metrics` are scores by name, by default all that can be had; `models` name a model for a role
    (embedder, matcher, cross_encoder, nli), or are one, where the profile's is not wanted;
    `options` go to `evaluate` (seed, resamples, confidence). Without `language` it is found from
    the references.

    >>> run = score_text(["坚持做一件事就会成功"], ["只要有恒心，事情就能成功"], language="zh",
    ...                  metrics=["s_info"])
    >>> run["s_info"].value > 0, run["s_info"].n
    (True, 1)
    """
    from gistmeter.evaluate import evaluate

    chosen = replace(settings or TextSettings(), aggregate=aggregate)
    pairs = make_pairs(
        candidates, references, language=language, ids=ids, systems=systems,
        arrangements=arrangements, structures=structures, recovered=recovered,
    )  # fmt: skip
    names = None if metrics is None else makers_of(metrics)
    store = cache if cache is not None else Cache(None)
    loaded = _models(roles_for(names, chosen), profile, models or {}, pairs[0].language, store)
    names = possible_metrics(pairs, nli=loaded.nli is not None) if names is None else names
    built = build_metrics(names, loaded, language_readers(pairs, chosen, store), chosen)
    return evaluate(pairs, built, command="text", chunk=CHUNK, notes=text_notes, **options)


@dataclass(frozen=True, slots=True)
class _GivenModels:
    """Models by role, some of them the caller's own."""

    embedder: Embedder | None = None
    matcher: TokenMatcher | None = None
    cross_encoder: CrossEncoder | None = None
    nli: EntailmentModel | None = None
    absent: Mapping[str, str] = field(default_factory=dict)


def _models(
    roles: Sequence[str], profile: str, given: Mapping[str, Any], language: str, cache: Cache
) -> TextModels:
    from gistmeter.models.loading import load_models

    own = {role: model for role, model in given.items() if not isinstance(model, str)}
    names = {role: name for role, name in given.items() if isinstance(name, str)}
    wanted = [role for role in roles if role not in own]
    loaded = load_models(wanted, profile=profile, names=names, language=language, cache=cache)
    found = {role: getattr(loaded, role) for role in wanted}
    return _GivenModels(**found, **own, absent=loaded.absent)


def text_notes(rows: Rows) -> dict[str, Any]:
    """What a run of texts adds to its notes: readings, and texts that a model did not see whole."""
    notes: dict[str, Any] = {}
    if any(rows.texts.get("reading", [])):
        notes["readings"] = count_readings(rows)
    if "unseen" in rows and (cut := int((rows.values("unseen") > 0).sum())):
        notes["truncated"] = cut
    return notes


def make_pairs(
    candidates: Sequence[str | None],
    references: Sequence[str | Sequence[str]],
    *,
    language: str = "",
    ids: Sequence[str] | None = None,
    systems: Sequence[str] | str = "system",
    arrangements: Sequence[str] | str = "",
    structures: Sequence[str] | None = None,
    recovered: Sequence[str] | None = None,
) -> list[Pair]:
    """Pairs from parallel lists; a list of another length is an error."""
    count = len(candidates)
    if isinstance(candidates, str) or isinstance(references, str):
        raise InputError("Candidates and references are lists, not single texts")
    if not count:
        raise InputError("There is nothing to score: no candidates were given")
    told = [(one,) if isinstance(one, str) else tuple(one) for one in references]
    cleaned = [tuple(dict.fromkeys(filter(None, map(clean, own)))) for own in told]
    columns = {
        "ids": ids or [str(number) for number in range(1, count + 1)],
        "systems": [systems] * count if isinstance(systems, str) else systems,
        "arrangements": [arrangements] * count if isinstance(arrangements, str) else arrangements,
        "structures": structures or [""] * count,
        "recovered": recovered or [""] * count,
    }
    for name, column in {"references": cleaned, **columns}.items():
        if len(column) != count:
            raise InputError(f"There are {count} candidates and {len(column)} {name}")
    code = language or languages.detect([text for own in cleaned for text in own]).code
    originals = {
        system
        for system, arrangement in zip(columns["systems"], columns["arrangements"], strict=True)
        if is_original(arrangement)
    }
    pairs = []
    told_of: set[str] = set()
    for at, candidate in enumerate(candidates):
        system = columns["systems"][at]
        fields = {"structure": columns["structures"][at], "recovered": columns["recovered"][at]}
        if system in originals or system not in told_of:
            fields[HAS_ORIGINAL] = "yes" if system in originals else "no"
        told_of.add(system)
        pairs.append(
            Pair(
                id=columns["ids"][at],
                candidate=clean(candidate) or None if candidate else None,
                references=cleaned[at],
                system=system,
                arrangement=columns["arrangements"][at],
                language=code,
                fields={name: value for name, value in fields.items() if value},
            )
        )
    return pairs
