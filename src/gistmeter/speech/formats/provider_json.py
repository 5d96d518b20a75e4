"""Transcripts in the JSON that recognisers and services deliver, known by its fields.

Each reader gives the text as the service spells it and its pieces with times, speakers and
channels: words where there are any, else segments. Where channels have times, the text is that of
their turns in the order of time. A message that a recogniser failed is no transcript, which is not
the same as an empty one. Documents that no reader knows are an error, since JSON that is read as
prose has an error rate of hundreds of per cent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gistmeter.core.files import printable
from gistmeter.speech.formats.timed import TimedText, in_seconds

Document = Mapping[str, Any]
PLAIN = {"text", "usage", "logprobs", "language", "duration", "task"}  # of an answer without times
GOOGLES = {"totalBilledTime", "totalBilledDuration", "requestId", "results"}
TICKS = 10_000_000  # of Azure, in a second
TURN_GAP = 1.0  # seconds without a word that end a turn of a channel
FAILED = {"error", "failed", "failure", "queued", "processing", "running", "in_progress"}
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ServiceTranscript:
    """What a service heard in one recording; the recording of its pieces is not named yet."""

    service: str
    text: str
    pieces: tuple[TimedText, ...] = ()


def read_document(content: Any) -> ServiceTranscript | None:
    """The transcript of a document; None where no service writes such a one."""
    if _is_segments({"list": content}) and "audio_filepath" not in content[0]:
        content = {"segments": content}
    elif isinstance(content, list) and len(content) == 1:
        content = content[0]
    if not isinstance(content, dict):
        return None
    for service, known, read in READERS:
        try:
            if known(content):
                return _transcript(service, *read(content))
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
            continue  # the same names with something else in them
    return None


def _transcript(service: str, text: str, pieces: Iterable[TimedText]) -> ServiceTranscript:
    kept = tuple(piece for piece in pieces if piece.text)
    several = len({piece.channel for piece in kept}) > 1
    if several and all(piece.start is not None for piece in kept):
        text = " ".join(piece.text for turn in _turns(kept) for piece in turn)
    spelled = text or " ".join(piece.text for piece in kept)
    return ServiceTranscript(service, printable(_SPACE.sub(" ", spelled).strip()), kept)


def _turns(pieces: Iterable[TimedText]) -> list[list[TimedText]]:
    """What is said on a channel without a pause, in the order in which it begins."""
    turns: list[list[TimedText]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.channel, piece.start or 0.0)):
        last = turns[-1][-1] if turns else None
        goes_on = last is not None and last.channel == piece.channel
        if goes_on and last and (piece.start or 0.0) - (last.end or 0.0) < TURN_GAP:
            turns[-1].append(piece)
        else:
            turns.append([piece])
    return sorted(turns, key=lambda turn: turn[0].start or 0.0)


def failure_of(content: Any) -> str:
    """What a service says of a transcript that it did not deliver; nothing where it did."""
    if not isinstance(content, dict):
        return ""
    job = content.get("TranscriptionJob")
    if isinstance(job, dict):  # of AWS: where the transcript is, or why there is none
        state = str(job.get("TranscriptionJobStatus", ""))
        return f"{state}: {job.get('FailureReason', 'the transcript is in a file of its own')}"
    state = str(content.get("status") or content.get("RecognitionStatus") or "")
    worded = any(
        content.get(name) for name in ("text", "results", "segments", "words", "pred_text")
    )
    if worded or content.get("text") == "":
        return ""
    for name in ("error", "err_msg", "detail", "errorMessage", "FailureReason"):
        told = content.get(name)
        if isinstance(told, dict):
            told = told.get("message") or told.get("status")
        if isinstance(told, str) and told:
            return printable(told)
    return state if state.casefold() in FAILED else ""


def _piece(
    text: str, start: Any = None, end: Any = None, speaker: Any = None, channel: Any = None,
    *, scale: float = 1.0,
) -> TimedText:  # fmt: skip
    times = [None if time is None else in_seconds(time) / scale for time in (start, end)]
    names = ["" if name is None else str(name) for name in (speaker, channel)]
    return TimedText("", printable(_SPACE.sub(" ", text).strip()), times[0], times[1], *names)


def _seconds(time: Any) -> float | None:
    """Google's `1.300s`, Azure's `PT1M1.59S`, or a number."""
    if time is None or isinstance(time, int | float):
        return time
    if isinstance(time, dict):  # protobuf: seconds and nanos
        return float(time.get("seconds", 0)) + float(time.get("nanos", 0)) / 1e9
    if time.startswith("PT"):
        parts = re.fullmatch(r"PT(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?", time)
        if parts is None:
            raise ValueError(time)
        hours, minutes, seconds = (float(part or 0) for part in parts.groups())
        return 3600 * hours + 60 * minutes + seconds
    return float(time.removesuffix("s"))


Parts = tuple[str, Iterable[TimedText]]


def _whisper(content: Document) -> Parts:
    """OpenAI's Whisper and its API, WhisperX, faster-whisper servers."""
    segments = content.get("segments") or ()
    text = content.get("text") or " ".join(segment["text"] for segment in segments)
    if any(part.get("type") == "transcript.text.segment" for part in segments):
        text = ""  # OpenAI's with speakers: their names stand in it
    words = [
        _piece(word.get("word", word.get("text", "")), word.get("start"), word.get("end"),
               word.get("speaker", segment.get("speaker")))
        for segment in segments
        for word in _whole_words(segment.get("words") or ())
    ]  # fmt: skip
    words = words or [
        _piece(word["word"], word["start"], word["end"], word.get("speaker"))
        for word in content.get("words") or ()
    ]
    if words and all(word.start is not None for word in words):
        return text, words
    return text, [
        _piece(part["text"], part.get("start"), part.get("end"), part.get("speaker"))
        for part in segments
    ]


