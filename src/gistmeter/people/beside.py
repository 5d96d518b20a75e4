"""People's judgements beside a run's rows, from a table or from `labels.jsonl`."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gistmeter.core.errors import InputError
from gistmeter.core.rows import Floats
from gistmeter.people.item_keys import item_keys, said_of
from gistmeter.people.validation.labels import Labels, read_labels

if TYPE_CHECKING:
    from gistmeter.core.run import Run

logger = logging.getLogger(__name__)


def human_labels(
    run: Run, table: Path | None = None, columns: Mapping[str, str] | None = None
) -> Labels:
    """The judgements in a table, else those that the run's folders have."""
    if table is not None:
        return read_labels(table, run.measured, columns)
    content = said_of(run)
    for line in content.damaged:
        logger.warning("%s", line)
    places: dict[str, list[int]] = {}
    for at, key in enumerate(item_keys(run)):
        if key:
            places.setdefault(key, []).append(at)
    given = [label for label in content.labels if label.kind != "which"]
    known = [label for label in given if label.item in places]
    if not known:
        raise InputError(
            "No label of this run's texts is kept in labels.jsonl here. Give a table with --human "
            "FILE, or draw a sample for people: gistmeter label RUN"
        )
    scales = {label.scale for label in known}
    size = len(run.measured)
    apart: dict[str, Floats] = {}
    for label in known:
        row = apart.setdefault(label.rater, np.full(size, math.nan))
        row[places[label.item]] = label.value if len(scales) == 1 else label.share
    table_of_all = np.array(list(apart.values()))
    counts = np.count_nonzero(~np.isnan(table_of_all), axis=0)
    sums = np.nansum(table_of_all, axis=0)
    judged = [label.item for label in known]
    return Labels(
        np.where(counts > 0, sums / np.maximum(counts, 1), math.nan),
        binary=all(label.kind == "yes_no" for label in known),
        unmatched=len(given) - len(known),
        repeated=len(judged) - len(set(judged)),
        annotators=apart if len(apart) > 1 else {},
        named=True,
    )
