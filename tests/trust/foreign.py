"""Sound files of the forms that transcripts and books are kept in, for the fuzzers to change."""

from __future__ import annotations

from typing import Any

STM = "".join(
    f"m 1 {name} {at}.00 {at + 2}.50 <o> it {{ rains / rained / @ }} on (%hesitation) day {at}\n"
    for at, name in enumerate("abab")
)
CTM = "".join(f"m 1 {at / 2:.2f} 0.40 day 0.9 lex {'ab'[at % 2]}\n" for at in range(12))
RTTM = "".join(f"SPEAKER m 1 {at}.0 2.5 <NA> <NA> {'xy'[at % 2]} <NA> <NA>\n" for at in range(6))
VTT = "WEBVTT\n\n" + "".join(
    f"{at}\n00:00:0{at}.000 --> 00:00:0{at + 1}.500\n<v Anna>it rained <c>on</c> day {at}\n\n"
    for at in range(5)
)
TURNS = "".join(f"[00:0{at}:10] {['Anna', 'Bob'][at % 2]}: it rained {at}\n" for at in range(6))
TRN = "it rained (a-1)\non day 1 (a-2)\n"
WORDS = [
    {"word": "it", "start": 0.1, "end": 0.4, "speaker": 0},
    {"word": "rained", "start": 0.5, "end": 1},
]
SPOKEN = {"type": "pronunciation", "start_time": "0.1", "end_time": "0.5"}
GOOGLE = {"word": "it", "startTime": "0.1s", "endTime": {"seconds": 1, "nanos": 5}, "speakerTag": 1}
PHRASE = {"offset": "PT0.1S", "duration": "PT1M1.5S", "nBest": [{"display": "it rained"}]}
SERVED: tuple[Any, ...] = (
    {"results": {"channels": [{"alternatives": [{"transcript": "it rained", "words": WORDS}]}]}},
    {"text": "it rained", "segments": [{"text": "it rained", "start": 0, "words": WORDS}]},
    {"results": [{"alternatives": [{"transcript": "it rained", "words": [GOOGLE]}]}]},
    {
        "results": {
            "transcripts": [{"transcript": "it."}],
            "items": [
                {**SPOKEN, "alternatives": [{"content": "it"}]},
                {"type": "punctuation", "alternatives": [{"content": "."}]},
            ],
        }
    },
    {
        "text": "it", "status": "completed", "id": "1", "audio_url": "x",
        "words": [{"text": "it", "start": 100, "end": 400, "speaker": "A"}],
    },
    {"RecognitionStatus": "Success", "DisplayText": "It rained.", "Offset": 100, "Duration": 9},
    {"transcription": [{"text": "it rained", "offsets": {"from": 0, "to": 900}}]},
    {"combinedRecognizedPhrases": [{"display": "it rained"}], "recognizedPhrases": [PHRASE]},
    [
        {"session_id": "m", "speaker": "a", "words": "it rained", "start_time": 0, "end_time": "2"},
        {"session_id": "m", "speaker": "b", "words": "on day 1", "start_time": 3, "end_time": 4},
    ],
    [
        {"audio_filepath": "a.wav", "duration": 1.5, "text": "it rains", "pred_text": "it rained"},
        {"audio_filepath": "b.wav", "duration": 1.5, "text": "on day 1", "pred_text": "on day 2"},
    ],
)  # fmt: skip
PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>t</title></head><body>
<h1>One</h1><p>It rained <sup>1</sup> and <b>we</b> left &amp; nobody came.</p><!-- c -->
<p>A dog slept. <p class="footnote">aside</p><img src="x">
<table><tr><td>All was well.</td></tr></table></body></html>"""
FB2 = """<?xml version="1.0" encoding="utf-8"?><FictionBook><body><section>
<title><p>One</p></title>
<p>It rained and <a type="note">1</a> we left.</p>
<p>Nobody came. A dog slept.</p></section></body></FictionBook>"""
WORD = """<?xml version="1.0"?><w:document xmlns:w="u"><w:body><w:p><w:pPr>
<w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>One</w:t></w:r></w:p>
<w:p><w:r><w:t>It rained and we left.</w:t><w:tab/></w:r></w:p></w:body></w:document>"""
EPUB = {
    "META-INF/container.xml": """<container><rootfiles>
<rootfile full-path="o.opf"/></rootfiles></container>""",
    "o.opf": """<package><manifest>
<item id="a" href="a.html" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>""",
    "toc.ncx": """<ncx><navPoint><navLabel><text>One</text></navLabel>
<content src="a.html"/></navPoint></ncx>""",
    "a.html": PAGE,
}
DOCX = {"word/document.xml": WORD}
WRAPPED = (
    '```json\n{"answer": "**it** rained"}\n```', "<p>it <b>rained</b></p>", "> - 1. it\n2. rained",
    "<think>x</think> Sure! Here is it: rain. I hope this helps!",
    "{ it / { rains / rained } } on (%um) day-",
)  # fmt: skip
FILED = "A=1\nexport OPENAI_API_KEY='x' # c\n"
