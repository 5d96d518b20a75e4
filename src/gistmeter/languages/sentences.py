"""Sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass

CLOSING = "\"'”’»›」』）)】〕］\\]》〉"
SIMPLE = re.compile(f"(?<=[。！？!?；;…])(?![。！？!?；;…{CLOSING}])|(?<=[.])(?=\\s)|\\n+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter heading: its text and the index of the sentence it is."""

    text: str
    sentence: int


def simple_sentences(text: str) -> list[str]:
    return [piece.strip() for piece in SIMPLE.split(text) if piece and piece.strip()]
