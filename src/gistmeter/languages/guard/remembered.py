"""A guard that remembers which facts two texts tell differently."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from gistmeter import languages
from gistmeter.core.cache import Cache, Form
from gistmeter.core.wiring import Wiring, readers_of
from gistmeter.languages.guard import Alarm, Alarms, Guard
from gistmeter.languages.language import ENCODE, WORD_BYTES, RememberingLanguage, decode_json
from gistmeter.version import __version__

NONE = Alarms()


def _decode_alarms(stored: bytes) -> Alarms:
    parts = decode_json(stored)
    return Alarms(tuple(Alarm(*part[:3], *map(tuple, part[3:])) for part in parts)) or NONE


def _encode_alarms(alarms: Alarms) -> bytes:
    parts = [dataclasses.astuple(alarm) for alarm in alarms]
    return ENCODE(parts).encode("utf-8", "surrogatepass")


ALARMS = Form(
    "alarms", _decode_alarms, _encode_alarms, lambda alarms: WORD_BYTES * (2 + 4 * len(alarms))
)


@dataclasses.dataclass(frozen=True, slots=True)
class RememberingGuard(Guard):
    """The guard of a language behind a cache, for metrics that ask about the same pairs in turn."""

    cache: Cache
    reader: RememberingLanguage | None = None  # of a run that asks for the same words anyway

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Alarms]:
        name = f"alarms/{__version__}/{self.id}"
        known = self.cache.find(name, pairs, ALARMS)
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        made = dict(zip(missing, Guard.compare(self, missing), strict=True))
        self.cache.keep(name, made, ALARMS)
        known |= made
        return [known[pair] for pair in pairs]

    def content_words(self, texts: Sequence[str]) -> list[Sequence[str]]:
        if self.reader is None:
            return Guard.content_words(self, texts)
        self.reader.prepare(texts)
        return [self.reader.content_words(text) for text in texts]


def guards_of(wiring: Wiring) -> dict[str, RememberingGuard]:
    """The guard of each language of a run."""
    return make_guards(wiring.languages, wiring.context.cache, readers_of(wiring))


def make_guards(
    codes: Iterable[str], cache: Cache, readers: Mapping[str, RememberingLanguage]
) -> dict[str, RememberingGuard]:
    """The guard of each language, with the reader of those that are read by their own lists."""
    plain = {
        code: reader for code, reader in readers.items() if reader.language == languages.get(code)
    }
    return {code: RememberingGuard(code, cache, plain.get(code)) for code in codes}