def _whole_words(words: Sequence[Document]) -> list[Document]:
    """Whisper's words begin with a space, and parts of one do not: ` 3` and `.5`, ` ten`, `-year`.

    Only what begins with a mark is such a part: in Chinese and Japanese no word has a space.
    """
    whole: list[Document] = []
    for word in words:
        text = word.get("word", "")
        if whole and whole[0].get("word", "")[:1] == " " and re.match(r"[^\w\s]", text):
            last = whole[-1]
            whole[-1] = {**last, "word": last["word"] + text, "end": word.get("end")}
        else:
            whole.append(word)
    return whole


def _whisper_cpp(content: Document) -> Parts:
    pieces = [
        _piece(part["text"], part["offsets"]["from"], part["offsets"]["to"], part.get("speaker"),
               scale=1000)
        for part in content["transcription"]
    ]  # fmt: skip
    return "", pieces


def _chunks(content: Document) -> Parts:
    """The pipeline of transformers."""
    return content["text"], [
        _piece(part["text"], part["timestamp"][0], part["timestamp"][1], part.get("speaker"))
        for part in content["chunks"]
    ]


def _deepgram(content: Document) -> Parts:
    channels = content["results"]["channels"]
    best = [channel["alternatives"][0] for channel in channels]
    numbers: Sequence[int | None] = range(len(channels)) if len(channels) > 1 else [None]
    return " ".join(part["transcript"] for part in best), [
        _piece(word.get("punctuated_word") or word["word"], word["start"], word["end"],
               word.get("speaker"), number)
        for number, part in zip(numbers, best, strict=True)
        for word in part.get("words") or ()
    ]  # fmt: skip


def _aws(content: Document) -> Parts:
    results = content["results"]
    text = " ".join(part["transcript"] for part in results["transcripts"])
    labels = results.get("speaker_labels") or {}
    speakers = {
        (item["start_time"], item["end_time"]): item.get("speaker_label", segment["speaker_label"])
        for segment in labels.get("segments") or ()
        for item in segment.get("items") or ()
    }
    channels = (results.get("channel_labels") or {}).get("channels")
    if channels:
        pieces = [
            piece
            for channel in channels
            for piece in _aws_words(channel["items"], speakers, channel["channel_label"])
        ]
        return text, pieces
    return text, _aws_words(results.get("items") or (), speakers, None)


def _aws_words(
    items: Iterable[Document], speakers: Mapping[Any, str], channel: str | None
) -> Iterator[TimedText]:
    spoken: list[tuple[str, Document]] = []
    for item in items:
        content = item["alternatives"][0]["content"]
        if item["type"] == "punctuation" and spoken:
            spoken[-1] = (spoken[-1][0] + content, spoken[-1][1])
        else:
            spoken.append((content, item))
    for content, item in spoken:
        times = item.get("start_time"), item.get("end_time")
        yield _piece(content, *times, item.get("speaker_label") or speakers.get(times), channel)


