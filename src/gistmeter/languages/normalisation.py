"""One spelling for what is the same: compatibility forms, width, case, white space, numerals.

Every function here is idempotent: normalising twice changes nothing more.
"""

from __future__ import annotations

import re
import unicodedata

# Characters without appearance: zero-width space and joiner marks, soft hyphen, byte order mark,
# directional marks, variation selectors.
INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
QUOTES = str.maketrans("‘’‚‛′“”„‟″–—―‐‑−", "'''''\"\"\"\"\"------")
GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
SPACED = re.compile(r"(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3})+(?![\d,.])(?! \d)")


def unify(text: str) -> str:
    """NFKC (full-width and half-width forms, ligatures), case folded, quotes and dashes plain,
    invisible characters dropped, white space collapsed."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(text.translate(QUOTES).split())


def join_grouped(text: str) -> str:
    """1,000,000 to 1000000, where a comma groups thousands."""
    return GROUPED.sub(lambda found: found[0].replace(",", ""), text)


def join_spaced(text: str) -> str:
    """1 000 000 to 1000000, where a space groups thousands."""
    return SPACED.sub(lambda found: found[0].replace(" ", ""), text)
