"""A summary beside its article: each of its sentences should be in the article."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import gistmeter
from gistmeter.core.types import Pair
from gistmeter.core.views import Row
from gistmeter.metrics.gist import PairGist
from gistmeter.metrics.gist.long_source import ROOM, SourceReading, pooled, readings
from gistmeter.metrics.views import evidence_blocks
from text.text_doubles import Given, Letters

ARTICLE = """\
The harbour of Veldt was closed on Monday morning after a storm drove waves of six metres against
the old breakwater. It opened again on Wednesday, two days later. All ferries to the islands were
cancelled, and some four hundred passengers spent the night in a sports hall that the town had
opened for them.
Two fishermen, aged 34 and 51, were lifted from their boat by a helicopter of the coast guard on
Monday evening. Both were cold but unhurt. Their boat sank an hour later. The coast guard said that
a warning had been sent out on Sunday, but that the radio on the boat was broken.
The mayor, Ingrid Solberg, visited the harbour on Tuesday. She said that the breakwater, which was
built in 1931, had been damaged in three places. The town would have it repaired before winter, she
promised, and would ask the state to pay half of the costs, which engineers put at 2.4 million
euros.
Fishermen who spoke to this newspaper were less sure. The breakwater had been patched in 1998 and
again in 2011, said one of them, and each time the sea had found the weak place within a few years.
Trains were not affected. Schools in the lower town stayed closed on Monday but opened on Tuesday.
"""
ARTICLE_ZH = (
    "周一早上，暴风雨把六米高的海浪推向旧防波堤，维尔特港因此关闭，两天后的周三才重新开放。"
    "开往各岛的渡轮全部取消，大约四百名乘客在镇上开放的体育馆里过夜。周一晚上，海岸警卫队的"
    "直升机从船上救起了两名渔民，他们分别是三十四岁和五十一岁。两人都冻坏了，但没有受伤。一小时后"
    "他们的船沉没了。海岸警卫队说，周日已经发出警告，但船上的无线电坏了。周二，镇长索尔贝格视察了"
    "港口。她说，建于一九三一年的防波堤有三处受损。她承诺镇政府会在冬天之前把它修好，并请国家承担"
    "一半费用，工程师估计费用为二百四十万欧元。接受本报采访的渔民不太相信。其中一人说，防波堤在一九九八年"
    "和二〇一一年都修补过，每次海水都在几年之内找到薄弱的地方。火车没有受到影响。下城的学校周一停课，"
    "周二复课。气象部门预计周末之前天气会比较平静。镇上的旅馆老板说，他们已经退还了游客的房费。"
)
SUMMARIES = {
    "en": {
        "fair": "A storm closed the harbour of Veldt for two days. A helicopter rescued two men.",
        "copied": "Both were cold but unhurt. Their boat sank an hour later.",
        "contrary": "The harbour of Veldt stayed open all week. Nobody had to be rescued.",
        "unrelated": "The orchestra played Mozart, and the audience applauded for ten minutes.",
        "nothing": "News.",
    },
    "zh": {
        "fair": "暴风雨使维尔特港关闭了两天。直升机救起了两名渔民。",
        "copied": "两人都冻坏了，但没有受伤。一小时后他们的船沉没了。",
        "contrary": "维尔特港整个星期都开放。没有人需要救援。",
        "unrelated": "乐团演奏了莫扎特的作品，观众鼓掌十分钟。",
        "nothing": "新闻。",
    },
}


@pytest.mark.parametrize(("code", "article"), [("en", ARTICLE), ("zh", ARTICLE_ZH)])
def test_a_fair_summary_is_above_a_false_an_unrelated_and_an_empty_one(
    code: str, article: str
) -> None:
    said = SUMMARIES[code]
    run = gistmeter.score_text(
        {name: [text] for name, text in said.items()}, [[article]], language=code,
        metrics=["gist"], resamples=0,
    )  # fmt: skip
    frame = run.to_polars()
    gist = dict(zip(frame["system"], frame["gist"], strict=True))
    assert gist["copied"] > 0.9
    assert gist["fair"] > 0.1 + max(gist[name] for name in ("contrary", "unrelated", "nothing"))
    assert max(gist["unrelated"], gist["nothing"]) < 0.1
    told = json.loads(dict(zip(frame["system"], frame["evidence"], strict=True))["fair"])
    assert told["source"] is True
    assert told["sentence"] in said["fair"]


def test_what_is_read_of_a_pair() -> None:
    short, long = ("It rains.", "It rains."), (ARTICLE, "It rained. It was cold.")
    read = readings([short, long, short], ["en"] * 3, Letters(), {})
    assert [one.pair for one in read] == [0, 1, 1, 2]
    assert read[0] == SourceReading(0, *short)
    assert [one.said for one in read[1:3]] == ["It rained.", "It was cold."]
    assert all(len(one.passage) <= ROOM and one.part for one in read[1:3])
    assert readings([], [], Letters(), {}) == []


def test_gist_is_the_mean_of_the_sentences_by_their_length() -> None:
    read = [
        SourceReading(0, "", "a" * 9, True),
        SourceReading(0, "", "b" * 29, True, 0.5),
        SourceReading(1, "", "c"),
    ]
    values, telling = pooled(np.array([0.8, 0.4, 0.7]), read)
    assert values == pytest.approx([(10 * 0.8 + 30 * 0.2) / 40, 0.7])
    assert telling == [1, 2]
    assert math.isnan(pooled(np.array([0.8, math.nan, 0.7]), read)[0][0])


def test_the_report_names_the_least_supported_sentence() -> None:
    rows = PairGist(Given(), Letters(), Given()).measure(
        [Pair("1", "It rained. It was cold.", (ARTICLE,), language="en")]
    )
    (note, *_) = evidence_blocks(Row(rows, 0))
    assert "the least supported: “It" in note["x"]
