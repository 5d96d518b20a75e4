"""The network of multilingual-e5-small as an ONNX graph in float32, made once and kept.

BERT with post-layer-norm and exact GELU: twelve layers from the embeddings of tokens (input
`embeddings`, batch x tokens x width) to their states (output `tokens`; with a layer of its own for
matching, also `layer`). There is no mask and no padding: a batch holds texts of one length, so no
text can feel its neighbours. The word table stays in 4 bits in the file it came in (54 MB instead
of 384), for only the rows in use are ever expanded.

The graph is kept beside its SHA-256 and built anew when the two do not agree; files appear whole,
under a name of their own first, so that several processes may do the same at once.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gistmeter.errors import InputError
from gistmeter.files import write_atomically
from gistmeter.models.e5_weights import SHA256, Weights

logger = logging.getLogger(__name__)
VERSION = 1  # of what `build` makes; a new number makes a new file
OPSET, IR_VERSION = 20, 9
Float32 = npt.NDArray[np.float32]


class _Builder:
    """Nodes and constants of a graph that grows from its input to its output."""

    def __init__(self, weights: Weights) -> None:
        import onnx

        self.onnx, self.weights, self.sizes = onnx, weights, weights.sizes
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: npt.NDArray[Any]) -> str:
        whole = np.ascontiguousarray(array)
        self.constants.append(self.onnx.numpy_helper.from_array(whole, name))
        return name

    def vector(self, name: str) -> str:
        return self.constant(name, self.weights.tensor(name))

    def matrix(self, name: str, outputs: int) -> Float32:
        """A weight matrix turned to (inputs, outputs)."""
        return self.weights.tensor(name).reshape(outputs, -1).T

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        made = self.onnx.helper.make_node(operator, inputs, [output], **attributes)
        self.nodes.append(made)
        return output

    def linear(self, name: str, source: str, outputs: int) -> str:
        matrix = self.constant(f"{name}.w", self.matrix(f"{name}.w", outputs))
        product = self.node("MatMul", [source, matrix], f"{name}.product")
        return self.node("Add", [product, self.vector(f"{name}.b")], f"{name}.sum")

    def norm(self, name: str, source: str) -> str:
        inputs = [source, self.vector(f"{name}.w"), self.vector(f"{name}.b")]
        epsilon = self.sizes.epsilon
        return self.node("LayerNormalization", inputs, f"{name}.out", axis=-1, epsilon=epsilon)

    def attention(self, layer: str, source: str) -> str:
        width, heads = self.sizes.width, self.sizes.heads
        split = {}
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            states = self.linear(f"{layer}.{part}", source, width)
            apart = self.node("Reshape", [states, "heads"], f"{layer}.{part}.heads")
            split[part] = self.node("Transpose", [apart], f"{layer}.{part}.turned", perm=order)
        scores = self.node("MatMul", [split["q"], split["k"]], f"{layer}.scores")
        root = self.node("Mul", [scores, "scale"], f"{layer}.scaled")
        shares = self.node("Softmax", [root], f"{layer}.shares", axis=-1)
        mixed = self.node("MatMul", [shares, split["v"]], f"{layer}.mixed")
        turned = self.node("Transpose", [mixed], f"{layer}.mixed.turned", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [turned, "joined"], f"{layer}.joined")
        assert heads * (width // heads) == width
        return self.linear(f"{layer}.ao", joined, width)

    def layer(self, number: int, source: str) -> str:
        name, sizes = f"l{number}", self.sizes
        attended = self.attention(name, source)
        first = self.norm(f"{name}.aln", self.node("Add", [attended, source], f"{name}.first"))
        wide = self.linear(f"{name}.fi", first, sizes.feed_forward)
        active = self.node("Gelu", [wide], f"{name}.active")
        narrow = self.linear(f"{name}.fo", active, sizes.width)
        return self.norm(f"{name}.oln", self.node("Add", [narrow, first], f"{name}.second"))


def build(weights: Weights, layer: int) -> bytes:
    """The graph, serialised. `layer` counts as bert-score counts: 0 is the embeddings."""
    builder, sizes = _Builder(weights), weights.sizes
    helper, float_type = builder.onnx.helper, builder.onnx.TensorProto.FLOAT
    head = sizes.width // sizes.heads
    builder.constant("heads", np.asarray([0, 0, sizes.heads, head], dtype=np.int64))
    builder.constant("joined", np.asarray([0, 0, sizes.width], dtype=np.int64))
    builder.constant("scale", np.asarray(head**-0.5, dtype=np.float32))
    states = [builder.norm("emb.ln", "embeddings")]
    for number in range(sizes.layers):
        states.append(builder.layer(number, states[-1]))
    builder.node("Identity", [states[-1]], "tokens")
    builder.node("Identity", [states[layer]], "layer")
    shape = ["batch", "length", sizes.width]
    names = ["tokens"] if layer == sizes.layers else ["tokens", "layer"]
    nodes = [node for node in builder.nodes if node.output[0] != "layer" or "layer" in names]
    graph = helper.make_graph(
        nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("embeddings", float_type, shape)],
        [helper.make_tensor_value_info(name, float_type, shape) for name in names],
        builder.constants,
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
    return bytes(model.SerializeToString())


def graph_path(folder: Path, layer: int) -> Path:
    return folder / f"e5-small-{SHA256[:8]}-v{VERSION}-layer{layer}.onnx"


def is_whole(path: Path) -> bool:
    """Whether the file is there and is what was written."""
    try:
        expected = path.with_suffix(".sha256").read_text(encoding="ascii").strip()
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == expected
    except (OSError, UnicodeDecodeError):
        return False


def write_whole(path: Path, content: bytes) -> None:
    """A file that is there completely or not at all, with its SHA-256 beside it."""
    write_atomically(path, content)
    write_atomically(path.with_suffix(".sha256"), hashlib.sha256(content).hexdigest())


def prepare(weights: Weights, folder: Path, layer: int) -> Path | bytes:
    """The graph's file, made if need be; its bytes where the folder cannot be written."""
    path = graph_path(folder, layer)
    if is_whole(path):
        return path
    content = build(weights, layer)
    try:
        write_whole(path, content)
    except (OSError, InputError) as error:
        logger.warning("The converted model cannot be kept in %s (%s)", folder, error)
        return content
    return path
