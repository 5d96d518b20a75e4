"""What a cluster of 10 to 1,000 workers would take: measured block times, replayed.

    python benchmarks/cluster_simulation.py --measure blocks.json  # measure on this machine
    python benchmarks/cluster_simulation.py [blocks.json]          # replay (default: those kept)

Measured on one core are: what a worker needs until it can work, how long blocks of pairs take it
(measuring, writing the shard, tallying it with 1,000 resamples), and what the one driver does for
each block: journal it, add its tally to the others, and in the end put its shard behind the others
into one file. The replay hands blocks to workers as they become free (greedy list scheduling),
through a driver that is one queue, and draws every block's time from those measured. It says how
long the run takes, how busy workers and driver are, and what the first bottleneck is.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # a worker has one processor

import numpy as np

KEPT = Path(__file__).parent / "data" / "cluster_blocks.json"
PAIRS = 100_000_000
RESAMPLES = 1000
BLOCK = 16_384  # pairs: a stretch of `families.text.streaming`
WORKERS = (10, 30, 100, 300, 1000)
TASK_SECONDS = 0.012  # that one Ray task costs the driver beyond our own work: an assumption
WORDS = (
    "the cat sat on a mat while heavy rain fell over the old town and nobody came to the door "
    "because the bridge was closed since early morning after the storm had broken three trees"
)
SETS = {
    "lexical": {"metrics": ["s_info", "lexical_cosine"]},
    "embedded models": {"metrics": ["s_acc", "s_info"]},
}


def clock(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time, which a busy machine does not lengthen."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def made_pairs(count: int, start: int) -> list[Any]:
    from gistmeter.core.types import Pair

    random = np.random.default_rng(start)
    words = WORDS.split()
    text = lambda: " ".join(random.choice(words, random.integers(8, 24)))  # noqa: E731
    return [
        Pair(id=str(start + at), candidate=text(), references=(text(),), language="en")
        for at in range(count)
    ]


def measure(blocks: int, size: int) -> dict[str, Any]:
    from gistmeter.core.cache import Cache
    from gistmeter.core.engines import Part, Work
    from gistmeter.core.evaluation import Tallying
    from gistmeter.core.family import Context, Items
    from gistmeter.core.runs import Plan, RunFolder
    from gistmeter.core.runs.shards import join_shards
    from gistmeter.core.statistics import Tally
    from gistmeter.core.wiring import build
    from gistmeter.text.family import Text, TextSettings

    family, found = Text(), {}
    for name, options in SETS.items():
        settings = TextSettings(language="en", **options)
        items = made_pairs(size * blocks, 0)
        context = Context(Cache(None), hear=lambda *_: None)
        metrics = build(family, Items(items), settings, context)
        work = Work(metrics, family.base, chunk=family.chunk)
        loading, _ = clock(lambda work=work: work(Part(0, made_pairs(16, 10**9))))
        seconds, parts, shard_bytes = [], [], []
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan("text", {}, "signature", {}, len(items))
            kept = RunFolder.start(Path(folder, "run"), plan)
            shelved = Work(metrics, family.base, kept.shelf, family.chunk)
            for at in range(0, len(items), size):
                part = Part(at, items[at : at + size])
                took, shard = clock(lambda part=part, shelved=shelved: shelved(part))
                seconds.append(took / size)
                parts.append(shard)
                shard_bytes.append((Path(folder, "run", "shards") / shard.name).stat().st_size)
            journal, _ = clock(lambda kept=kept, parts=parts: [kept.add(one) for one in parts])
            tallying = Tallying(kept.path, metrics, family.count, RESAMPLES, 1, 1e-4)
            tallied = [clock(lambda one=one, do=tallying: do(one)) for one in parts]
            whole = Tally()
            adding, _ = clock(lambda w=whole, t=tallied: [w.add(one[1]) for _, one in t])
            shards = [kept.path / "shards" / one.name for one in parts]
            join, _ = clock(lambda shards=shards, to=kept.path: join_shards(shards, to / "items"))
            numbers = len(parts[0].read(kept.path).numbers)
        found[name] = {
            "load_seconds": loading,
            "pair_seconds": seconds,  # of each block, by pair
            "shard_bytes_by_pair": float(np.mean(shard_bytes)) / size,
            "journal_seconds_by_block": journal / len(parts),
            "tally_seconds_by_pair": sum(took for took, _ in tallied) / len(items),
            "add_seconds_by_block": adding / len(parts),
            "join_seconds_by_pair": join / len(items),
            "numbers": numbers,
        }
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"machine": machine, "block_pairs": size, "sets": found}


def replay(held: dict[str, Any], pairs: int, workers: int, seed: int = 7) -> dict[str, float]:
    """Blocks on workers, handed out by one driver; their times are drawn from those measured."""
    random = np.random.default_rng(seed)
    blocks = -(-pairs // BLOCK)
    # A block is as many small ones as it has room for: their times add up.
    small = (np.asarray(held["pair_seconds"]) + held["tally_seconds_by_pair"]) * BLOCK
    times = random.choice(small, (blocks, 16)).mean(axis=1)
    # A block is two tasks: to measure it, and to tally it.
    handing = 2 * TASK_SECONDS + held["journal_seconds_by_block"] + held["add_seconds_by_block"]
    free = [held["load_seconds"]] * workers
    heapq.heapify(free)
    driver = busy = 0.0
    for took in times.tolist():
        start = max(heapq.heappop(free), driver)
        driver = start + handing
        busy += took
        heapq.heappush(free, start + took)
    measured = max(free)
    rest = pairs * held["join_seconds_by_pair"]
    return {
        "workers": workers,
        "measured_hours": measured / 3600,
        "driver_hours": rest / 3600,
        "hours": (measured + rest) / 3600,
        "busy": busy / (workers * (measured + rest)),
    }


def show(document: dict[str, Any], pairs: int) -> None:
    print(f"{pairs:,} pairs in blocks of {BLOCK:,}; {document['machine']}")
    for name, held in document["sets"].items():
        by_pair = np.asarray(held["pair_seconds"])
        print(
            f"\n{name}: {1 / by_pair.mean():,.0f} pairs/s on a core, "
            f"shards {held['shard_bytes_by_pair']:.0f} bytes a pair, "
            f"{pairs * held['shard_bytes_by_pair'] / 1e9:.1f} GB"
        )
        print("| workers | workers done (h) | driver at the end (h) | all (h) | workers busy |")
        print("|---|---|---|---|---|")
        for workers in WORKERS:
            got = replay(held, pairs, workers)
            print(
                f"| {workers:,} | {got['measured_hours']:.2f} | {got['driver_hours']:.2f} | "
                f"{got['hours']:.2f} | {got['busy']:.0%} |"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("blocks", nargs="?", type=Path, default=KEPT)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--number", type=int, default=12, help="blocks to measure")
    parser.add_argument("--size", type=int, default=256, help="pairs of a measured block")
    given = parser.parse_args()
    if given.measure:
        given.blocks.write_text(json.dumps(measure(given.number, given.size), indent=1) + "\n")
    show(json.loads(given.blocks.read_text()), given.pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
