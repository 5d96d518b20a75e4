"""One spelling for what is the same: compatibility forms, width, script, case, white space."""

from __future__ import annotations

import unicodedata


def unify(text: str) -> str:
    """NFKC (full-width, half-width, ligatures), case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
