"""The converted models: what is run is what the code pins, whoever else can write the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gistmeter.core.cache import Cache
from gistmeter.models import e5
from gistmeter.models.e5 import e5_weights, graph
from gistmeter.models.inventory import graphs, verify
from gistmeter.models.judge import judge_weights, network
from gistmeter.models.loading import load_models


@pytest.fixture(scope="module")
def weights() -> e5_weights.WeightFile:
    path = e5.weights_path()
    assert path is not None
    return e5_weights.read(path)


def test_the_pinned_digests_are_those_of_the_graphs(
    weights: e5_weights.WeightFile, choose: Callable[[Sequence[Any], int], list[Any]]
) -> None:
    """Where `build` or the weights change, so do the digests: the assertion names the new ones."""
    for layer in choose(range(e5.LAYERS + 1), 1):
        made = hashlib.sha256(graph.build(weights, layer)).hexdigest()
        assert graph.DIGESTS[layer] == made, f"layer {layer}"
    made = hashlib.sha256(network.build(judge_weights.read(weights.sizes))).hexdigest()
    assert made == judge_weights.GRAPH_SHA256


def test_a_graph_with_a_rewritten_digest_beside_it_changes_no_vector(
    weights: e5_weights.WeightFile, tmp_path: Path
) -> None:
    """A valid graph that gives other vectors, as someone who can write the cache would put it."""
    texts = ["It rains.", "今天下雨。"]
    path = graph.graph_path(tmp_path, e5.JOINT)

    def embed() -> bytes:
        embedder = load_models(["embedder"], cache=Cache(None), folder=tmp_path).embedder
        assert embedder is not None
        return embedder.embed(texts).vectors.tobytes()

    expected = embed()
    whole = path.read_bytes()
    at = whole.index(weights.tensor("l11.oln.w").tobytes())
    doubled = (2 * weights.tensor("l11.oln.w")[:192]).astype(np.float32).tobytes()
    tampered = whole[:at] + doubled + whole[at + len(doubled) :]
    path.write_bytes(tampered)
    path.with_suffix(".sha256").write_text(hashlib.sha256(tampered).hexdigest())
    assert [check.whole for check in verify(tmp_path, []) if check.file == str(path)] == [False]
    e5.opened.cache_clear()
    assert embed() == expected
    assert path.read_bytes() == whole
    assert all(check.whole for check in verify(tmp_path, []))
    assert path in graphs(tmp_path)
