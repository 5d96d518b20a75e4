"""The network of multilingual-e5-small as an ONNX graph in float32, made once and kept.

BERT with post-layer-norm and exact GELU: twelve layers from the embeddings of tokens (input
`embeddings`, batch x tokens x width) to their states (output `tokens`; with a layer of its own for
matching, also `layer`). There is no mask and no padding: a batch holds texts of one length, so no
text can feel its neighbours. The word table stays in 4 bits in the file it came in (54 MB instead
of 384), for only the rows in use are ever expanded.

The same weights make the same bytes on every machine, so their SHA-256 is pinned here: a kept graph
that has another one is made again. Files appear whole, under a name of their own first, so that
several processes may do the same at once.

Graphs are written field by field (`OnnxGraph`), so that nothing but ONNX Runtime is needed. ONNX is
a protocol-buffer format (onnx/onnx.proto, version 3 of the schema, proto2): a message is a row of
fields, each a tag (field number and wire type) and a value. What is written here is what the
`onnx` package writes for the same graph, byte for byte; the tests compare the two.
"""

from __future__ import annotations

import hashlib
import logging
import struct
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gistmeter.core.errors import GistmeterError, InputError, ModelError
from gistmeter.core.files import open_input, write_atomically
from gistmeter.models.e5.e5_weights import SHA256, Sizes
from gistmeter.models.runtime import open_session

logger = logging.getLogger(__name__)
VERSION = 1  # of what `build` makes; a new number makes a new file
DIGESTS = (  # SHA-256 of what `build` makes of the embedded weights, by layer
    "651e87f9135d84790c95fd70c9153476156a0bb528513ac8156e13e356bb3fe3",
    "c1da3be5614fd0f885732ea3e82d7d177106f807b131216c664f7a82e9dd2049",
    "71591c409f1c78ef39983a61c8bd5a8c15978da043a9a617411f69ce5692322b",
    "d2382214d1d33d74fa49d882e267d726bb9fa14e9e003774bd2906a53a752aba",
    "36e160de27f51291b4842bc8df0400346285c807154fe53c485d1374d1bb0a97",
    "417e411b6f1d6157c05980ce6f415b964cce1942def75119ccf2cf02635ac1c9",
    "32866c1d4010af52fe60327c12b6a2a75e6f464e50bf49f19f1546c0b344a496",
    "e76ab6ae56402a1db9fd8af99a17a93a057d86bd7cedde0ec9d3ab82e87abba4",
    "71e2220d8c67ba6531b6f45daa5d72d9953bf687cc6d1ba81c0945d705eabccf",
    "fd8e875108545cca269761626726ef143b77db546a1972c5ef7d54303f1d49ee",
    "f62c14517138dad518653e136248129c38a5faa889707bdbf1b7919a62df3514",
    "7a60db42c96202f11cd42f16a2c7fa5878ac3134b83b87cf23f8be46cfa56e05",
    "d86c8beb574942cf1eee356f8d1f4794f9f230b16e78649c88561eeeb0c5e363",
)
LARGEST = 1 << 28  # bytes of a graph; ours have 85 million
Float32 = npt.NDArray[np.float32]
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


class OnnxGraph:
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
            *(value(11, name, shape) for name, shape in inputs.items()),
            *(value(12, name, shape) for name, shape in outputs.items()),
        )
        opset = block(8, text(1, ""), number(2, OPSET))
        return b"".join((number(1, IR_VERSION), graph, opset))


def attribute(name: str, given: int | float | Iterable[int]) -> bytes:
    if isinstance(given, float):
        content, kind = [varint(2 << 3 | FIXED32) + struct.pack("<f", given)], 1
    elif isinstance(given, int):
        content, kind = [number(3, given)], 2
    else:
        content, kind = [number(8, item) for item in given], 7
    return block(5, text(1, name), *content, number(20, kind))


def value(field: int, name: str, shape: Shape) -> bytes:
    """An input or output: its name, that it is of float32, and its shape."""
    sizes = [
        block(1, text(2, size) if isinstance(size, str) else number(1, size)) for size in shape
    ]
    tensor = block(1, number(1, FLOAT), block(2, *sizes))
    return block(field, text(1, name), block(2, tensor))


class Source(Protocol):
    """Where a network's sizes and tensors come from: a weight file, or a dictionary in memory."""

    @property
    def sizes(self) -> Sizes: ...
    def tensor(self, name: str) -> Float32:
        """A tensor in float32; matrices as (outputs, inputs), whatever their shape."""


