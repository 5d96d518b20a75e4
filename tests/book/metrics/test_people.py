"""Who is who: learned from the original, or given in a file."""

from __future__ import annotations

import pytest

from gistmeter.book.edition_alarms import Person
from gistmeter.book.metrics.changes import SourcedSentence, find_changes
from gistmeter.book.metrics.people import learn_people, read_people, same_person
from gistmeter.core.errors import InputError

SOURCE = (
    "In those days George Osborne was poor, and Amelia Sedley knew it.",
    "She loved George Osborne, and Osborne knew that, but the hand of George was cold.",
    "Nobody asked Amelia; but Mr. Sedley asked for Amelia Sedley, and Mrs. Sedley wept.",
    "They met in Russell Square, and parted in Russell Square; then came Miss Sharp.",
    "It was Becky Sharp who laughed, and Miss Sharp who sang; for Becky Sharp was Becky.",
)


def names() -> list[tuple[str, ...]]:
    return sorted(person.names for person in learn_people(SOURCE, "en"))


def test_full_names_join_what_a_person_is_called_and_places_are_none():
    assert names() == [
        ("Amelia Sedley", "Amelia"),  # Mr. and Mrs. Sedley are others
        ("Becky Sharp", "Becky", "Miss Sharp"),
        ("George Osborne", "George"),
    ]


@pytest.mark.parametrize("language", ["zh", "ja", "ru"])
def test_languages_without_such_names_have_no_table(language):
    assert learn_people(SOURCE, language) == ()


def test_a_name_of_the_same_person_is_no_alarm_and_another_is():
    people = learn_people(SOURCE, "en")
    assert same_person("george", "osborne", people, "en")
    assert not same_person("george", "sedley", people, "en")

    def found(sentence: str) -> list[str]:
        pair = SourcedSentence(0, sentence, "That evening the hand of George was cold as ice.")
        more = SourcedSentence(1, "So Osborne and so Sedley came to George.", "They came home.")
        changes = find_changes([pair, more], "en", people=people).changes
        return [str(alarm) for alarm in changes.get(0, ())]

    assert found("That evening the hand of Osborne was cold as ice.") == []
    assert found("That evening the hand of Sedley was cold as ice.") == ["name: George → Sedley"]


def test_a_table_is_read_as_the_report_writes_it(tmp_path):
    file = tmp_path / "people.txt"
    file.write_text("# ours\nBecky Sharp = Becky = Rebecca\n\nMrs. Osborne=Amelia\n", "utf-8")
    people = read_people(file)
    assert people == (
        Person(("Becky Sharp", "Becky", "Rebecca")),
        Person(("Mrs. Osborne", "Amelia")),
    )
    assert same_person("rebecca", "sharp", people, "en")
    assert not same_person("mrs", "amelia", people, "en")


@pytest.mark.parametrize(
    ("content", "told"),
    [("Becky\n", "line 1: 'Becky' is one name"), ("# nothing\n", "names nobody")],
)
def test_a_table_that_says_nothing_is_refused(tmp_path, content, told):
    file = tmp_path / "people.txt"
    file.write_text(content, "utf-8")
    with pytest.raises(InputError, match=told):
        read_people(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_people(tmp_path / "none.txt")
