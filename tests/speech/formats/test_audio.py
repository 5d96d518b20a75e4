"""Sound files as recognisers take them."""

from __future__ import annotations

import struct
import tracemalloc
import wave
from pathlib import Path

import numpy as np
import pytest

from gistmeter.core.errors import FormatError
from gistmeter.speech.formats.audio import Audio, cut, read_audio, silence, write_wav

soundfile = pytest.importorskip("soundfile")
RATE = 16_000


def tone(rate: int = RATE, seconds: float = 1.0, frequency: float = 440.0) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * frequency * np.arange(int(rate * seconds)) / rate)


def samples(audio: Audio) -> np.ndarray:
    return np.frombuffer(audio.pcm, dtype="<i2") / 32768


def loudest_frequency(wave_form: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(wave_form))
    return float(np.argmax(spectrum) * RATE / len(wave_form))


def test_sixteen_bits_pass_through_unchanged(tmp_path: Path) -> None:
    values = np.array([-32768, -32767, -12345, -1, 0, 1, 2, 12345, 32766, 32767], dtype="<i2")
    write_wav(tmp_path / "a.wav", values.tobytes())
    assert read_audio(tmp_path / "a.wav").pcm == values.tobytes()


@pytest.mark.parametrize("suffix", ["wav", "flac", "ogg"])
@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
def test_other_rates_and_formats(tmp_path: Path, rate: int, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    soundfile.write(path, tone(rate), rate)
    audio = read_audio(path)
    assert audio.duration == pytest.approx(1.0, abs=1e-3)
    assert loudest_frequency(samples(audio)) == pytest.approx(440, abs=2)


def test_channels_are_averaged(tmp_path: Path) -> None:
    left = tone()
    soundfile.write(tmp_path / "a.wav", np.stack([left, np.zeros_like(left)], axis=1), RATE)
    assert np.allclose(samples(read_audio(tmp_path / "a.wav")), left / 2, atol=2e-4)


def test_loud_float_samples_are_clipped(tmp_path: Path) -> None:
    loud = np.array([2.0, -2.0, 0.5])
    soundfile.write(tmp_path / "a.wav", loud, RATE, subtype="FLOAT")
    assert np.frombuffer(read_audio(tmp_path / "a.wav").pcm, "<i2").tolist() == [
        32767, -32768, 16384,
    ]  # fmt: skip


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such audio file"):
        read_audio(tmp_path / "a.wav")


@pytest.mark.parametrize(
    "content", [b"", b"RIFF", b"RIFF\x24\0\0\0WAVEfmt ", b"not a sound", bytes(1000)]
)
def test_what_is_no_sound(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.wav"):
        read_audio(path)


def test_no_samples(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", b"")
    with pytest.raises(FormatError, match="holds no sound"):
        read_audio(tmp_path / "a.wav")


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_a_file_that_was_cut_off_is_not_read_as_a_shorter_one(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, RATE)
    soundfile.write(path, noise, RATE)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FormatError, match=r"cut off|damaged|cannot be read"):
        read_audio(path)


def test_a_wave_file_from_a_pipe_does_not_know_its_length(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    pcm = struct.pack("<4h", 1, 2, 3, 4)
    write_wav(path, pcm)
    content = bytearray(path.read_bytes())
    place = content.index(b"data")
    content[place + 4 : place + 8] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    assert read_audio(path).pcm == pcm


def test_samples_that_are_not_numbers(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.array([0.1, np.nan]), RATE, subtype="FLOAT")
    with pytest.raises(FormatError, match="not numbers"):
        read_audio(tmp_path / "a.wav")


def test_a_small_file_of_endless_silence_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    with soundfile.SoundFile(path, "w", samplerate=1000, channels=1) as file:
        quiet = np.zeros(1_000_000, dtype="int16")
        for _ in range(15):
            file.write(quiet)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(FormatError, match="longer than 4 hours"):
        read_audio(path)


@pytest.mark.parametrize(("rate", "channels"), [(1, 1), (999, 1), (2**31 - 1, 1), (16_000, 100)])
def test_odd_rates_and_channels_are_refused(tmp_path: Path, rate: int, channels: int) -> None:
    """At 1 Hz, 29 KB are four hours of sound."""
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(bytes(2 * channels * 100))
    with pytest.raises(FormatError, match=r"has a rate of|has 100 channels"):
        read_audio(tmp_path / "a.wav")


def test_a_packed_clip_is_never_held_unpacked(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", np.zeros((600 * 48_000, 2), dtype="int16"), 48_000)
    tracemalloc.start()
    try:
        audio = read_audio(tmp_path / "a.flac")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert audio.duration == 600
    assert peak < 3 * len(audio.pcm)


def test_chunks_are_of_one_length_and_lose_nothing() -> None:
    pcm = bytes(range(256)) * 100
    chunks = list(Audio(pcm).chunks(200))
    assert {len(chunk) for chunk in chunks[:-1]} == {6400}
    assert b"".join(chunks) == pcm
    assert list(cut(b"", 200)) == []


def test_silence_lasts_as_long_as_it_should() -> None:
    assert Audio(silence(1.5)).duration == 1.5
    assert not any(silence(0.1))


def test_written_files_are_what_recognisers_expect(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", bytes(320))
    with wave.open(str(tmp_path / "a.wav")) as file:
        found = file.getnchannels(), file.getsampwidth(), file.getframerate(), file.getnframes()
    assert found == (1, 2, 16_000, 160)
