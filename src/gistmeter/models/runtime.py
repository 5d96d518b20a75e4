"""Weights in this process: ONNX Runtime, and how back ends go to other processes.

ONNX Runtime is imported here and nowhere else, so that its telemetry is off before it starts.

The switch is set by `gistmeter/__init__.py` and read by the library when it is imported.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any


def threads_of(told: str) -> int:
    """How many threads the variable asks for; 0, which leaves it to the library, where none.

    >>> threads_of("4,2"), threads_of("8"), threads_of("")
    (4, 8, 0)
    """
    first = told.partition(",")[0].strip()  # others are for threads of threads
    return int(first) if first.isascii() and first.isdigit() and len(first) < 5 else 0


def open_session(source: str | bytes, *, threads: int, without: Sequence[str] = ()) -> Any:
    """A session on the processor for a graph's file or bytes, less the optimizers in `without`."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # What others say by this variable of their threads holds here: workers share a machine.
    options.intra_op_num_threads = threads or threads_of(os.environ.get("OMP_NUM_THREADS", ""))
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = False  # no slower, and gives memory back
    # Threads that wait by spinning take the processor from whoever else works.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        source, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without)
    )


class Unloaded:
    """A back end that goes to another process without its weights, sessions and tokenizers.

    They are cached properties, and are read again there.
    """

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
