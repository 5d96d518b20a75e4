"""`python -m training`: train the judge. `python -m training.export` writes the shipped file."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from training.run import Run, Settings


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="the data folder (holds train/, sts/, nli/)"
    )
    parser.add_argument("--folder", type=Path, required=True, help="checkpoints and log go here")
    parser.add_argument(
        "--minutes", type=float, default=180, help="time to train; the schedule follows it"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parser.add_argument("--start", type=Path, help="begin from this checkpoint's parameters")
    parser.add_argument(
        "--readings", type=Path, help="keep what the frozen model read in this file"
    )
    parser.add_argument(
        "--shares", type=float, default=1.0, help="fraction of the data a pass draws"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes; 1 is exactly repeatable")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--bfloat16", action="store_true", help="products in bfloat16")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    settings = Settings(
        given.data,
        given.folder,
        given.minutes,
        start=given.start,
        readings=given.readings,
        rate=given.rate,
        seed=given.seed,
        shares=given.shares,
        workers=given.workers,
        bfloat16=given.bfloat16,
    )
    Run(settings, resume=given.resume).train()


if __name__ == "__main__":
    main()