def _aws_analytics(content: Document) -> Parts:
    """Call Analytics: who takes part is the speaker."""
    return "", [
        _piece(part["Content"], part["BeginOffsetMillis"], part["EndOffsetMillis"],
               part.get("ParticipantRole"), scale=1000)
        for part in content["Transcript"]
    ]  # fmt: skip


def _assemblyai(content: Document) -> Parts:
    parts = content.get("words") or content.get("utterances") or ()
    return content["text"] or "", [
        _piece(part["text"], part["start"], part["end"], part.get("speaker"), part.get("channel"),
               scale=1000)
        for part in parts
    ]  # fmt: skip


def _google(content: Document) -> Parts:
    """Speech-to-Text, both versions. With speakers the last result repeats all words."""
    results = _google_results(content) or ()
    best = [(result, result["alternatives"][0]) for result in results if result.get("alternatives")]
    text = " ".join(part.get("transcript", "") for _, part in best)
    words = [_google_words(result, part.get("words") or ()) for result, part in best]
    if words and words[-1] and all(word.speaker not in ("", "0") for word in words[-1]):
        told = sum(len(part) for part in words[:-1])
        if len(words) > 1 and len(words[-1]) >= told:
            words = words[-1:]
    return text, [word for part in words for word in part]


def _google_words(result: Document, words: Iterable[Document]) -> list[TimedText]:
    return [
        _piece(
            word["word"],
            _seconds(word.get("startTime", word.get("startOffset", word.get("start_time", 0)))),
            _seconds(word.get("endTime", word.get("endOffset", word.get("end_time")))),
            word.get("speakerLabel") or word.get("speakerTag") or word.get("speaker_tag"),
            result.get("channelTag", result.get("channel_tag")) or None,
        )
        for word in words
    ]


def _azure_batch(content: Document) -> Parts:
    phrases = [phrase for phrase in content["recognizedPhrases"] if phrase.get("nBest")]
    several = len({phrase.get("channel") for phrase in phrases}) > 1
    pieces = []
    for phrase in phrases:
        start = _azure_time(phrase, "offset")
        pieces.append(
            _piece(
                phrase["nBest"][0]["display"], start, start + _azure_time(phrase, "duration"),
                phrase.get("speaker"), phrase.get("channel") if several else None,
            )
        )  # fmt: skip
    pieces.sort(key=lambda piece: piece.start or 0.0)
    return " ".join(part["display"] for part in content["combinedRecognizedPhrases"]), pieces


def _azure_time(part: Document, name: str) -> float:
    ticks = part.get(f"{name}InTicks")
    return float(ticks) / TICKS if ticks is not None else _seconds(part[name]) or 0.0


def _azure_fast(content: Document) -> Parts:
    phrases = content["phrases"]
    several = len({phrase.get("channel") for phrase in phrases}) > 1
    return " ".join(part["text"] for part in content["combinedPhrases"]), [
        _piece(
            part["text"], part["offsetMilliseconds"],
            part["offsetMilliseconds"] + part["durationMilliseconds"],
            phrase.get("speaker"), phrase.get("channel") if several else None, scale=1000,
        )
        for phrase in phrases
        for part in phrase.get("words") or [phrase]
    ]  # fmt: skip


def _azure_short(content: Document) -> Parts:
    best = (content.get("NBest") or [{}])[0]
    start = float(content.get("Offset", 0)) / TICKS
    end = start + float(content.get("Duration", 0)) / TICKS
    text = content.get("DisplayText") or best.get("Display", "")
    return text, [_piece(text, start, end)]


def _speechmatics(content: Document) -> Parts:
    spoken: list[tuple[str, Document]] = []
    for result in content["results"]:
        word = result["alternatives"][0]["content"] if result.get("alternatives") else ""
        before = result.get("attaches_to", "previous") in ("previous", "both")
        if result["type"] == "punctuation" and before and spoken:
            spoken[-1] = (spoken[-1][0] + word, spoken[-1][1])
        elif word:
            spoken.append((word, result))
    return "", [
        _piece(word, result["start_time"], result["end_time"],
               None if (who := result["alternatives"][0].get("speaker")) == "UU" else who,
               result.get("channel"))
        for word, result in spoken
    ]  # fmt: skip


