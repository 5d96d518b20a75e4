"""Japanese: morphemes by MeCab (fugashi) with the small UniDic dictionary.

The form of a word is UniDic's lemma, which joins spellings (気持ち, 気持, きもち) and inflections.
Content is what nouns, verbs, adjectives, adverbs and adnominals carry, and negation; particles,
other auxiliaries and symbols are not content.

Polarity: negation is an auxiliary at the end of the predicate: ない (auxiliary and adjective),
ず/ぬ/ん and まい; the prefixes 不, 無, 非 and 未 belong to the word after them. A clause ends at
punctuation, at a conjunctive particle (が, けれど, から …), at a て or で that no auxiliary verb or
particle は/も follows, and after a negation that leads over to something new: a noun (美しくない花)
unless it is a formal one (わけ, こと), or a verb (恐れず進む).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ClassVar

from gistmeter.core.errors import MissingDependency
from gistmeter.languages import lexicons
from gistmeter.languages.analysers import Morph, version_of, well_formed
from gistmeter.languages.hints import HanHint
from gistmeter.languages.language import Calendar, FactRules, Language
from gistmeter.languages.lexicons import Mask
from gistmeter.languages.numbers import han_numerals, han_to_digits, join_grouped
from gistmeter.languages.polarity import Kind, Mark
from gistmeter.languages.polarity.morphemes import MorphemeReader
from gistmeter.languages.sentences import Splitter

# 「行くぞ！」と言った。
REPORTS = r"(?:と|って|とか|など|なんて|[のをがはにでも、])"

# A negation passes over them to what it denies: 入ってはいけない
LIGHT = frozenset(
    ("行く", "行ける", "居る", "有る", "為る", "成る", "訳", "事", "物", "筈", "出来る", "者")
)
CONTENT = frozenset(
    ("名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞", "連体詞", "接頭辞", "感動詞")
)
SYMBOLS = ("補助記号", "記号", "空白")
NEGATION = frozenset(("ない", "無い", "ず", "まい"))
CONJUNCTIVE = frozenset(
    ("が", "けれど", "から", "ので", "のに", "し", "ながら", "つつ", "けれども", "けど")
)
AUXILIARY = frozenset((
    "居る", "有る", "来る", "行く", "仕舞う", "置く", "見る", "呉れる", "貰う", "下さる", "遣る",
    "頂く", "欲しい", "は", "も",
))  # fmt: skip
FORMAL = frozenset(["訳", "事", "物", "筈", "所", "方", "限り", "の", "様", "者"])
KATAKANA = re.compile(r"[ァ-ヺー]+")


@cache
def tagger() -> Any:
    """MeCab with UniDic, loaded once."""
    try:
        import fugashi
        import unidic_lite  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise MissingDependency("fugashi", "ja", "Japanese word segmentation") from error
    return fugashi.Tagger(f'-d "{unidic_lite.DICDIR}"')


@lru_cache(maxsize=2)
def morphemes(text: str) -> tuple[Morph, ...]:
    """The morphemes of a text; the last ones are kept, since several readers ask in turn.

    A NUL ends a text for MeCab, so it is read as a space. Forms are lemmas without the gloss that
    tells homographs apart (私-代名詞).
    """
    made: list[Morph] = []
    place = 0
    for node in tagger()(well_formed(text).replace("\0", " ")):
        surface, feature = node.surface, node.feature
        start = max(place, text.find(surface, place))
        place = start + len(surface)
        lemma = str(feature.lemma or surface).split("-")[0].lower()
        tag, content = f"{feature.pos1}-{feature.pos2}", feature.pos1 in CONTENT
        base = str(feature.orthBase or surface)
        made.append(Morph(surface, lemma, start, place, tag, content, base))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Mecab:
    """Morphemes by MeCab and UniDic."""

    @property
    def id(self) -> str:
        return f"{version_of('fugashi')}+{version_of('unidic-lite')}"

    def tokens(self, text: str) -> list[Morph]:
        return list(morphemes(text))

    def words(self, text: str) -> list[str]:
        return [token.surface for token in morphemes(text) if not token.tag.startswith(SYMBOLS)]

    def forms(self, text: str, stop: frozenset[str] = frozenset()) -> list[str]:
        forms = []
        for token in morphemes(text):
            form = token.form or token.surface
            if form in NEGATION and token.tag.startswith(("助動詞", "形容詞")):
                form = "ない"  # all negations alike
            kept = form not in stop and token.surface not in stop
            if kept and (token.content or form == "ない"):
                forms.append(form)
        return forms


def find_names(_: str, tokens: Sequence[Morph]) -> Iterator[tuple[int, int]]:
    """Where names stand: runs of morphemes that UniDic knows as proper nouns."""
    runs: list[tuple[int, int]] = []
    for token in tokens:
        if token.tag == "名詞-固有名詞":
            joined = bool(runs) and runs[-1][1] == token.start
            start = runs.pop()[0] if joined else token.start
            runs.append((start, token.end))
    yield from runs


@dataclass(frozen=True, slots=True)
class JapaneseReader(MorphemeReader):
    """Negation follows the predicate."""

    lists: str = __name__
    analyser: Mecab = field(default_factory=Mecab)
    longest: ClassVar[int] = 6
    negation_tags: ClassVar[tuple[str, ...]] = ("助動詞", "形容詞")
    prefix_tag: ClassVar[str] = "接頭辞"

    def spellings(self, token: Morph) -> tuple[str, ...]:
        """A word as it may be listed; one in katakana is what it is, and often a name."""
        if KATAKANA.fullmatch(token.surface):
            return (token.surface,)
        return token.surface, token.base, token.form

    def single(self, tokens: list[Morph], place: int, silent: Mask, _: bool, /) -> Iterator[Mark]:
        token = tokens[place]
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if self.negates(token) and not KATAKANA.fullmatch(token.surface):
            if not silent.covers(token.start):
                yield Mark(Kind.NEGATION, token.start, token.end, place)
            if after is not None and self._leads_over(token, tokens[place + 1 : place + 3]):
                yield Mark(Kind.BORDER, token.end, token.end, place)
        elif token.form in lexicons.words(self.lists, "shifters"):
            yield Mark(Kind.SHIFTER, token.start, token.end, place)
        elif self._parts(token, after):
            yield Mark(Kind.BORDER, token.start, token.end, place)

    @staticmethod
    def _leads_over(token: Morph, following: list[Morph]) -> bool:
        first = following[0]
        if first.tag.startswith(("名詞", "代名詞")):
            return first.form not in FORMAL
        if token.form == "ず":
            to_topic = [one.surface for one in following] == ["に", "は"]
            return first.tag.startswith(("動詞", "形容詞", "形状詞")) or (
                first.surface == "に" and not to_topic
            )
        return first.surface == "で" and not first.tag.startswith("動詞")

    def _parts(self, token: Morph, after: Morph | None) -> bool:
        if token.tag.startswith("補助記号"):
            return True
        if token.tag == "助詞-接続助詞":
            if token.surface in ("て", "で"):
                return after is not None and after.form not in AUXILIARY
            return token.form in CONJUNCTIVE
        if token.surface == "で" and token.tag.startswith(("助動詞", "助詞-格助詞")):
            return after is not None and not (
                after.form in AUXILIARY or after.form in lexicons.words(self.lists, "negations")
            )
        return False


LANGUAGE = Language(
    "ja",
    Mecab(),
    name="Japanese",
    aliases=("jp", "jpn", "日本語"),
    spaced=False,
    lists=__name__,
    splitter=Splitter(__name__, wide=True, reports=REPORTS),
    steps=(join_grouped, han_to_digits),
    reader=JapaneseReader(),
    facts=FactRules(
        numerals=han_numerals(),
        over="分の",
        decimal="点|てん|テン",
        minus="マイナス|氷点下|零下",
        calendar=Calendar("年", "月", "[日号號]", counters="か箇ヶ"),
        half_before="のに",
        prefixes=("不", "無", "非", "未"),
        cancels=("しか",),
        light=LIGHT,
        prefix_tags=("接頭辞",),
        predicate_tags=("動詞", "形容詞", "形状詞"),
        than="より",
        than_follows=True,
        names=find_names,
    ),
    hint=HanHint("japanese"),
    thresholds={"e5-small": (0.90, 0.87)},
)
