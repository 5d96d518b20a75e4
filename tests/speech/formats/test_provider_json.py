"""The JSON of services, as their documentation shows it: seven words, two of them wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gistmeter import score_speech
from gistmeter.core.errors import FormatError, InputError
from gistmeter.speech.formats.pairing import pair_files
from gistmeter.speech.formats.provider_json import read_document
from gistmeter.speech.formats.utterances import read_transcripts

SAID = "turn on the light call my mother"
HEARD = "Turn on a light. Call my brother."
WORDS = [  # word, start, end, speaker
    ("Turn", 0.1, 0.4, 0), ("on", 0.4, 0.6, 0), ("a", 0.6, 0.7, 0), ("light.", 0.7, 1.2, 0),
    ("Call", 2.0, 2.3, 1), ("my", 2.3, 2.5, 1), ("brother.", 2.5, 3.0, 1),
]  # fmt: skip
SENTENCES = [("Turn on a light.", 0.1, 1.2, 0), ("Call my brother.", 2.0, 3.0, 1)]


def bare(word: str) -> str:
    return word.strip(".").lower()


WHISPER = {
    "text": f" {HEARD}",
    "segments": [
        {"id": at, "seek": 0, "start": start, "end": end, "text": f" {text}", "tokens": [50364],
         "temperature": 0.0, "avg_logprob": -0.2, "compression_ratio": 1.1, "no_speech_prob": 0.01}
        for at, (text, start, end, _) in enumerate(SENTENCES)
    ],
    "language": "en",
}  # fmt: skip
WHISPERX = {
    "segments": [
        {"start": start, "end": end, "text": f" {text}", "speaker": f"SPEAKER_0{who}",
         "words": [{"word": word, "start": first, "end": last, "score": 0.9,
                    "speaker": f"SPEAKER_0{by}"} for word, first, last, by in WORDS if by == who]}
        for text, start, end, who in SENTENCES
    ],
    "language": "en",
}  # fmt: skip
WHISPER_CPP = {
    "systeminfo": "AVX = 1", "model": {"type": "base"}, "params": {}, "result": {"language": "en"},
    "transcription": [
        {"timestamps": {"from": "00:00:00,100", "to": "00:00:01,200"},
         "offsets": {"from": int(start * 1000), "to": int(end * 1000)}, "text": f" {text}"}
        for text, start, end, _ in SENTENCES
    ],
}  # fmt: skip
TRANSFORMERS = {
    "text": f" {HEARD}",
    "chunks": [
        {"timestamp": [start, end], "text": f" {text}"} for text, start, end, _ in SENTENCES
    ],
}
VERBOSE = {
    "task": "transcribe", "language": "english", "duration": 3.1, "text": HEARD,
    "words": [{"word": bare(word), "start": start, "end": end} for word, start, end, _ in WORDS],
}  # fmt: skip
DEEPGRAM = {
    "metadata": {"request_id": "a1", "duration": 3.1, "channels": 1},
    "results": {"channels": [{"alternatives": [{
        "transcript": HEARD, "confidence": 0.99,
        "words": [
            {"word": bare(word), "start": start, "end": end, "confidence": 0.9, "speaker": who,
             "speaker_confidence": 0.8, "punctuated_word": word}
            for word, start, end, who in WORDS
        ],
    }]}]},
}  # fmt: skip
AWS_ITEMS = [
    item
    for word, start, end, who in WORDS
    for item in (
        {"start_time": str(start), "end_time": str(end), "type": "pronunciation",
         "speaker_label": f"spk_{who}",
         "alternatives": [{"confidence": "0.99", "content": word.strip(".")}]},
        *([{"type": "punctuation", "alternatives": [{"confidence": "0.0", "content": "."}]}]
          if word.endswith(".") else []),
    )
]  # fmt: skip
AWS = {
    "jobName": "call", "accountId": "1", "status": "COMPLETED",
    "results": {
        "transcripts": [{"transcript": HEARD}],
        "speaker_labels": {"speakers": 2, "segments": [
            {"start_time": str(start), "end_time": str(end), "speaker_label": f"spk_{who}",
             "items": [{"start_time": str(first), "end_time": str(last),
                        "speaker_label": f"spk_{by}"} for _, first, last, by in WORDS if by == who]}
            for _, start, end, who in SENTENCES
        ]},
        "items": AWS_ITEMS,
    },
}  # fmt: skip
ASSEMBLYAI = {
    "id": "5551722", "status": "completed", "audio_url": "https://example.org/a.mp3",
    "language_code": "en_us", "text": HEARD, "confidence": 0.95,
    "words": [
        {"text": word, "start": int(start * 1000), "end": int(end * 1000), "confidence": 0.9,
         "speaker": "AB"[who]}
        for word, start, end, who in WORDS
    ],
    "utterances": [
        {"speaker": "AB"[who], "text": text, "start": int(start * 1000), "end": int(end * 1000),
         "confidence": 0.9, "words": []}
        for text, start, end, who in SENTENCES
    ],
}  # fmt: skip
GOOGLE_WORDS = [
    {"startTime": f"{start:.3f}s", "endTime": f"{end:.3f}s", "word": word}
    for word, start, end, _ in WORDS
]
GOOGLE = {
    "results": [
        {"alternatives": [{"transcript": "Turn on a light.", "confidence": 0.98,
                           "words": GOOGLE_WORDS[:4]}], "resultEndTime": "1.400s",
         "languageCode": "en-us"},
        {"alternatives": [{"transcript": " Call my brother.", "confidence": 0.98,
                           "words": GOOGLE_WORDS[4:]}], "languageCode": "en-us"},
        # With speakers the last result repeats all words.
        {"alternatives": [{"words": [
            {**word, "speakerTag": who + 1}
            for word, (_, _, _, who) in zip(GOOGLE_WORDS, WORDS, strict=True)
        ]}]},
    ],
    "totalBilledTime": "15s",
}  # fmt: skip
GOOGLE_OPERATION = {
    "name": "7612202767953098924", "done": True,
    "metadata": {"@type": "type.googleapis.com/LongRunningRecognizeMetadata"},
    "response": {**GOOGLE, "@type": "x"},
}  # fmt: skip
AZURE = {
    "source": "https://example.org/a.wav", "timestamp": "2026-01-01T00:00:00Z",
    "durationInTicks": 31000000, "duration": "PT3.1S",
    "combinedRecognizedPhrases": [
        {"channel": 0, "lexical": "x", "itn": "x", "maskedITN": "x", "display": HEARD}
    ],
    "recognizedPhrases": [
        {"recognitionStatus": "Success", "channel": 0, "speaker": who + 1, "offset": f"PT{start}S",
         "duration": f"PT{end - start:.2f}S", "offsetInTicks": start * 1e7,
         "durationInTicks": (end - start) * 1e7,
         "nBest": [{"confidence": 0.9, "lexical": text.lower(), "itn": text, "maskedITN": text,
                    "display": text}]}
        for text, start, end, who in SENTENCES
    ],
}  # fmt: skip
AZURE_FAST = {
    "durationMilliseconds": 3100, "combinedPhrases": [{"text": HEARD}],
    "phrases": [
        {"speaker": who + 1, "offsetMilliseconds": int(start * 1000),
         "durationMilliseconds": int((end - start) * 1000), "text": text, "locale": "en-US",
         "confidence": 0.9, "words": [
             {"text": word, "offsetMilliseconds": int(first * 1000),
              "durationMilliseconds": round((last - first) * 1000)}
             for word, first, last, by in WORDS if by == who]}
        for text, start, end, who in SENTENCES
    ],
}  # fmt: skip
AZURE_SHORT = {
    "RecognitionStatus": "Success", "Offset": 1000000, "Duration": 29000000, "DisplayText": HEARD,
}  # fmt: skip
SPEECHMATICS = {
    "format": "2.9", "job": {"id": "x", "duration": 3}, "metadata": {"type": "transcription"},
    "results": [
        result
        for word, start, end, who in WORDS
        for result in (
            {"alternatives": [{"confidence": 1.0, "content": word.strip("."), "language": "en",
                               "speaker": f"S{who + 1}"}],
             "start_time": start, "end_time": end, "type": "word"},
            *([{"alternatives": [{"confidence": 1.0, "content": "."}], "attaches_to": "previous",
                "start_time": end, "end_time": end, "is_eos": True, "type": "punctuation"}]
              if word.endswith(".") else []),
        )
    ],
}  # fmt: skip
ELEVENLABS = {
    "language_code": "en", "language_probability": 0.98, "text": HEARD,
    "words": [
        part
        for word, start, end, who in WORDS
        for part in (
            {"text": word, "start": start, "end": end, "type": "word",
             "speaker_id": f"speaker_{who}"},
            {"text": " ", "start": end, "end": end, "type": "spacing",
             "speaker_id": f"speaker_{who}"},
        )
    ] + [{"text": "(laughter)", "start": 3.0, "end": 3.1, "type": "audio_event"}],
}  # fmt: skip
PLAIN = {"text": HEARD, "usage": {"type": "tokens", "total_tokens": 45}}

DOCUMENTS = {
    "Whisper": (WHISPER, 2, 0), "Whisper (WhisperX)": (WHISPERX, 7, 2),
    "whisper.cpp": (WHISPER_CPP, 2, 0), "Whisper (transformers)": (TRANSFORMERS, 2, 0),
    "Whisper (verbose)": (VERBOSE, 7, 0), "Deepgram": (DEEPGRAM, 7, 2),
    "AWS Transcribe": (AWS, 7, 2), "AssemblyAI": (ASSEMBLYAI, 7, 2), "Google": (GOOGLE, 7, 2),
    "Google (operation)": (GOOGLE_OPERATION, 7, 2), "Azure (batch)": (AZURE, 2, 2),
    "Azure (fast transcription)": (AZURE_FAST, 7, 2), "Azure": (AZURE_SHORT, 1, 0),
    "Speechmatics": (SPEECHMATICS, 7, 2), "ElevenLabs": (ELEVENLABS, 7, 2), "OpenAI": (PLAIN, 0, 0),
}  # fmt: skip


def write(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_service_is_known_by_its_fields_and_said(tmp_path: Path, name: str) -> None:
    document, pieces, speakers = DOCUMENTS[name]
    found = read_document(document)
    assert found is not None
    assert found.service.partition(" (")[0] == name.partition(" (")[0]
    assert found.text == HEARD
    assert len(found.pieces) == pieces
    assert len({piece.speaker for piece in found.pieces} - {""}) == speakers
    if pieces:
        assert found.pieces[0].start == pytest.approx(0.1)
        assert found.pieces[-1].end == pytest.approx(3.0)
    said = write(tmp_path, "said.txt", SAID)
    run = score_speech(said, write(tmp_path, "call.json", document), language="en", metrics=["wer"])
    assert run["wer"].value == pytest.approx(100 * 2 / 7)
    assert any(f"read as JSON of {found.service}" in remark for remark in run.remarks)


def test_words_of_a_service_go_to_the_segments_of_an_stm(tmp_path: Path) -> None:
    stm = "rec 1 ada 0.0 1.5 turn on the light\nrec 1 ada 1.5 3.5 call my mother\n"
    said = write(tmp_path, "said.stm", stm)
    for name, document in (("v.json", VERBOSE), ("w.json", WHISPER)):  # with word times, without
        clips = pair_files(said, [write(tmp_path, name, document)]).clips
        assert [(clip.got or "").lower().replace(".", "") for clip in clips] == [
            "turn on a light", "call my brother",
        ]  # fmt: skip


def test_two_channels_are_matched_in_their_order(tmp_path: Path) -> None:
    channel = DEEPGRAM["results"]["channels"][0]["alternatives"][0]  # type: ignore[index]
    parts = [
        {
            "alternatives": [
                {**channel, "words": [w for w in channel["words"] if w["speaker"] == who]}
            ]
        }
        for who in (0, 1)
    ]
    heard = write(tmp_path, "call.json", {"metadata": {}, "results": {"channels": parts}})
    stm = "rec A ada 0.0 3.5 turn on the light\nrec B ben 0.0 3.5 call my mother\n"
    found = pair_files(write(tmp_path, "said.stm", stm), [heard])
    assert [clip.got for clip in found.clips] == ["Turn on a light.", "Call my brother."]
    assert "channel 0 is A, 1 is B" in "\n".join(found.remarks)


CALL = "rec 1 ada 0.0 1.5 turn on the light\nrec 1 ben 1.5 3.5 call my mother\n"


@pytest.mark.parametrize("speaker", ["UU", "S1"])
def test_one_name_for_all_speakers_tells_none_apart(tmp_path: Path, speaker: str) -> None:
    """Speechmatics says `UU` where it was not asked for speakers, others say the first one's."""
    document = json.loads(json.dumps(SPEECHMATICS))
    for result in document["results"]:
        result["alternatives"][0]["speaker"] = speaker
    said, heard = write(tmp_path, "said.stm", CALL), write(tmp_path, "call.json", document)
    run = score_speech(said, heard, language="en", metrics=["wer"])
    assert run["wer"].value == pytest.approx(100 * 2 / 7)
    assert any("words by their times" in remark for remark in run.remarks)


