"""One try: a clip sent at its pace, the texts taken down with their times."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from gistmeter.speech.formats.audio import BYTES_PER_SECOND, Audio, cut, silence, sounding
from gistmeter.speech.recognizers import Recognizer, RecognizerError, Session, SpeechEvent

LAST_WORDS = 0.25  # seconds in which a session may still say why it no longer takes sound


@dataclass(frozen=True, slots=True)
class Pace:
    """How sound is sent; `factor` 1 is the pace of speech, 0 as fast as it is taken."""

    factor: float
    chunk_ms: int
    silence_before: float
    silence_after: float


@dataclass(slots=True)
class Notes:
    """What was heard, and when. Times are those of a monotonic clock."""

    started: float = 0.0
    spoken: float = 0.0  # when the clip's last sound was due, or taken where no pace is kept
    first: float | None = None
    last: float | None = None
    partials: int = 0
    ending: bool = False
    finals: list[SpeechEvent] = field(default_factory=list)

    def take(self, event: SpeechEvent) -> None:
        if not event.text.strip():
            return
        now = time.perf_counter()
        self.first = now if self.first is None else self.first
        if event.is_final:
            self.last = now
            self.finals.append(event)
        else:
            self.partials += 1


async def listen(
    recognizer: Recognizer, audio: Audio, pace: Pace, language: str, limit: float
) -> Notes:
    """A clip through a session of its own. Raises `RecognizerError` when it fails."""
    notes = Notes()
    try:
        async with asyncio.timeout(limit), recognizer.session(language) as session:
            await _converse(session, audio, pace, notes)
    except TimeoutError as error:
        raise RecognizerError(f"no complete answer within {limit:.0f} s") from error
    return notes


async def _converse(session: Session, audio: Audio, pace: Pace, notes: Notes) -> None:
    sending = asyncio.create_task(_send(session, audio, pace, notes))
    hearing = asyncio.create_task(_hear(session, notes))
    try:
        await asyncio.wait({sending, hearing}, return_when=asyncio.FIRST_EXCEPTION)
        if not hearing.done():
            # Sending has failed; the reason is more likely in what the session still says.
            await asyncio.wait({hearing}, timeout=LAST_WORDS)
        if hearing.done():
            await hearing
        await sending
    finally:
        await _cancel((sending, hearing))


async def _send(session: Session, audio: Audio, pace: Pace, notes: Notes) -> None:
    notes.started = notes.spoken = time.perf_counter()
    before, after = silence(pace.silence_before), silence(pace.silence_after)
    sent = await _stream(session, before, pace, notes.started, 0)
    end = sounding(audio.pcm)
    sent = await _stream(session, audio.pcm[:end], pace, notes.started, sent)
    # A recogniser that lags behind the pace must not gain from it: the speaker had ended by then.
    # Nor does silence at the end of the clip's own file count as speech.
    due = notes.started + sent / BYTES_PER_SECOND * pace.factor
    notes.spoken = due if pace.factor else time.perf_counter()
    await _stream(session, audio.pcm[end:] + after, pace, notes.started, sent)
    notes.ending = True
    await session.end_audio()


async def _stream(session: Session, pcm: bytes, pace: Pace, started: float, sent: int) -> int:
    """Each chunk is sent when a microphone would have filled it. Returns all bytes sent so far."""
    for chunk in cut(pcm, pace.chunk_ms):
        sent += len(chunk)
        due = started + sent / BYTES_PER_SECOND * pace.factor
        # Also where nothing is to be waited for: the other tasks get their turn.
        await asyncio.sleep(max(0.0, due - time.perf_counter()) if pace.factor else 0)
        await session.send_audio(chunk)
    return sent


async def _hear(session: Session, notes: Notes) -> None:
    async for event in session.events():
        notes.take(as_event(event))
    if not notes.ending:
        raise RecognizerError("the stream was closed before the audio had ended")


def as_event(event: object) -> SpeechEvent:
    """What others' sessions give: our events, plain texts, or anything with a `text`."""
    if isinstance(event, SpeechEvent):
        return event
    if isinstance(event, str):
        return SpeechEvent(event)
    text = getattr(event, "text", None)
    if not isinstance(text, str):
        raise RecognizerError(
            f"events() gave {type(event).__name__}, which has no text", lasting=True
        )
    speaker = getattr(event, "speaker", None)
    return SpeechEvent(
        text, bool(getattr(event, "is_final", True)), "" if speaker is None else str(speaker)
    )


def join(finals: Iterable[SpeechEvent]) -> str:
    """The transcript that final texts make."""
    text = ""
    for event in finals:
        text += event.text if event.verbatim or not text else f" {event.text.strip()}"
    return " ".join(text.split())


async def _cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
