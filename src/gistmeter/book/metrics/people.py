"""Who is who in a book: names that mean the same person, learned from how the original uses them.

A full name ("George Osborne") that comes twice and is no place ("in Russell Square") is a person,
who is called by either word; where nobody else has the last name, also by it with each title
that stands before it ("Mr. Osborne"). Nicknames cannot be learned so: the table is shown in the
report, and an edited one can be given (`--people`), which then counts alone. Only for languages
whose names begin with capitals and are not inflected; for others the table is empty.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from gistmeter import languages
from gistmeter.book.edition_alarms import Person
from gistmeter.core.errors import InputError
from gistmeter.languages import lexicons

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
JOINED = re.compile(r"\.? ")
SEPARATOR = re.compile(r"\s*=\s*")
PLACED = frozenset({"in", "at", "near", "into", "through"})
OFTEN, PLACES = 2, 0.3  # mentions of a person; share of them after "in" that makes a place
Table = tuple[Person, ...]


def learn_people(sentences: Sequence[str], language: str) -> Table:
    """The people of a source, those mentioned most first."""
    pack = languages.get(language)
    if not pack.facts.capitals or pack.facts.inflects or pack.facts.names is not None:
        return ()
    titles = lexicons.words(pack.lists, "titles")
    stop = lexicons.words(pack.lists, "stopwords")
    full: Counter[tuple[str, str]] = Counter()
    placed: Counter[tuple[str, str]] = Counter()
    titled: dict[str, Counter[str]] = defaultdict(Counter)
    alone: Counter[str] = Counter()
    for before, title, run in (one for text in sentences for one in _runs(text, titles, stop)):
        if len(run) == OFTEN:
            full[run[0], run[1]] += 1
            placed[run[0], run[1]] += before in PLACED
        elif len(run) == 1 and title:
            titled[run[0]][f"{title} {run[0]}"] += 1
        elif len(run) == 1:
            alone[run[0]] += 1
    known = {
        name: count
        for name, count in full.items()
        if count >= OFTEN and placed[name] <= PLACES * count
        and alone[name[0]] and (alone[name[1]] or titled[name[1]])
    }  # fmt: skip
    family = Counter(last for _, last in known)
    first_names = Counter(first for first, _ in known)
    people = []
    for (first, last), count in known.items():
        if first_names[first] > 1:  # the Misses Sykes, the Misses Sympson
            continue
        one = family[last] == 1 and len(titled[last]) == 1
        own = titled[last] if one else Counter[str]()
        names = (f"{first} {last}", first, *(name for name, _ in own.most_common()))
        people.append(Person(names, count + alone[first] + own.total()))
    return tuple(sorted(people, key=lambda person: (-person.mentions, person.names)))


def _runs(
    text: str, titles: frozenset[str], stop: frozenset[str]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Runs of capitalised words, with the word before and the title; what begins a sentence is left
    out unless a title or a name follows it."""
    words = list(WORD.finditer(text))
    before, run = "", list[re.Match[str]]()
    for match in [*words, None]:
        word = match[0] if match else ""
        joined = bool(run) and match and JOINED.fullmatch(text[run[-1].end() : match.start()])
        if match and word[:1].isupper() and word.lower() not in stop and (joined or not run):
            run.append(match)
            continue
        if run:
            yield from _run(text, run, before, titles)
        run = [match] if match and word[:1].isupper() and word.lower() not in stop else []
        before = word.lower() if not run else before


def _run(
    text: str, run: Sequence[re.Match[str]], before: str, titles: frozenset[str]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    title = ""
    names = list(run)
    while names and names[0][0].lower() in titles:
        first = names.pop(0)
        title = text[first.start() : first.end() + (text[first.end() : first.end() + 1] == ".")]
    if names and (len(run) > 1 or text[: run[0].start()].strip("\"'“‘ ")):
        yield before, title, tuple(match[0] for match in names)


def same_person(one: str, other: str, people: Table, language: str) -> bool:
    """Whether two names, in small letters or not and without titles, mean one person."""
    titles = lexicons.words(languages.get(language).lists, "titles")
    words = {*_words(one), *_words(other)}
    return any(
        words <= {word for name in person.names for word in _words(name)} - titles
        for person in people
    )


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name)]


def read_people(path: Path | None) -> Table:
    """A table from a file: a person in each line, names with = between."""
    if path is None:
        return ()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text ({error})") from error
    people = []
    for number, line in enumerate(lines, 1):
        names = tuple(name for name in SEPARATOR.split(line.strip()) if name)
        if names and not line.lstrip().startswith("#"):
            if len(names) == 1:
                raise InputError(
                    f"{path}, line {number}: '{names[0]}' is one name; expected names of one person"
                    " with = between: Becky = Rebecca Sharp"
                )
            people.append(Person(names))
    if not people:
        raise InputError(f"{path}: names nobody; expected lines like Becky = Rebecca Sharp")
    return tuple(people)
