"""Runs that somebody forged: documents with values exchanged, missing or nested, sealed again."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars

from gistmeter.core.signature import SEAL, seal

NONSENSE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.7, -0.0, 1e308, -1e308, 10**30, -(10**30), 10**400, 2**63,
    float("nan"), float("inf"), "", "x", "wer", "🜁\u202e\x00", "../../etc/passwd", "x" * 5000,
    [], [[]], [None], [1, "a"], {}, {"": None}, {"value": 3}, {"x": {"y": [{}]}},
    json.loads("[" * 300 + "]" * 300),
)  # fmt: skip


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to everything in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        yield (*here, key)
        if isinstance(one, dict | list):
            yield from places(one, (*here, key))


def mutate(document: Any, draw: random.Random, under: tuple[Any, ...] = ()) -> Any:
    """A copy in which one to three things are exchanged, missing, moved or too many."""
    made = copy.deepcopy(document)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        ways = [way for way in places(made) if way[: len(under)] == under and way[0] != SEAL]
        if not ways:
            return made
        *above, key = draw.choice(ways)
        parent = made
        for step in above:
            parent = parent[step]
        what = draw.choice(("exchange", "exchange", "exchange", "drop", "move", "add"))
        if what == "drop":
            del parent[key]
        elif what == "move":
            parent[key] = copy.deepcopy(_at(made, draw.choice(ways)))
        elif what == "add" and isinstance(parent, dict):
            parent[draw.choice(("", "x", "../x", "value", "scores", "\x00"))] = _nonsense(draw)
        else:
            parent[key] = _nonsense(draw)
    return made


def _at(document: Any, way: tuple[Any, ...]) -> Any:
    for step in way:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _nonsense(draw: random.Random) -> Any:
    return copy.deepcopy(draw.choice(NONSENSE))


def mutate_table(frame: Any, draw: random.Random) -> Any:
    """A table with a column that is missing, of another type, empty, or full of nonsense."""
    name = draw.choice(frame.columns)
    size = len(frame)
    texts = polars.Series(
        name, [draw.choice(("", "x", "[1]", '{"wer": 3}', "{", "9" * 400))] * size
    )
    ways = (
        lambda: frame.drop(name),
        lambda: frame.with_columns(texts),
        lambda: frame.with_columns(polars.lit(None).alias(name)),
        lambda: frame.with_columns(polars.lit(None, polars.String).alias(name)),
        lambda: frame.with_columns(polars.lit(draw.choice((-1, 2**40, 0))).alias(name)),
        lambda: frame.with_columns(
            polars.lit(draw.choice((1e308, float("nan"), -1.5))).alias(name)
        ),
        lambda: frame.with_columns(polars.lit([[1, 2]]).alias(name)),
        lambda: frame.with_columns(polars.lit(value=True).alias(name)),
        lambda: frame.with_columns(polars.date(2020, 1, 1).alias(name)),
        lambda: frame.head(draw.choice((0, 1))),
        lambda: polars.concat([frame, frame]),
        lambda: frame.rename({name: draw.choice(("x", "wer2", "🜁"))}),
        lambda: polars.DataFrame({"x": [1]}),
        polars.DataFrame,
    )
    return draw.choice(ways)()


class Forger:
    """A small real run, and its folder forged anew for every number."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source, self.target = source, target
        self.document = json.loads((source / "run.json").read_text())

    def forge(self, number: int) -> str:
        """Make the folder; says what was done to it."""
        draw = random.Random(number)
        shutil.rmtree(self.target, ignore_errors=True)
        shutil.copytree(self.source, self.target)
        kind = draw.choice(("run", "run", "free", "metrics", "items", "details", "raw"))
        document = self.document
        if kind == "run":
            document = mutate(document, draw)
        elif kind in ("free", "metrics"):
            under = draw.choice(("notes", "settings")) if kind == "free" else "metrics"
            document = mutate(document, draw, (under,))
        elif kind == "items":
            frame = mutate_table(polars.read_parquet(self.source / "items.parquet"), draw)
            frame.write_parquet(self.target / "items.parquet")
        elif kind == "details":
            self._forge_detail(draw)
        else:
            self._forge_raw(draw)
            return f"{number}: raw"
        self._seal(document, whole=draw.random() < 0.95)
        return f"{number}: {kind}"

    def _forge_detail(self, draw: random.Random) -> None:
        files = sorted((self.target / "details").glob("*.json"))
        if files:
            file = draw.choice(files)
            document = mutate({"x": json.loads(file.read_text())}, draw).get("x")
            file.write_text(json.dumps(document))

    def _forge_raw(self, draw: random.Random) -> None:
        file = self.target / draw.choice(("run.json", "items.parquet"))
        content = file.read_bytes()
        at = draw.randrange(len(content))
        file.write_bytes(draw.choice((
            b"", b"\x00" * 50, b"[" * 100_000, b'{"sha256": ' + b"1" * 5000 + b"}", b"null",
            content[:at], content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :],
            content + content, b'"' + content, b"\xff\xfe" + content, b'{"a": 1e999, "b": NaN}',
        )))  # fmt: skip

    def _seal(self, document: Any, *, whole: bool) -> None:
        """Write `run.json` with digests that fit what is beside it."""
        if isinstance(document, dict):
            document = {key: value for key, value in document.items() if key != SEAL}
            held = document.get("files")
            if isinstance(held, dict):
                for name in held:
                    file = self.target / name
                    if len(name) < 200 and "\0" not in name and file.is_file():
                        held = {**held, name: hashlib.sha256(file.read_bytes()).hexdigest()}
                document["files"] = held
            document = seal(json.loads(json.dumps(document))) if whole else document
        (self.target / "run.json").write_text(json.dumps(document))