@pytest.mark.parametrize("speaker", [None, 0])
def test_channels_of_a_call_are_its_speakers(tmp_path: Path, speaker: int | None) -> None:
    """Both speak at once, each on a channel; where speakers are counted per channel, too."""
    parts = [
        {"alternatives": [{
            "transcript": text,
            "words": [{**word, "speaker": speaker} for word in part(text, 0.0, 0)["words"]],
        }]}
        for text in ("turn on a light", "call my brother")
    ]  # fmt: skip
    heard = write(tmp_path, "call.json", {"metadata": {}, "results": {"channels": parts}})
    said = write(tmp_path, "said.stm", CALL.replace("1.5", "0.0"))
    run = score_speech(said, heard, language="en", metrics=["wer", "cpwer"])
    assert (run["wer"].value, run["cpwer"].value) == pytest.approx((200 / 7, 200 / 7))


def test_parts_of_whispers_words_are_put_together(tmp_path: Path) -> None:
    words = [(" Pay", 0, 1), (" $10", 1, 2), (",000", 2, 2.5), (" in", 3, 4), (" twenty", 5, 6),
             ("-one", 6, 7), (" days", 8, 9)]  # fmt: skip
    segment = {"id": 0, "start": 0, "end": 9, "text": " Pay $10,000 in twenty-one days", "words": [
        {"word": word, "start": start, "end": end, "probability": 0.9} for word, start, end in words
    ]}  # fmt: skip
    heard = write(tmp_path, "call.json", {"text": segment["text"], "segments": [segment]})
    said = write(tmp_path, "said.stm", "rec 1 ada 0 4.5 pay $10,000 in\nrec 1 ada 4.5 9 21 days\n")
    clips = pair_files(said, [heard]).clips
    assert [clip.got for clip in clips] == ["Pay $10,000 in", "twenty-one days"]