def _elevenlabs(content: Document) -> Parts:
    """Its text has sounds, `(laughter)`, where words are meant: so it is taken from the words."""
    parts = content.get("transcripts") or [content]
    spoken = (word for part in parts for word in [*part["words"], {"type": "", "text": " "}])
    text = "".join(word["text"] for word in spoken if word["type"] != "audio_event")
    return text if any(part["words"] for part in parts) else content.get("text", ""), [
        _piece(word["text"], word.get("start"), word.get("end"), word.get("speaker_id"),
               part.get("channel_index") if len(parts) > 1 else None)
        for part in parts
        for word in part["words"]
        if word["type"] == "word"
    ]  # fmt: skip


def _plain(content: Document) -> Parts:
    return content["text"], ()


def _has(*names: str) -> Callable[[Document], bool]:
    return lambda content: all(name in content for name in names)


def _within(name: str, *inner: str) -> Callable[[Document], bool]:
    return lambda content: isinstance(content.get(name), dict) and set(inner) <= set(content[name])


def _first_has(name: str, *inner: str) -> Callable[[Document], bool]:
    """Whether the first of a list has these fields."""

    def known(content: Document) -> bool:
        part = content.get(name)
        first = part[0] if isinstance(part, list) and part else None
        return isinstance(first, dict) and set(inner) <= set(first)

    return known


def _google_results(content: Document) -> Sequence[Document] | None:
    """The results, as they are or in an operation or a batch of one file; none of silence."""
    inner = content.get("response") or content
    results = inner.get("results", [] if set(inner) & GOOGLES else None)
    if isinstance(results, dict) and len(results) == 1:
        (file,) = results.values()
        results = (file.get("transcript") or file["inlineResult"]["transcript"]).get("results", [])
        return cast("Sequence[Document]", results)
    return results if isinstance(results, list) else None


def _is_google(content: Document) -> bool:
    results = _google_results(content)
    known = {"alternatives", "resultEndTime", "resultEndOffset", "languageCode"}
    return results is not None and all(known & set(part) for part in results[:1])


def _is_elevenlabs(content: Document) -> bool:
    parts = content.get("transcripts") or [content]
    return all("language_code" in part and "words" in part and "text" in part for part in parts)


def _is_speechmatics(content: Document) -> bool:
    results = content.get("results")
    typed = isinstance(results, list) and all("type" in result for result in results[:1])
    return typed and "format" in content


_is_segments = _first_has("list", "text", "start")

# The more particular first: several have `text` and `words`.
READERS: tuple[tuple[str, Callable[[Document], bool], Callable[[Document], Parts]], ...] = (
    ("Deepgram", _within("results", "channels"), _deepgram),
    ("AWS Transcribe", _within("results", "transcripts"), _aws),
    ("Azure (batch)", _has("recognizedPhrases", "combinedRecognizedPhrases"), _azure_batch),
    ("Azure (fast transcription)", _has("combinedPhrases", "phrases"), _azure_fast),
    ("Azure", _has("RecognitionStatus"), _azure_short),
    ("Speechmatics", _is_speechmatics, _speechmatics),
    ("AWS Transcribe (Call Analytics)", _first_has("Transcript", "Content", "BeginOffsetMillis"),
     _aws_analytics),
    ("AssemblyAI", _has("text", "status", "id", "words"), _assemblyai),
    ("ElevenLabs", _is_elevenlabs, _elevenlabs),
    ("whisper.cpp", _has("transcription", "result"), _whisper_cpp),
    ("Whisper (transformers)", _has("chunks", "text"), _chunks),
    ("Whisper", lambda content: isinstance(content.get("segments"), list), _whisper),
    ("Whisper", _first_has("words", "word", "start"), _whisper),
    ("Google", _is_google, _google),
    ("OpenAI", lambda found: isinstance(found.get("text"), str) and set(found) <= PLAIN, _plain),
)  # fmt: skip
SERVICES = tuple(dict.fromkeys(service.partition(" (")[0] for service, _, _ in READERS))