class Transformer:
    """The layers of a BERT, added to a graph; heads on top are the caller's.

        graph = OnnxGraph()
        body = Transformer(graph, source)
        states = body.states("embeddings")          # names, from the embeddings to the last layer
        graph.constant("zero", np.asarray(0))
        first = graph.node("Gather", [states[-1], "zero"], "first", axis=1)
        body.linear("head", first, outputs=3)       # tensors head.w and head.b of the source
        graph.node("Identity", ["head.sum"], "logits")
        content = graph.serialise(
            "judge", {"embeddings": ["batch", "length", width]}, {"logits": ["batch", 3]}
        )

    Tensors are named emb.ln.{w,b} and, for layer N from 0, lN.{q,k,v,ao,fi,fo}.{w,b} (queries,
    keys, values, attention's output, the feed-forward's two) and lN.{aln,oln}.{w,b} (layer norms).
    A batch holds inputs of one length: there is no mask.
    """

    def __init__(self, graph: OnnxGraph, source: Source) -> None:
        self.graph, self.source, self.sizes = graph, source, source.sizes
        head = self.sizes.width // self.sizes.heads
        apart, joined = [0, 0, self.sizes.heads, head], [0, 0, self.sizes.width]
        graph.constant("heads", np.asarray(apart, dtype=np.int64))
        graph.constant("joined", np.asarray(joined, dtype=np.int64))
        graph.constant("scale", np.asarray([head**-0.5], dtype=np.float32))

    def states(self, embeddings: str) -> list[str]:
        """The states after each layer, counted as bert-score counts: 0 is the embeddings."""
        states = [self.norm("emb.ln", embeddings)]
        for number in range(self.sizes.layers):
            states.append(self.layer(number, states[-1]))
        return states

    def vector(self, name: str) -> str:
        return self.graph.constant(name, self.source.tensor(name))

    def linear(self, name: str, source: str, outputs: int) -> str:
        turned = self.source.tensor(f"{name}.w").reshape(outputs, -1).T
        matrix = self.graph.constant(f"{name}.w", turned)
        product = self.graph.node("MatMul", [source, matrix], f"{name}.product")
        return self.graph.node("Add", [product, self.vector(f"{name}.b")], f"{name}.sum")

    def norm(self, name: str, source: str) -> str:
        inputs = [source, self.vector(f"{name}.w"), self.vector(f"{name}.b")]
        epsilon = self.sizes.epsilon
        return self.graph.node(
            "LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=epsilon
        )

    def attention(self, layer: str, source: str) -> str:
        node, width = self.graph.node, self.sizes.width
        split = {}
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            states = self.linear(f"{layer}.{part}", source, width)
            apart = node("Reshape", [states, "heads"], f"{layer}.{part}.heads")
            split[part] = node("Transpose", [apart], f"{layer}.{part}.turned", perm=order)
        scores = node("MatMul", [split["q"], split["k"]], f"{layer}.scores")
        root = node("Mul", [scores, "scale"], f"{layer}.scaled")
        shares = node("Softmax", [root], f"{layer}.shares", axis=-1)
        mixed = node("MatMul", [shares, split["v"]], f"{layer}.mixed")
        turned = node("Transpose", [mixed], f"{layer}.mixed.turned", perm=[0, 2, 1, 3])
        joined = node("Reshape", [turned, "joined"], f"{layer}.joined")
        return self.linear(f"{layer}.ao", joined, width)

    def layer(self, number: int, source: str) -> str:
        name, node = f"l{number}", self.graph.node
        attended = self.attention(name, source)
        first = self.norm(f"{name}.aln", node("Add", [attended, source], f"{name}.first"))
        wide = self.linear(f"{name}.fi", first, self.sizes.feed_forward)
        active = node("Gelu", [wide], f"{name}.active")
        narrow = self.linear(f"{name}.fo", active, self.sizes.width)
        return self.norm(f"{name}.oln", node("Add", [narrow, first], f"{name}.second"))


def build(source: Source, layer: int) -> bytes:
    """The graph's file. `layer` is the one to match tokens by, where it is not the last."""
    graph = OnnxGraph()
    states = Transformer(graph, source).states("embeddings")
    outputs = {"tokens": states[-1]}
    if layer < source.sizes.layers:
        outputs["layer"] = states[layer]
    for name, state in outputs.items():
        graph.node("Identity", [state], name)
    shape: Shape = ["batch", "length", source.sizes.width]
    return graph.serialise(
        "multilingual-e5-small", {"embeddings": shape}, dict.fromkeys(outputs, shape)
    )


def graph_path(folder: Path, layer: int) -> Path:
    return folder / f"e5-small-{SHA256[:8]}-v{VERSION}-layer{layer}.onnx"


def read_pinned(path: Path, digest: str) -> bytes | None:
    """A file's content where it has this SHA-256; None where it is missing or has another."""
    try:
        with open_input(path) as stream:
            content = stream.read(LARGEST)
    except (OSError, InputError):
        return None
    return content if hashlib.sha256(content).hexdigest() == digest else None


def keep(path: Path, content: bytes) -> bytes:
    """The content, written over whatever stood there before, where that can be done."""
    try:
        write_atomically(path, content)
    except (OSError, GistmeterError) as error:
        logger.warning("The converted model cannot be kept in %s (%s)", path.parent, error)
    return content


def open_graph(path: Path, digest: str, make: Callable[[], bytes], threads: int) -> Any:
    """A session on a kept graph, which is made where it is missing or not the pinned one.

    What is run are the bytes that were hashed: the file may be exchanged in between.
    """
    try:
        return open_session(
            read_pinned(path, digest) or keep(path, make()),
            threads=threads,
            without=("SkipLayerNormFusion",),  # its kernel is slower than the two parts
        )
    except InputError:
        raise
    except Exception as error:  # ONNX Runtime has no base class of its own
        raise ModelError(f"The model of {path.name} cannot be run ({error})") from error
