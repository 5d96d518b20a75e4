"""Switches off the usage reports of other libraries, before they are imported.

Some of them decide at import (ONNX Runtime then writes a device id and looks for its server), so
`gistmeter/__init__.py` imports this first: importing any part of gistmeter is enough. What the user
has set stays as it is, and child processes inherit the rest. A library that was imported before
gistmeter is out of reach.
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
    "DO_NOT_TRACK": "1",  # others that keep to the convention
    "PYDANTIC_AI_NO_BANNER": "1",  # no report, but words on the user's terminal
}

for name, value in SWITCHES.items():
    os.environ.setdefault(name, value)
