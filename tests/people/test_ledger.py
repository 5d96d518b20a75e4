"""Labels and decisions on disk: kept when acknowledged, never lost, never doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from conftest import ROOT
from gistmeter.core.errors import GistmeterError, InputError
from gistmeter.people.item_keys import text_key
from gistmeter.people.ledger import (
    DECISIONS,
    LABELS,
    LabelFollower,
    Ledger,
    carry,
    ledger_folders,
    ledger_of,
    read_ledgers,
)
from gistmeter.people.records import DecisionRecord, LabelRecord, Retraction, Selection

KEY, OTHER = text_key("a", "b"), text_key("a", "c")
DRAWN = Selection("active", "d1", 1, 20, 100, 0.2, stratum=None)


def label(value: float = 0.5, **more: object) -> LabelRecord:
    given = {"item": KEY, "rater": "Anna", "kind": "scale", "value": value, **more}
    return LabelRecord(**given)  # type: ignore[arg-type]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    given = label(3, scale=(1.0, 5.0), selection=DRAWN, question="Same meaning?\u2028Really",
                  place={"system": "系统", "id": "7"})  # fmt: skip
    which = LabelRecord(KEY, "Bo", "which", 0.5, other=OTHER)
    decided = DecisionRecord(KEY, "invented", "Cyd", "dismiss", comment="in the\nforeword")
    ledger = Ledger(tmp_path)
    ledger.append(given, decided)
    ledger.append(which)
    content = ledger.read()
    assert content.labels == [given, which]
    assert content.decisions == [decided]
    assert given.share == 0.5
    assert len((tmp_path / LABELS).read_text().splitlines()) == 2  # also for U+2028
    assert not content.damaged


@pytest.mark.parametrize("name", ["label", "decision"])
def test_lines_are_as_the_schema_says(name: str) -> None:
    schema = json.loads((ROOT / f"docs/schema/{name}s.schema.json").read_text())
    records = {
        "label": [label(selection=DRAWN, place={"id": "1"}, question="?"),
                  Retraction("x" * 24, "A"),
                  LabelRecord(KEY, "B", "which", 1.0, other=OTHER)],
        "decision": [DecisionRecord(KEY, "cut", "A", "comment", comment="why?"),
                     Retraction("y" * 24, "A", "decision")],
    }  # fmt: skip
    for record in records[name]:
        jsonschema.validate(record.to_dict(), schema)
    for broken in ({}, {**records[name][0].to_dict(), "item": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)


def test_a_correction_counts_and_a_retraction_gives_the_old_one_back(tmp_path: Path) -> None:
    ledger, first, second = Ledger(tmp_path), label(0.2), label(0.9)
    ledger.append(first, second)
    assert ledger.read().labels == [second]
    ledger.append(Retraction(second.id, "Anna"))
    content = ledger.read()
    assert content.labels == [first]
    assert content.retracted == 1
    assert len((tmp_path / LABELS).read_text().splitlines()) == 3


def test_one_label_sent_twice_counts_once(tmp_path: Path) -> None:
    ledger, once = Ledger(tmp_path), label(0.4)
    ledger.append(once)
    ledger.append(label(0.6, rater="Bo"), once)
    assert [one.rater for one in ledger.read().labels] == ["Anna", "Bo"]


def test_comments_do_not_replace_a_verdict(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(DecisionRecord(KEY, "cut", "A", "accept"))
    ledger.append(DecisionRecord(KEY, "cut", "A", "comment", comment="one"))
    ledger.append(DecisionRecord(KEY, "cut", "A", "comment", comment="two"))
    assert [one.verdict for one in ledger.read().decisions] == ["accept", "comment", "comment"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"{", "is not JSON"),
        (b"[" * 50_000, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"7", "is of no known type"),
        (b'{"type": "blessing"}', "is of no known type"),
        (b'{"type": ["label"]}', "is of no known type"),
        (b'{"type": "label"}', "item: expected text"),
        (b'{"type":"label","value":' + b"9" * 200_000 + b"}", "at most"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_and_stays(
    tmp_path: Path, line: bytes, says: str
) -> None:
    ledger, good = Ledger(tmp_path), label()
    ledger.append(good)
    with (tmp_path / LABELS).open("ab") as stream:
        stream.write(line + b"\n")
    later = label(0.7, rater="Bo")
    ledger.append(later)
    content = ledger.read()
    assert content.labels == [good, later]
    assert [one.line for one in content.damaged] == [2]
    assert says in str(content.damaged[0])
    assert str(tmp_path / LABELS) in str(content.damaged[0])
    assert line in (tmp_path / LABELS).read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": 6}, {"value": float("nan")}, {"kind": "stars"}, {"scale": [5, 1]},
        {"scale": "1-5"}, {"rater": " "}, {"rater": 3}, {"rater": "x" * 300}, {"item": "../x"},
        {"at": "yesterday"}, {"id": "a b"}, {"other": OTHER}, {"value": True},
        {"selection": {"probability": 0}}, {"place": {"id": 7}}, {"place": []},
        {"selection": {**LabelRecord(KEY, "A", "yes_no", 1, selection=DRAWN).to_dict()["selection"],
                       "probability": 1.5}},
    ],
)  # fmt: skip
def test_a_label_that_makes_no_sense_is_damage(tmp_path: Path, wrong: dict[str, object]) -> None:
    document = {**label(3, scale=(1.0, 5.0)).to_dict(), **wrong}
    (tmp_path / LABELS).write_text(json.dumps(document) + "\n")
    content = Ledger(tmp_path).read()
    assert not content.labels
    assert len(content.damaged) == 1


def test_an_unfinished_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(label())
    with (tmp_path / LABELS).open("ab") as stream:
        stream.write(b'{"type": "label", "id')  # killed here
    ledger.append(label(0.7, rater="Bo"))
    content = ledger.read()
    assert [one.rater for one in content.labels] == ["Anna", "Bo"]
    assert [one.line for one in content.damaged] == [2]


def test_links_are_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("precious")
    folder = tmp_path / "open"
    folder.mkdir()
    (folder / LABELS).symlink_to(target)
    with pytest.raises(InputError, match="is a link"):
        Ledger(folder).append(label())
    with pytest.raises(InputError, match="is a link"):
        Ledger(folder).read()
    assert target.read_text() == "precious"
    (folder / LABELS).unlink()
    (folder / LABELS).hardlink_to(target)
    with pytest.raises(InputError, match="is a hard link"):
        Ledger(folder).append(label())
    assert target.read_text() == "precious"


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(GistmeterError, match="cannot be written"):
        Ledger(tmp_path / "gone").append(label())
    assert not Ledger(tmp_path / "gone").read().labels


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs resource limits")
def test_a_full_disk_leaves_whole_lines_only(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from gistmeter.people.ledger import Ledger\n"
        "from gistmeter.people.records import LabelRecord\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "for at in range(50):\n"
        f"    Ledger(folder).append(LabelRecord({KEY!r}, f'r{{at}}', 'yes_no', 1))\n"
        "    print(at, flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "cannot be written" in done.stderr
    content = Ledger(tmp_path).read()
    assert [one.rater for one in content.labels] == [f"r{at}" for at in done.stdout.split()]
    assert not content.damaged


WRITER = """
import sys
from pathlib import Path
from gistmeter.people.ledger import Ledger
from gistmeter.people.records import LabelRecord
folder, name = Path(sys.argv[1]), sys.argv[2]
for at in range(int(sys.argv[3])):
    Ledger(folder).append(LabelRecord("0" * 64, f"{name}-{at}", "yes_no", at % 2))
    print(f"{name}-{at}", flush=True)
