"""Data and code inside a page: JSON that cannot end its script tag, and a policy by hashes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from gistmeter.core.files import HALVES

ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
DANGEROUS = re.compile("[<>&\u2028\u2029]")


def to_script(value: Any) -> str:
    """JSON that is safe between <script> tags and in UTF-8, whatever the texts hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = DANGEROUS.sub(lambda found: ESCAPES[found[0]], text)
    return HALVES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def policy(style: str, script: str, *, audio: bool) -> str:
    """A content security policy that lets in this style and this script, and nothing else."""
    media = " media-src 'self' file: data:;" if audio else ""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:;"
        f"{media} base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
