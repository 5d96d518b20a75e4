"""The training loop: a budget of minutes, a learning rate that falls with the time used.

Other work may share the machine, so the schedule counts time and not steps: the run warms up,
decays to zero and stops when its minutes are used. Each worker is a process with one thread; all
train the same parameters in shared memory, each on a batch of its own (as in Hogwild, but steps
take turns), so that none waits for another that was put aside. One worker is exactly repeatable,
several are not. A checkpoint every few minutes holds all that is needed to go on (`--resume`, with
further minutes and a schedule of its own); parameters alone are kept every ten minutes, to compare
and to average.
"""

from __future__ import annotations

import json
import logging
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import multiprocessing

from training import checkpoint, corpus, losses
from training.network import Judge
from training.readings import Readings, written_texts
from training.rows import Group

logger = logging.getLogger("training")
WARM_UP = 0.03
CHECKPOINT_SECONDS = 150.0
KEPT_SECONDS = 600.0
REPORT_BATCHES = 50


@dataclass(frozen=True, slots=True)
class Settings:
    data: Path
    folder: Path
    minutes: float
    start: Path | None = None  # a checkpoint to begin from; the embedded weights otherwise
    readings: Path | None = None  # where to keep what the frozen model read; nowhere otherwise
    rate: float = 1.5e-4
    head_rate: float = 5e-4
    seed: int = 7
    shares: float = 1.0
    workers: int = 2
    bfloat16: bool = False  # products in bfloat16: two thirds faster where the processor has them


class Run:
    """A network in training and where it stands; workers are forks of it."""

    def __init__(self, settings: Settings, *, resume: bool = False) -> None:
        torch.manual_seed(settings.seed)
        torch.set_num_threads(1)
        settings.folder.mkdir(parents=True, exist_ok=True)
        weights = checkpoint.embedded_weights()
        self.settings = settings
        self.network = Judge(weights)
        if settings.start:
            self.network.load_state_dict(checkpoint.read(settings.start))
        self.tokens = corpus.Tokens(weights)
        self.readings = None
        if settings.readings:
            self.readings = Readings(settings.readings, self.tokens, written_texts())
        self.optimizer = make_optimizer(self.network, settings)
        self.state = {"pass": 0, "batch": 0, "pairs": 0}
        if resume:
            self.state = self.load()
        self.share()
        self.note(event="start", resume=resume, **{k: str(v) for k, v in asdict(settings).items()})

    def share(self) -> None:
        """Parameters and moments in memory that all workers see."""
        self.network.share_memory()
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                held = self.optimizer.state[parameter]
                held.setdefault("step", torch.tensor(0.0))
                held.setdefault("exp_avg", torch.zeros_like(parameter))
                held.setdefault("exp_avg_sq", torch.zeros_like(parameter))
                for value in held.values():
                    value.share_memory_()

    def train(self) -> None:
        context = multiprocessing.get_context("fork")
        self.lock = context.Lock()
        self.counters = context.Array("l", [self.state[name] for name in ("batch", "pairs")])
        self.started = time.monotonic()
        while self.share_used() < 1:
            seed = self.settings.seed + 1000 * self.state["pass"]
            made = corpus.build(
                self.settings.data / "train",
                seed,
                self.settings.shares,
            )
            plan = corpus.batches(made, self.tokens, seed)
            count = sum(len(group.rows) for batch in plan for group in batch)
            self.note(event="pass", number=self.state["pass"], batches=len(plan), pairs=count)
            if self.state == {"pass": 0, "batch": 0, "pairs": 0}:
                self.started = time.monotonic()  # the first pass is prepared on nobody's time
            others = [
                context.Process(target=self.work, args=(plan, rank))
                for rank in range(1, self.settings.workers)
            ]
            for other in others:
                other.start()
            self.work(plan, 0)
            for other in others:
                other.join()
            self.state |= {"batch": self.counters[0], "pairs": self.counters[1]}
            if self.state["batch"] >= len(plan):
                self.state |= {"pass": self.state["pass"] + 1, "batch": 0}
                self.counters[0] = 0
        self.save()
        self.keep(self.state["pairs"])

    def share_used(self) -> float:
        return (time.monotonic() - self.started) / (self.settings.minutes * 60)

    def work(self, plan: list[list[Group]], rank: int) -> None:
        """Take batches until none is left or the time is used."""
        torch.set_num_threads(1)
        means: dict[str, float] = {}
        saved, done = time.monotonic(), 0
        kept = saved
        while (used := self.share_used()) < 1:
            with self.counters.get_lock():
                at = self.counters[0]
                if at >= len(plan):
                    return
                self.counters[0] = at + 1
            batch = corpus.assemble(plan[at], self.tokens)
            if self.readings:
                batch.inputs["read"] = self.readings.embed(self.network, batch.inputs)
            with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.bfloat16):
                outputs = self.network(batch.inputs)
            loss, parts = losses.total(outputs.float(), batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            with self.lock:
                self.step(rate_factor(used))
            with self.counters.get_lock():
                self.counters[1] += len(batch.inputs["label"])
            done += 1
            for name, part in parts.items():
                means[name] = 0.97 * means.get(name, part) + 0.03 * part
            if rank:
                continue
            if done % REPORT_BATCHES == 0:
                self.note(event="step", used=used, batch=at, pairs=self.counters[1], **means)
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                saved = time.monotonic()
                self.state |= {"batch": self.counters[0], "pairs": self.counters[1]}
                with self.lock:
                    self.save()
            if time.monotonic() - kept > KEPT_SECONDS:
                kept = time.monotonic()
                with self.lock:
                    self.keep(self.counters[1])

    def step(self, factor: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * factor
        self.optimizer.step()
        self.optimizer.zero_grad()

    def keep(self, pairs: int) -> None:
        """The parameters as they are now, in a file of their own."""
        path = self.settings.folder / f"at-{pairs:07d}.safetensors"
        checkpoint.write(self.network.state_dict(), path, {"pairs": str(pairs)})

    def note(self, **values: Any) -> None:
        with (self.settings.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(values) + "\n")
        short = (f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())
        logger.info(" ".join(short))

    def save(self) -> None:
        path = self.settings.folder / "checkpoint.pt"
        whole = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "state": dict(self.state),
        }
        torch.save(whole, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def load(self) -> dict[str, int]:
        whole = torch.load(self.settings.folder / "checkpoint.pt", weights_only=True)
        self.network.load_state_dict(whole["network"])
        self.optimizer.load_state_dict(whole["optimizer"])
        return {name: whole["state"][name] for name in ("pass", "batch", "pairs")}


def make_optimizer(network: Judge, settings: Settings) -> torch.optim.Optimizer:
    body = list(network.layers.parameters())
    known = {id(parameter) for parameter in body}
    heads = [one for one in network.parameters() if id(one) not in known]
    groups = [
        {"params": body, "lr": settings.rate, "peak": settings.rate},
        {"params": heads, "lr": settings.head_rate, "peak": settings.head_rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98), fused=True)


def rate_factor(share: float) -> float:
    """1 after the warm-up, falling to 0 when the time is used."""
    return min(1.0, share / WARM_UP) * max(0.0, 1.0 - share)
