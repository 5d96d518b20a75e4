"""Korean. Particles are written onto nouns, so that words are found by the analyser."""

from __future__ import annotations

from gistmeter.languages.facts import FactRules
from gistmeter.languages.headings import REST
from gistmeter.languages.hints import WrittenIn
from gistmeter.languages.ko.polarity import KoreanReader
from gistmeter.languages.ko.words import Kiwi, find_names
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.sentences import Splitter

HEADING = (
    f"제?\\s*(?:\\d+|[일이삼사오육칠팔구십]{{1,3}})\\s*[장절부편화권막회]{REST}"
    "|(?:프롤로그|에필로그|서문|서장|종장|머리말|맺음말|후기|들어가며|나가며)(?:\\s.{0,40})?"
)
# “가자.” 하고 그가 말했다.
REPORTS = r"\s*(?:하고|이라고|라고|라며|하며|하는|라는|고\s)"

DIGITS = {sign: value for value, sign in enumerate("영일이삼사오육칠팔구")} | {"공": 0}
# A negation passes over them to what it denies: 잠겨 있지 않다
LIGHT = frozenset(("있다", "하다", "되다", "것", "수", "데", "줄", "적"))

LANGUAGE = Language(
    "ko",
    Kiwi(),
    name="Korean",
    aliases=("kr", "kor", "한국어"),
    particles=True,
    lists=__name__,
    # Dates are written 2024. 5. 3.
    splitter=Splitter(__name__, HEADING, reports=REPORTS, ordinals=True),
    steps=(join_grouped,),
    reader=KoreanReader(),
    facts=FactRules(
        digits=DIGITS,
        tens={"십": 10, "백": 100, "천": 1000},
        large={"만": 10**4, "억": 10**8, "조": 10**12},
        over="분의",
        prefixes=("불", "비", "무", "미", "부"),
        cancels=("밖에",),
        light=LIGHT,
        than="보다",
        than_follows=True,
        names=find_names,
        free_order=True,
    ),
    hint=WrittenIn("\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"),
    thresholds={"e5-small": (0.90, 0.88)},
)