def part(text: str, start: float, who: int) -> dict[str, Any]:
    """An utterance with words a quarter of a second apart, as Deepgram has them."""
    return {"transcript": text, "words": [
        {"word": bare(word), "punctuated_word": word, "start": start + at / 4,
         "end": start + at / 4 + 0.2, "speaker": who}
        for at, word in enumerate(text.split())
    ]}  # fmt: skip


def test_channels_are_one_text_in_the_order_of_time() -> None:
    turns = [part("How are you?", 0.0, 0), part("Fine.", 2.0, 1), part("And the knee?", 4.0, 0)]
    channels = [
        {"alternatives": [{
            "transcript": " ".join(turn["transcript"] for turn in turns if turn in own),
            "words": [word for turn in own for word in turn["words"]],
        }]}
        for own in ([turns[0], turns[2]], [turns[1]])
    ]  # fmt: skip
    found = read_document({"results": {"channels": channels}})
    assert found is not None
    assert found.text == "How are you? Fine. And the knee?"


EVENTS = {**ELEVENLABS, "text": f"(coughs) {HEARD} (laughter)", "words": [
    {"text": "(coughs)", "start": 0, "end": 0.1, "type": "audio_event"},
    *ELEVENLABS["words"],  # type: ignore[misc]
]}  # fmt: skip
DIARISED = {
    "task": "transcribe", "duration": 3.1,
    "text": "Agent: Turn on a light.\nA: Call my brother.",
    "segments": [
        {"type": "transcript.text.segment", "id": f"seg_{at}", "start": start, "end": end,
         "text": text, "speaker": ("agent", "A")[who]}
        for at, (text, start, end, who) in enumerate(SENTENCES)
    ],
}  # fmt: skip
ANALYTICS = {
    "JobStatus": "COMPLETED", "LanguageCode": "en-US", "Channel": "VOICE",
    "Transcript": [
        {"Content": text, "ParticipantRole": ("AGENT", "CUSTOMER")[who], "Items": [],
         "BeginOffsetMillis": int(start * 1000), "EndOffsetMillis": int(end * 1000)}
        for text, start, end, who in SENTENCES
    ],
}  # fmt: skip
GOOGLE_BATCH = {
    "results": {"gs://bucket/a.wav": {"transcript": {"results": GOOGLE["results"][:2]}}},  # type: ignore[index]
    "totalBilledDuration": "15s",
}
SEGMENTS = [{"text": text, "start": start, "end": end} for text, start, end, _ in SENTENCES]


