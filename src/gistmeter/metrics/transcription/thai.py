"""Thai words by PyThaiNLP's dictionary (the maximal matching of `newmm`).

Thai is written without spaces between words. Without the package the generic pack counts clusters
of letters instead, which is closer to a character error rate; that is said once.
"""

from __future__ import annotations

import dataclasses
import logging
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from typing import TYPE_CHECKING, Any

from gistmeter import languages

if TYPE_CHECKING:
    from gistmeter.languages import Language

logger = logging.getLogger(__name__)


@cache
def _tokenizer() -> Any:
    from pythainlp.tokenize import word_tokenize

    return word_tokenize


@dataclass(frozen=True, slots=True)
class MaximalMatching:
    """The surface words of a Thai text."""

    @property
    def id(self) -> str:
        return f"pythainlp-{metadata.version('pythainlp')}"

    def words(self, text: str) -> list[str]:
        found = _tokenizer()(text, engine="newmm", keep_whitespace=False)
        return [word for word in found if not word.isspace()]


def language_of(code: str) -> Language:
    """A language pack for transcripts: the pack itself, but in Thai with words of a dictionary."""
    language = languages.get(code)
    if code != "th":
        return language
    if util.find_spec("pythainlp") is None:
        logger.warning(
            "Thai words are counted as clusters of letters. "
            "For words of a dictionary: pip install pythainlp"
        )
        return language
    analyser: Any = MaximalMatching()
    return dataclasses.replace(language, analyser=analyser)