"""


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"w{at}", "60"],
                         stdout=subprocess.PIPE, text=True)
        for at in range(4)
    ]  # fmt: skip
    told = [line for writer in writers for line in writer.communicate()[0].split()]
    content = Ledger(tmp_path).read()
    assert len(told) == 240
    assert sorted(one.rater for one in content.labels) == sorted(told)
    assert not content.damaged


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    for at in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), f"k{at}", "100000"],
            stdout=subprocess.PIPE, text=True,
        ) as writer:  # fmt: skip
            assert writer.stdout
            told = [writer.stdout.readline().strip() for _ in range(20)]
            time.sleep(0.01 * at)
            os.kill(writer.pid, signal.SIGKILL)
        raters = [one.rater for one in Ledger(tmp_path).read().labels]
        assert set(told) <= set(raters)
        assert len(set(raters)) == len(raters)


def test_labels_are_looked_for_above_the_run(tmp_path: Path) -> None:
    run = tmp_path / "study" / "runs" / "first"
    run.mkdir(parents=True)
    assert ledger_of(run).folder == tmp_path / "study"  # beside `runs`
    assert ledger_folders(run) == []
    Ledger(run.parent).append(label())
    assert ledger_of(run).folder == run.parent
    Ledger(tmp_path / "study").append(label(0.9))
    assert ledger_folders(run) == [run.parent, tmp_path / "study"]
    assert [one.value for one in read_ledgers(ledger_folders(run)).labels] == [0.5]  # the nearest
    assert ledger_of(tmp_path / "elsewhere" / "run").folder == tmp_path / "elsewhere"


def test_what_was_said_is_carried_to_another_place(tmp_path: Path) -> None:
    old, new = tmp_path / "a" / "run", tmp_path / "b" / "run"
    for folder in (old, new):
        folder.mkdir(parents=True)
    said, decided = label(), DecisionRecord(KEY, "cut", "A", "accept")
    Ledger(old.parent).append(said, decided, label(item=OTHER, rater="Bo"))
    assert carry(old, new, {KEY}) == 2
    assert carry(old, new, {KEY}) == 0  # not twice
    content = Ledger(new.parent).read()
    assert (content.labels, content.decisions) == ([said], [decided])
    assert (new.parent / DECISIONS).exists()


def test_labels_are_followed_as_they_are_added_and_taken_back(tmp_path: Path) -> None:
    ledger, follower = Ledger(tmp_path), LabelFollower(tmp_path)
    follower.update()
    assert not follower.standing
    first, second = label(value=0.2), label(value=0.3, rater="Bo")
    for one, count in ((first, 1), (second, 2), (label(value=0.4), 2)):
        ledger.append(one)
        follower.update()
        assert len(follower.standing) == count
    ledger.append(Retraction(second.id, "Bo"))
    follower.update()
    assert [one.value for one in follower.standing.values()] == [0.4]
    assert list(follower.standing.values()) == list(ledger.read().labels)
