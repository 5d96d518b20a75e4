"""Sound as recognisers take it: 16 kHz, one channel, 16 bits.

libsndfile reads WAV, FLAC and OGG at any rate; channels are averaged and the soxr library changes
the rate. What cannot be read in full is an error that names the file: half a clip would be scored
as a recogniser's mistakes.
"""

from __future__ import annotations

import struct
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmeter.core.errors import FormatError, MissingDependency

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAMPLE_RATE = 16_000
BYTES_PER_SECOND = 2 * SAMPLE_RATE
QUIET = 0.01  # of the loudest sample: silence
LONGEST_HOURS = 12  # some kilobytes of FLAC can unpack to days of silence
OPEN_ENDED = (0, 0xFFFFFFFF)  # a WAV written to a pipe does not know its length


@dataclass(frozen=True, slots=True)
class Audio:
    """A clip as 16-bit little-endian samples at 16 kHz."""

    pcm: bytes

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.pcm) / BYTES_PER_SECOND

    def chunks(self, milliseconds: int) -> Iterator[bytes]:
        """Pieces of that length, the last one shorter."""
        return cut(self.pcm, milliseconds)


def cut(pcm: bytes, milliseconds: int) -> Iterator[bytes]:
    size = max(2, BYTES_PER_SECOND * milliseconds // 1000 // 2 * 2)
    for start in range(0, len(pcm), size):
        yield pcm[start : start + size]


def sounding(pcm: bytes) -> int:
    """Bytes up to the last sound, without the silence (below 1% of the loudest sample) after it."""
    import numpy as np

    samples = np.abs(np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2").astype(np.int32))
    loud = np.flatnonzero(samples > samples.max(initial=0) * QUIET)
    return 2 * (int(loud[-1]) + 1) if len(loud) else len(pcm)


def silence(seconds: float) -> bytes:
    return bytes(2 * round(seconds * SAMPLE_RATE))


def read_audio(path: str | Path) -> Audio:
    """A sound file of any rate and number of channels. Raises `FormatError` where it is damaged."""
    soundfile = _library()
    file = Path(path)
    if not file.is_file():
        raise FormatError("there is no such audio file", path=path)
    _check_length(file)
    try:
        with soundfile.SoundFile(file) as source:
            rate, frames = source.samplerate, source.frames
            if frames > LONGEST_HOURS * 3600 * rate:
                raise FormatError(f"longer than {LONGEST_HOURS} hours: cut it up", path=path)
            samples = source.read(dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError, MemoryError) as error:
        reason = getattr(error, "error_string", str(error))
        raise FormatError(f"cannot be read as audio: {reason}", path=path) from error
    if not len(samples):
        raise FormatError("holds no sound", path=path)
    if len(samples) < frames:
        raise FormatError(f"is damaged: {len(samples)} of {frames} samples", path=path)
    return Audio(_to_pcm(samples, rate, path))


def write_wav(path: str | Path, pcm: bytes) -> None:
    """Samples as `Audio` holds them, in a WAV file."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm)


def _to_pcm(samples: npt.NDArray[np.float32], rate: int, path: str | Path) -> bytes:
    import numpy as np

    mono = samples.mean(axis=1, dtype=np.float32)
    if not np.isfinite(mono).all():
        raise FormatError("is damaged: samples that are not numbers", path=path)
    if rate != SAMPLE_RATE:
        mono = _resample(mono, rate)
    # Times 32768, as libsndfile reads 16 bits: then a 16-bit file passes through unchanged.
    whole = np.clip(np.rint(mono * 32768.0), -32768, 32767)
    return bytes(whole.astype("<i2").tobytes())


def _resample(mono: npt.NDArray[np.float32], rate: int) -> Any:
    try:
        import soxr
    except ImportError as error:
        raise MissingDependency("soxr", "audio", "Changing the rate of audio") from error
    return soxr.resample(mono, rate, SAMPLE_RATE)


def _library() -> Any:
    try:
        import soundfile
    except (ImportError, OSError) as error:  # OSError: the package without its C library
        raise MissingDependency("soundfile", "audio", "Reading audio") from error
    return soundfile


def _check_length(file: Path) -> None:
    """A WAV file that was cut off: libsndfile would read what is left and say nothing."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        if stream.read(4) != b"RIFF" or stream.seek(8) != 8 or stream.read(4) != b"WAVE":
            return
        while len(head := stream.read(8)) == 8:
            name, length = struct.unpack("<4sI", head)
            if name == b"data":
                rest = size - stream.tell()
                if length > rest and length not in OPEN_ENDED:
                    raise FormatError(f"is cut off: {rest} of {length} bytes of sound", path=file)
                return
            stream.seek(length + length % 2, 1)
