"""PocketSphinx: hidden Markov models and trigrams; the package carries an English model.

Huggins-Daines et al. (2006), "PocketSphinx: a free, real-time continuous speech recognition system
for hand-held devices", ICASSP.

The package's end-pointer cuts the stream into utterances, each of which is decoded as a whole: its
features are then normalised over the utterance and not by guesswork. A new decoder for each clip
keeps a text from depending on the clips before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from gistmeter.speech.formats.audio import BYTES_PER_SECOND, SAMPLE_RATE
from gistmeter.speech.recognizers import SpeechEvent
from gistmeter.speech.recognizers.local import LocalRecognizer, LocalSession, only_english

# Speech or silence for 0.8 s of 1 s: fewer first words are lost than by default.
WINDOW, RATIO = 1.0, 0.8
LONGEST = 30 * BYTES_PER_SECOND  # an utterance without a pause is cut here


class PocketSphinx(LocalRecognizer):
    """The package's English model."""

    enables = "speech recognition offline, small and weak"
    name, title, package = "pocketsphinx", "PocketSphinx", "pocketsphinx"

    @property
    def id(self) -> str:
        return f"pocketsphinx@{version('pocketsphinx')}/en-us"

    def session(self, language: str = "") -> LocalSession:
        return LocalSession("pocketsphinx", lambda: self._open(language))

    def _open(self, language: str) -> _Utterances:
        only_english("pocketsphinx", language)
        from pocketsphinx import Endpointer

        endpointer = Endpointer(window=WINDOW, ratio=RATIO, sample_rate=SAMPLE_RATE)
        return _Utterances(self.load(), endpointer)

    def load(self) -> Any:
        from pocketsphinx import Decoder

        return Decoder(samprate=SAMPLE_RATE, loglevel="FATAL")


class _Utterances:
    def __init__(self, decoder: Any, endpointer: Any) -> None:
        self._decoder, self._endpointer = decoder, endpointer
        self._rest = b""  # less than a frame of the end-pointer
        self._speech = bytearray()

    def accept(self, pcm: bytes) -> Iterable[SpeechEvent]:
        sound, size = self._rest + pcm, self._endpointer.frame_bytes
        whole = len(sound) // size * size
        self._rest = sound[whole:]
        for start in range(0, whole, size):
            speech = self._endpointer.process(sound[start : start + size])
            self._speech += speech or b""
            if self._speech and (not self._endpointer.in_speech or len(self._speech) > LONGEST):
                yield self._decode()

    def finish(self) -> Iterable[SpeechEvent]:
        # The end-pointer does not take an empty frame; one silent sample ends the stream as well.
        self._speech += self._endpointer.end_stream(self._rest or bytes(2)) or b""
        if self._speech:
            yield self._decode()

    def close(self) -> None:
        self._decoder = None

    def _decode(self) -> SpeechEvent:
        self._decoder.start_utt()
        self._decoder.process_raw(bytes(self._speech), full_utt=True)
        self._decoder.end_utt()
        self._speech.clear()
        guess = self._decoder.hyp()
        return SpeechEvent(guess.hypstr if guess is not None else "")
