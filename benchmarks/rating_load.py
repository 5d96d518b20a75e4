"""Many raters at once, a server that is killed in between, and large runs on the page.

    python -m benchmarks rating_load [--raters N] [--labels N] [--seconds N] [--kills N] [--items N]

Raters ask and answer over HTTP as browsers do, each on a connection of their own, and send a form
again where no answer came. Afterwards every label that was acknowledged must be in `labels.jsonl`,
and none twice. A run of many items is then opened and filtered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import httpx
import numpy as np

from gistmeter import score_text

ROOT = Path(__file__).resolve().parents[1]
RUN = "runs/first"
HIDDEN = re.compile(r'type="hidden" name="(\w+)" value="([^"]*)"')


class Server:
    """`gistmeter open` on one port, started again after every kill."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gistmeter", "open", str(self.folder), "--no-browser",
             "--port", str(self.port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        assert self.process.stdout is not None
        found = (re.search(r"http://\S+\?token=\S+", line) for line in self.process.stdout)
        self.address = next(match[0] for match in found if match)
        self.base = self.address.split("/?", maxsplit=1)[0]
        self.port = int(self.base.rpartition(":")[2])

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()

    def kill(self) -> None:
        self.end()
        self.start()

    def visitor(self, address: str) -> httpx.Client:
        client = httpx.Client(base_url=self.base, headers={"origin": self.base}, timeout=60,
                              follow_redirects=True, trust_env=False)  # fmt: skip
        _patiently(lambda: client.get(address)).raise_for_status()
        return client


def _patiently(ask):  # type: ignore[no-untyped-def]
    end = time.monotonic() + 120
    while True:
        try:
            return ask()
        except httpx.TransportError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)


@dataclass
class Outcome:
    """What raters met."""

    acknowledged: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)  # from a form to the next thing to rate


def made_run(folder: Path, items: int) -> None:
    """A run of short texts of two systems, scored by shared words."""
    random = np.random.default_rng(1)
    words = np.array(["red", "blue", "house", "sea", "calm", "boat", "stone", "wind", "road"])
    texts = [" ".join(words[one]) for one in random.integers(0, 9, (items, 6))]
    kept = [" ".join(words[one]) for one in random.integers(0, 9, (items, 6))]
    numbered = [f"{text} {at}" for at, text in enumerate(texts)]
    score_text(
        {"a": numbered, "b": [f"{text} {at}" for at, text in enumerate(kept)]}, numbered,
        metrics=["f_beta"], language="en", resamples=50, output=folder / RUN,
    )  # fmt: skip


def rate_together(folder: Path, *, raters: int, labels: int, seconds: float, kills: int) -> Outcome:
    """Everybody rates their share, evenly over the time; the server is killed now and then."""
    server, outcome, lock = Server(folder), Outcome(), threading.Lock()
    share, pause = labels // raters, seconds * raters / labels
    with contextlib.ExitStack() as stack:
        stack.callback(server.end)
        owner = stack.enter_context(contextlib.closing(server.visitor(server.address)))
        asked = {"kind": "scale", "low": "1", "high": "5", "design": "uniform",
                 "question": "", "size": str(2 * share)}  # fmt: skip
        page = owner.post(f"/labels/{RUN}", data=asked)
        found = re.search(r'value="(http[^"]+token=[^"]+)"', page.text)
        assert found, page.text
        link = unescape(found[1])

        def rate(name: str, client: httpx.Client) -> None:
            _patiently(lambda: client.post("/who", data={"who": name}))
            page = _patiently(lambda: client.get(f"/rate/{RUN}"))
            for number in range(share):
                form = dict(HIDDEN.findall(page.text[page.text.index('class="decide"') :]))
                sent = {**form, "rating": str(1 + number % 5)}
                began = time.monotonic()
                page = _patiently(lambda sent=sent: client.post(f"/rate/{RUN}", data=sent))
                page.raise_for_status()
                took = time.monotonic() - began
                with lock:
                    outcome.seconds.append(took)
                    outcome.acknowledged.add(form["id"])
                time.sleep(max(0.0, pause - took))

        named = [
            (f"rater {at}", stack.enter_context(contextlib.closing(server.visitor(link))))
            for at in range(raters)
        ]
        threads = [threading.Thread(target=rate, args=one) for one in named]
        for thread in threads:
            thread.start()
        for at in range(1, kills + 1):
            wanted = labels * at // (kills + 1)
            while len(outcome.acknowledged) < wanted and any(
                map(threading.Thread.is_alive, threads)
            ):
                time.sleep(0.02)
            server.kill()
        for thread in threads:
            thread.join()
    return outcome


def kept(folder: Path) -> list[str]:
    """The identifiers of the labels that were kept."""
    lines = (folder / "labels.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines]


def views(folder: Path) -> list[tuple[str, float]]:
    """Seconds to the first page, a run's result, its items, and filters of them."""
    server, found = Server(folder), []
    with contextlib.ExitStack() as stack:
        stack.callback(server.end)
        client = stack.enter_context(contextlib.closing(server.visitor(server.address)))
        for place in ("/", f"/result/{RUN}", f"/items/{RUN}", f"/items/{RUN}?words=boat",
                      f"/items/{RUN}?words=f_beta<0.5&sort=f_beta", f"/review/{RUN}"):  # fmt: skip
            for round_ in ("first", "again"):
                began = time.monotonic()
                client.get(place).raise_for_status()
                found.append((f"{place} ({round_})", time.monotonic() - began))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--labels", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--items", type=int, default=100_000, help="of two systems each")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        made_run(Path(place), 1000)
        told = rate_together(Path(place), raters=given.raters, labels=given.labels,
                             seconds=given.seconds, kills=given.kills)  # fmt: skip
        ids = kept(Path(place))
        lost = len(told.acknowledged - set(ids))
        print(f"{len(ids)} labels, {lost} lost, {len(ids) - len(set(ids))} twice;"
              f" p50 {1000 * np.percentile(told.seconds, 50):.0f} ms,"
              f" p95 {1000 * np.percentile(told.seconds, 95):.0f} ms")  # fmt: skip
    if given.items:
        with tempfile.TemporaryDirectory() as place:
            made_run(Path(place), given.items)
            for view, seconds in views(Path(place)):
                print(f"{view}: {seconds:.2f} s", flush=True)