@pytest.mark.parametrize("document", [EVENTS, DIARISED, ANALYTICS, GOOGLE_BATCH, SEGMENTS])
def test_further_answers_of_services_are_the_words_alone(document: Any) -> None:
    found = read_document(document)
    assert found is not None
    assert found.text == HEARD


@pytest.mark.parametrize(
    "document",
    [
        {"totalBilledTime": "15s", "requestId": "1"},
        {"results": [{"languageCode": "en", "resultEndOffset": "3s"}]},
        {"RecognitionStatus": "InitialSilenceTimeout", "Offset": 0, "Duration": 0},
        {"id": "x", "status": "completed", "text": "", "words": []},
        {"systeminfo": "", "result": {"language": "en"}, "transcription": []},
        {"text": "", "chunks": []},
    ],
)
def test_what_heard_nothing_is_silence(tmp_path: Path, document: Any) -> None:
    heard = read_transcripts(write(tmp_path, "call.json", document))
    assert heard.texts == {"call": ""}


FAILURES = {
    "AssemblyAI": {"id": "x", "status": "error", "text": None, "words": None, "error": "No audio"},
    "unfinished": {"id": "x", "status": "queued", "text": None, "words": None},
    "Deepgram": {"err_code": "Bad Request", "err_msg": "corrupt data", "request_id": "1"},
    "AWS": {"TranscriptionJob": {"TranscriptionJobStatus": "FAILED", "FailureReason": "short"}},
    "OpenAI": {"error": {"message": "Invalid file format.", "type": "invalid_request_error"}},
    "Azure": {"RecognitionStatus": "Error"},
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_no_silence(tmp_path: Path, name: str) -> None:
    """In a folder its clip is unscored; a file of its own is an error with the service's words."""
    for folder in ("said", "heard"):
        (tmp_path / folder).mkdir()
    for clip in ("a", "b"):
        write(tmp_path / "said", f"{clip}.txt", SAID)
    write(tmp_path / "heard", "a.json", DEEPGRAM)
    failed = write(tmp_path / "heard", "b.json", FAILURES[name])
    found = pair_files(tmp_path / "said", [tmp_path / "heard"])
    assert [clip.got for clip in found.clips] == [HEARD, None]
    assert "no transcript for 1 clips (b); left unscored" in "\n".join(found.remarks)
    with pytest.raises(FormatError, match="is not a transcript: its service says '"):
        pair_files(tmp_path / "said" / "b.txt", [failed])


def test_a_folder_of_json_is_one_recording_per_file(tmp_path: Path) -> None:
    (tmp_path / "said").mkdir()
    (tmp_path / "heard").mkdir()
    for name in ("a", "b"):
        write(tmp_path / "said", f"{name}.txt", SAID)
        write(tmp_path / "heard", f"{name}.json", DEEPGRAM)
    found = pair_files(tmp_path / "said", [tmp_path / "heard"])
    assert [clip.got for clip in found.clips] == [HEARD, HEARD]
    assert "one file per utterance of Deepgram, 2 utterances" in "\n".join(found.remarks)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"foo": 1, "bar": "turn on the light"}, "JSON of no known kind .it has foo, bar."),
        ([1, 2, 3], "JSON of no known kind .it has a list."),
        ({"results": {"channels": "?"}}, "JSON of no known kind"),
        ('{"text": "turn on', "not valid JSON"),
        ("turn on the light", "does not begin as JSON"),
    ],
)
def test_other_json_is_refused_and_never_read_as_prose(
    tmp_path: Path, content: Any, message: str
) -> None:
    said, heard = write(tmp_path, "said.txt", SAID), write(tmp_path, "x.json", content)
    for reading in ("auto", "whole", "lines"):
        with pytest.raises((FormatError, InputError), match=message):
            pair_files(said, [heard], reading)


def test_prose_that_begins_with_a_bracket_is_prose(tmp_path: Path) -> None:
    for text in ("[laughter] turn on the light", "{ um / @ } turn on the light"):
        assert read_transcripts(write(tmp_path, "a.txt", text)).whole == text
