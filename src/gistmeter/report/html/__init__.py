"""What every page is made of: templates and style, safe JSON, and a policy that allows only those.

A page is one HTML file that works from disk, with no network and no server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib import resources
from typing import Any

from gistmeter.core.files import HALVES

ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
DANGEROUS = re.compile("[<>&\u2028\u2029]")


def render(template: str, *, script: str = "", audio: bool = False, **context: Any) -> str:
    """A page from one of the templates, with the style of all pages."""
    from jinja2 import Environment, FunctionLoader

    style = asset("charts.css") + asset("report.css")
    environment = Environment(
        loader=FunctionLoader(asset), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    page: str = environment.get_template(template).render(
        policy=policy(style, script, audio=audio),
        style=trusted(style),
        script=trusted(script),
        **context,
    )
    return page


def asset(name: str) -> str:
    return resources.files("gistmeter.report.html").joinpath("assets", name).read_text("utf-8")


def trusted(text: str) -> Any:
    """Our own style, script and drawings, and JSON made safe: not escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def to_script(value: Any) -> str:
    """JSON that is safe between <script> tags and in UTF-8, whatever the texts hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = DANGEROUS.sub(lambda match: ESCAPES[match[0]], text)
    return HALVES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def policy(style: str, script: str, *, audio: bool) -> str:
    """A content security policy that allows this style and this script, and nothing else."""
    media = " media-src 'self' file: data:;" if audio else ""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:;"
        f"{media} base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
