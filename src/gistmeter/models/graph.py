"""An ONNX graph written field by field, so that nothing but ONNX Runtime is needed to run it.

ONNX is a protocol-buffer format (onnx/onnx.proto, version 3 of the schema, proto2): a message is a
row of fields, each a tag (field number and wire type) and a value. What is written here is what the
`onnx` package writes for the same graph, byte for byte; the tests compare the two.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

OPSET, IR_VERSION = 20, 9
FLOAT, INT64 = 1, 7  # TensorProto.DataType
TYPES = {"float32": FLOAT, "int64": INT64}
VARINT, BYTES, FIXED32 = 0, 2, 5  # wire types
Shape = Sequence[int | str]  # a size, or the name of one that varies


def varint(value: int) -> bytes:
    """Seven bits a byte, lowest first; negative numbers as their 64-bit complement.

    >>> varint(300).hex()
    'ac02'
    """
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | VARINT) + varint(value)


def block(field: int, *parts: bytes) -> bytes:
    """A string or a message within a message."""
    length = sum(map(len, parts))
    return b"".join((varint(field << 3 | BYTES), varint(length), *parts))


def text(field: int, value: str) -> bytes:
    return block(field, value.encode())


class Graph:
    """Nodes and constants of a network that grows from its inputs to its outputs.

    Every method that adds something returns the name of what it made, to be used as an input of
    the next: `graph.node("Relu", [graph.node("MatMul", ["x", "w"], "product")], "y")`.
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, array: npt.NDArray[Any]) -> str:
        """Numbers in float32 or int64 that are part of the file."""
        dims = [number(1, size) for size in array.shape]
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        kind = number(2, TYPES[array.dtype.name])
        self._constants.append(block(5, *dims, kind, text(8, name), block(9, raw)))
        return name

    def node(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """An operator; attributes are integers, floats or lists of integers."""
        ends = [*(text(1, name) for name in inputs), text(2, output)]
        settings = [attribute(name, attributes[name]) for name in sorted(attributes)]
        self._nodes.append(block(1, *ends, text(4, operator), *settings))
        return output

    def serialise(self, name: str, inputs: dict[str, Shape], outputs: dict[str, Shape]) -> bytes:
        """The file's content; inputs and outputs are of float32."""
        graph = block(
            7,
            *self._nodes,
            text(2, name),
            *self._constants,
            *(value(11, one, shape) for one, shape in inputs.items()),
            *(value(12, one, shape) for one, shape in outputs.items()),
        )
        opset = block(8, text(1, ""), number(2, OPSET))
        return b"".join((number(1, IR_VERSION), graph, opset))


def attribute(name: str, given: int | float | Iterable[int]) -> bytes:
    if isinstance(given, float):
        content, kind = [varint(2 << 3 | FIXED32) + struct.pack("<f", given)], 1
    elif isinstance(given, int):
        content, kind = [number(3, given)], 2
    else:
        content, kind = [number(8, one) for one in given], 7
    return block(5, text(1, name), *content, number(20, kind))


def value(field: int, name: str, shape: Shape) -> bytes:
    """An input or output: its name, that it is of float32, and its shape."""
    sizes = [
        block(1, text(2, size) if isinstance(size, str) else number(1, size)) for size in shape
    ]
    tensor = block(1, number(1, FLOAT), block(2, *sizes))
    return block(field, text(1, name), block(2, tensor))
