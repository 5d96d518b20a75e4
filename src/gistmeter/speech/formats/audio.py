"""Sound as recognisers take it: 16 kHz, one channel, 16 bits.

libsndfile reads WAV, FLAC and OGG at any rate; channels are averaged and the soxr library changes
the rate. What cannot be read in full is an error that names the file: half a clip would be scored
as a recogniser's mistakes.
"""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gistmeter.core.errors import FormatError, MissingDependency

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAMPLE_RATE = 16_000
BYTES_PER_SECOND = 2 * SAMPLE_RATE
QUIET = 0.01  # of the loudest sample: silence
LONGEST_HOURS = 4  # of one clip; they take 460 MB
LOWEST_RATE, HIGHEST_RATE, MOST_CHANNELS = 1_000, 768_000, 64
BLOCK = 1 << 20  # samples of all channels that are held at once
FORMATS = {
    ".wav": ("WAV", "WAVEX", "RF64"),
    ".flac": ("FLAC",),
    ".ogg": ("OGG",),
    ".mp3": ("MP3", "MPEG"),
}
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
    file = Path(path)
    if not file.is_file():
        raise FormatError("there is no such audio file", path=path)
    with file.open("rb") as stream:
        return decode_audio(stream, file)


def decode_audio(stream: IO[bytes], path: Path) -> Audio:
    """What a stream holds, converted piece by piece: a packed clip is never held unpacked."""
    soundfile = _library()
    _check_length(stream, path)
    try:
        with soundfile.SoundFile(stream) as source:
            _refuse_odd(source, path)
            pcm = io.BytesIO()  # gives its bytes without a copy
            count = 0
            convert = _Converter(source.samplerate, path)
            for samples in source.blocks(
                max(1, BLOCK // source.channels), dtype="float32", always_2d=True
            ):
                count += len(samples)
                pcm.write(convert(samples, last=count >= source.frames))
            frames = source.frames
    except (soundfile.LibsndfileError, OSError, MemoryError) as error:
        reason = getattr(error, "error_string", str(error))
        raise FormatError(f"cannot be read as audio: {reason}", path=path) from error
    if not count:
        raise FormatError("holds no sound", path=path)
    if count < frames:
        raise FormatError(f"is damaged: {count} of {frames} samples", path=path)
    return Audio(pcm.getvalue())


def _refuse_odd(source: Any, path: Path) -> None:
    """Some kilobytes can claim days of sound: by silence that is packed, or by a rate of 1 Hz."""
    if not LOWEST_RATE <= source.samplerate <= HIGHEST_RATE:
        raise FormatError(
            f"has a rate of {source.samplerate:,} Hz; {LOWEST_RATE:,} to {HIGHEST_RATE:,} are read",
            path=path,
        )
    if source.channels > MOST_CHANNELS:
        raise FormatError(
            f"has {source.channels} channels; at most {MOST_CHANNELS} are read", path=path
        )
    if source.frames > LONGEST_HOURS * 3600 * source.samplerate:
        raise FormatError(f"longer than {LONGEST_HOURS} hours: cut it up", path=path)


def write_wav(path: str | Path, pcm: bytes) -> None:
    """Samples as `Audio` holds them, in a WAV file."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm)


class _Converter:
    """Blocks of samples to 16 bits, 16 kHz and one channel."""

    def __init__(self, rate: int, path: Path) -> None:
        self.path, self.resampler = path, None
        if rate != SAMPLE_RATE:
            try:
                import soxr
            except ImportError as error:
                raise MissingDependency("soxr", "audio", "Changing the rate of audio") from error
            self.resampler = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32")

    def __call__(self, samples: npt.NDArray[np.float32], *, last: bool) -> bytes:
        import numpy as np

        mono = samples.mean(axis=1, dtype=np.float32)
        if not np.isfinite(mono).all():
            raise FormatError("is damaged: samples that are not numbers", path=self.path)
        if self.resampler is not None:
            mono = self.resampler.resample_chunk(mono, last=last)
        # Times 32768, as libsndfile reads 16 bits: then a 16-bit file passes through unchanged.
        whole = np.clip(np.rint(mono * 32768.0), -32768, 32767)
        return bytes(whole.astype("<i2").tobytes())


def _library() -> Any:
    try:
        import soundfile
    except (ImportError, OSError) as error:  # OSError: the package without its C library
        raise MissingDependency("soundfile", "audio", "Reading audio") from error
    return soundfile


def _check_length(stream: IO[bytes], path: Path) -> None:
    """A WAV file that was cut off: libsndfile would read what is left and say nothing."""
    size = stream.seek(0, 2)
    stream.seek(0)
    if stream.read(4) == b"RIFF" and stream.seek(8) == 8 and stream.read(4) == b"WAVE":
        while len(head := stream.read(8)) == 8:
            name, length = struct.unpack("<4sI", head)
            if name == b"data":
                rest = size - stream.tell()
                if length > rest and length not in OPEN_ENDED:
                    raise FormatError(f"is cut off: {rest} of {length} bytes of sound", path=path)
                break
            stream.seek(length + length % 2, 1)
    stream.seek(0)


def plays(content: bytes, path: Path) -> bool:
    """Whether a file's content is sound of the kind that its name says, whole and readable."""
    try:
        soundfile = _library()
        with soundfile.SoundFile(io.BytesIO(content)) as source:
            if source.format not in FORMATS[path.suffix.lower()]:
                return False
        return bool(decode_audio(io.BytesIO(content), path).pcm)
    except MissingDependency:
        return path.suffix.lower() == ".wav" and _plays_plainly(content)
    except (FormatError, OSError, RuntimeError, KeyError):  # libsndfile's errors are RuntimeErrors
        return False


def _plays_plainly(content: bytes) -> bool:
    """Without libsndfile: WAV of whole numbers only."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            size = file.getnframes() * file.getnchannels() * file.getsampwidth()
            return bool(0 < size == len(file.readframes(file.getnframes())))
    except (wave.Error, EOFError):
        return False
