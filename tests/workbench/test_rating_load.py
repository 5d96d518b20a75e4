"""Several raters at once, and a server that is killed: no label is lost, none is kept twice."""

from __future__ import annotations

from pathlib import Path

from benchmarks.rating_load import kept, made_run, rate_together


def test_no_label_is_lost_and_none_is_kept_twice(tmp_path: Path) -> None:
    made_run(tmp_path, 60)
    outcome = rate_together(tmp_path, raters=4, labels=80, seconds=4, kills=2)
    ids = kept(tmp_path)
    assert len(ids) == len(set(ids)) == len(outcome.acknowledged) == 80
    assert set(ids) == outcome.acknowledged
