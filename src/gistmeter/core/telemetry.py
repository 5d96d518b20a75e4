"""Libraries that would report on the user are told not to, before they are imported.

Some of them decide at import (ONNX Runtime then writes a device id and looks for its server), so
`gistmeter/__init__.py` calls this first of all: whoever imports any part of gistmeter has it done.
What the user has set stays as it is. A library that was imported before gistmeter is out of reach.
"""

from __future__ import annotations

import os

SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime, on by default since 1.31
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, hf_xet, transformers, sentence-transformers
    "RAY_USAGE_STATS_ENABLED": "0",  # ray
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",  # deepeval
    "MLFLOW_DISABLE_TELEMETRY": "true",  # mlflow
    "PROMPTFOO_DISABLE_TELEMETRY": "1",  # promptfoo, where we start it
    "HF_UPDATE_DOWNLOAD_COUNTS": "false",  # evaluate tells the hub what is loaded
    "DO_NOT_TRACK": "1",  # whoever else keeps to the convention
    "PYDANTIC_AI_NO_BANNER": "1",  # no report, but words on the user's terminal
}


def switch_off() -> None:
    """Set what is not set. Child processes inherit it."""
    for name, value in SWITCHES.items():
        os.environ.setdefault(name, value)
