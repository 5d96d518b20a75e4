"""The vendors' sides of a conversation, after their documentation.

Each has heard "hello" when the first sound comes and "hello world" at the end.
"""

from __future__ import annotations

import base64
import json

from speech.recognizers.loopback import Visit


def results(text: str, *, final: bool, **more: object) -> dict[str, object]:
    words = [
        {"word": word, "start": 0.1, "end": 0.2, "confidence": 0.9, "punctuated_word": word, **more}
        for word in text.split()
    ]
    return {
        "type": "Results",
        "channel_index": [0, 1],
        "duration": 1.0,
        "start": 0.0,
        "is_final": final,
        "speech_final": final,
        "channel": {"alternatives": [{"transcript": text, "confidence": 0.9, "words": words}]},
        "metadata": {"request_id": "r", "model_info": {}, "model_uuid": "m"},
        "from_finalize": False,
    }


async def deepgram(visit: Visit) -> None:
    told = False
    while (message := await visit.receive()) is None:
        if not told:
            await visit.send(**results("hello", final=False))
            told = True
    assert json.loads(message) == {"type": "CloseStream"}
    await visit.send(**results("hello", final=True, speaker=0))
    await visit.send(**results("", final=True))
    await visit.send(type="SpeechStarted", channel=[0], timestamp=0.1)
    await visit.send(**results("world", final=True, speaker=1))
    await visit.send(type="Metadata", request_id="r", duration=1.0, channels=1)
    await visit.close()


async def elevenlabs(visit: Visit) -> None:
    await visit.send(
        message_type="session_started", session_id="s", config={"model_id": "scribe_v2_realtime"}
    )
    told = False
    while True:
        text = await visit.receive()
        chunk = json.loads(text or "null")
        assert chunk["message_type"] == "input_audio_chunk"
        assert chunk["sample_rate"] == 16_000
        visit.sound += base64.b64decode(chunk["audio_base_64"])
        if chunk["commit"]:
            break
        if not told:
            await visit.send(message_type="partial_transcript", text="hello")
            told = True
    # What the service had committed of itself arrives after our commit was sent.
    await visit.send(message_type="committed_transcript", text="hello")
    await visit.send(message_type="committed_transcript", text="world")
    await visit.connection.wait_closed()


async def speechmatics(visit: Visit) -> None:
    start = json.loads(await visit.receive() or "null")
    assert start["message"] == "StartRecognition"
    await visit.send(message="Info", type="recognition_quality", quality="broadcast", reason="")
    await visit.send(message="RecognitionStarted", id="j")
    chunks = 0
    while (message := await visit.receive()) is None:
        chunks += 1
        await visit.send(message="AudioAdded", seq_no=chunks)
        if chunks == 1:
            await visit.send(
                message="AddPartialTranscript", metadata={"transcript": "hello "}, results=[]
            )
    assert json.loads(message) == {"message": "EndOfStream", "last_seq_no": chunks}
    speaker = {"alternatives": [{"content": "hello", "confidence": 1, "speaker": "S1"}]}
    await visit.send(message="AddTranscript", metadata={"transcript": "hello "}, results=[speaker])
    await visit.send(message="AddTranscript", metadata={"transcript": "world"}, results=[])
    await visit.send(message="EndOfTranscript")
    await visit.connection.wait_closed()


async def cartesia(visit: Visit) -> None:
    told = False
    while (message := await visit.receive()) is None:
        if not told:
            await visit.send(type="transcript", is_final=False, request_id="r", text="hello")
            told = True
    assert message == "close"
    await visit.send(type="transcript", is_final=True, request_id="r", text="hello wo")
    await visit.send(type="transcript", is_final=True, request_id="r", text="rld")
    await visit.send(type="done", request_id="r")
    await visit.close()
