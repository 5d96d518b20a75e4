"""A run's folder: only what the run wrote is removed or replaced, and never through a link."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from gistmeter import load_run
from gistmeter.cli import app
from gistmeter.core import folders
from gistmeter.core.errors import InputError
from gistmeter.core.folders import Folder
from gistmeter.core.signature import seal
from trust.scenes import SCENES, Scene, set_up

SPEECH = next(scene for scene in SCENES if scene.name == "speech")
BOOK = next(scene for scene in SCENES if scene.name == "book")
LISTEN = next(scene for scene in SCENES if scene.name == "listen")
HOW = ("--resume", "--overwrite")
CHECK = """
[evaluation.folder]
shape = "speech"
table = "clips.csv"
metrics = ["wer"]
language = "en"
resamples = 20
"""


@pytest.fixture(autouse=True)
def victim(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of somebody else, beside the run's."""
    set_up(monkeypatch)
    place = in_folder / "victim"
    place.mkdir()
    for name in ("thesis.txt", "notes.json", "diff-x.html", "run.json", ".gistmeter-x.draft"):
        (place / name).write_text("years of work")
    return place


def holds(victim: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted(victim.iterdir())}


def check() -> int:
    Path("check.toml").write_text(CHECK)
    return app.main(["check", "check.toml", "--folder", ".", "-q"], standalone_mode=False)


@pytest.mark.parametrize("inner", ["details", "shards"])
@pytest.mark.parametrize("scene", [SPEECH, BOOK, LISTEN], ids=lambda scene: scene.name)
@pytest.mark.parametrize("how", HOW)
def test_a_folder_that_is_a_link_is_not_followed(
    inner: str, scene: Scene, how: str, victim: Path
) -> None:
    assert scene.run() == 0
    expected = holds(victim)
    shutil.rmtree(Path("folder", inner), ignore_errors=True)
    Path("folder", inner).symlink_to(victim)
    assert scene.run(how) == 2
    assert holds(victim) == expected
    assert Path("folder", inner).is_symlink()
    assert Path("folder/run.json").exists() and Path("folder/items.parquet").exists()


def test_a_link_is_said_with_what_to_do(victim: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    assert SPEECH.run() == 0
    shutil.rmtree("folder/details")
    Path("folder/details").symlink_to(victim)
    assert SPEECH.run("--overwrite") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "folder/details: is a link" in said and "choose another folder" in said


def test_a_check_empties_nobody_elses_folder(victim: Path) -> None:
    expected = holds(victim)
    assert check() == 0
    shutil.rmtree("folder/details")
    Path("folder/details").symlink_to(victim)
    assert check() == 2
    assert holds(victim) == expected


@pytest.mark.parametrize(
    "name", [".lock", "journal.jsonl", "run.json", "items.parquet", "report.html"]
)
@pytest.mark.parametrize("how", [(), ("--resume",), ("--overwrite",)])
@pytest.mark.parametrize("finished", [True, False])
def test_a_file_that_is_a_link_is_neither_followed_nor_replaced(
    name: str, how: tuple[str, ...], finished: bool, victim: Path
) -> None:
    if finished:
        assert SPEECH.run() == 0
    else:
        Path("folder").mkdir()
    Path("folder", name).unlink(missing_ok=True)
    Path("folder", name).symlink_to(victim / "thesis.txt")
    expected = holds(victim)
    assert SPEECH.run(*how) == 2
    assert holds(victim) == expected
    assert Path("folder", name).is_symlink()


@pytest.mark.parametrize("how", [(), ("--resume",), ("--overwrite",)])
def test_a_benchmarks_journal_that_is_a_link_is_not_followed(
    how: tuple[str, ...], victim: Path
) -> None:
    Path("folder.transcripts.jsonl").symlink_to(victim / "thesis.txt")
    expected = holds(victim)
    assert LISTEN.run(*how) == 2
    assert holds(victim) == expected


@pytest.mark.parametrize("name", ["details", "shards"])
@pytest.mark.parametrize("how", HOW)
def test_a_folder_without_a_run_is_never_cleaned(
    name: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder", name).mkdir(parents=True)
    Path("folder", name, "notes.json").write_text("mine")
    Path("folder/report.html").write_text("mine")
    assert SPEECH.run(how) == 2
    listed = ", ".join(sorted([name, "report.html"]))
    assert f"holds no run (it has {listed})" in " ".join(capsys.readouterr().err.split())
    assert Path("folder", name, "notes.json").read_text() == "mine"
    assert Path("folder/report.html").read_text() == "mine"


@pytest.mark.parametrize("name", ["run.json", "journal.jsonl"])
@pytest.mark.parametrize("content", ['{"command": "mine"}', "mine", "[1, 2]"])
@pytest.mark.parametrize("how", HOW)
def test_a_file_of_such_a_name_makes_no_run(name: str, content: str, how: str) -> None:
    Path("folder/details").mkdir(parents=True)
    Path("folder", name).write_text(content)
    Path("folder/details/a.json").write_text("mine")
    assert SPEECH.run(how) == 2
    assert Path("folder", name).read_text() == content
    assert Path("folder/details/a.json").read_text() == "mine"


@pytest.mark.parametrize("how", HOW)
def test_a_lock_of_somebody_else_stays(how: str) -> None:
    Path("folder").mkdir()
    Path("folder/.lock").write_text("years of work")
    assert SPEECH.run(how) == 2
    assert Path("folder/.lock").read_text() == "years of work"


@pytest.mark.parametrize("name", [".lock", "journal.jsonl"])
def test_a_file_with_another_name_elsewhere_is_not_written(name: str, tmp_path: Path) -> None:
    """A hard link, which an archive can bring; what is written anew takes only this name away."""
    mine = tmp_path / "mine"
    mine.write_text("")
    Path("folder").mkdir()
    Path("folder", name).hardlink_to(mine)
    assert SPEECH.run("--overwrite") == (2 if name == ".lock" else 0)
    assert mine.read_text() == ""
    with pytest.raises(InputError, match="is a hard link"):
        (tmp_path / "again").hardlink_to(mine)
        Folder(tmp_path).append("again", b"line")
    assert mine.read_text() == ""


@pytest.mark.parametrize("name", ["notes.json", "diff-x.html", "thesis.txt"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("scene", [SPEECH, BOOK, LISTEN], ids=lambda scene: scene.name)
def test_details_that_the_run_did_not_write_stay(name: str, how: str, scene: Scene) -> None:
    assert scene.run() == 0
    Path("folder/details", name).write_text("mine")
    for _ in range(2):
        assert scene.run(how) == 0
        assert Path("folder/details", name).read_text() == "mine"


def test_what_an_earlier_run_wrote_goes_and_nothing_else() -> None:
    assert SPEECH.run() == 0
    written = {file.name for file in Path("folder/details").iterdir()}
    assert written
    Path("folder/details/notes.json").write_text("mine")
    Path("clips.csv").write_text("file,expected,x\nother,it rains,it rained\n")
    assert SPEECH.run("--overwrite") == 0
    left = {file.name for file in Path("folder/details").iterdir()}
    assert "notes.json" in left and not written & left and len(left) == 2


@pytest.mark.parametrize("scene", [SPEECH, BOOK], ids=lambda scene: scene.name)
def test_a_file_in_the_way_is_not_replaced(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page or a document has the name of a file that a person put there after the start."""
    assert scene.run() == 0
    name = sorted(Path("folder/details").iterdir())[0].name
    words = Path("clips.csv").read_text(), Path("books.json").read_text()
    Path("clips.csv").write_text("file,expected,x\nother,it rains,it rained\n")
    Path("books.json").write_text(json.dumps({"book 4": "It begins. He left. It ends."}))
    Path("short.json").write_text(json.dumps({"book 4": "It ends."}))
    assert scene.run("--overwrite") == 0
    Path("clips.csv").write_text(words[0])
    Path("books.json").write_text(words[1])
    Path("short.json").write_text(json.dumps(dict.fromkeys(json.loads(words[1]), "It ends.")))
    Path("folder/details", name).write_text("mine")
    assert scene.run("--overwrite") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "this run did not write it. Move it away" in said
    assert Path("folder/details", name).read_text() == "mine"


def test_a_manifest_leads_nowhere_else(victim: Path) -> None:
    """Names that lead out of the folder are no names of a run, whoever sealed them."""
    assert SPEECH.run() == 0
    expected = holds(victim)
    document = json.loads(Path("folder/run.json").read_text())
    del document["sha256"]
    out = ["../victim/thesis.txt", "details/../../victim/notes.json", str(victim / "run.json"),
           "details/..", "clips.csv", "../clips.csv"]  # fmt: skip
    document["written"] = [*document["written"], *out]
    Path("folder/run.json").write_text(json.dumps(seal(document)))
    Path("folder/clips.csv").write_text("mine")
    assert SPEECH.run("--overwrite") == 0
    assert holds(victim) == expected
    assert Path("clips.csv").exists() and Path("folder/clips.csv").read_text() == "mine"


@pytest.mark.parametrize("how", HOW)
def test_a_run_that_lists_less_is_known_by_its_layout(how: str) -> None:
    """As earlier versions wrote it: without the names of its pages."""
    assert SPEECH.run() == 0
    document = json.loads(Path("folder/run.json").read_text())
    del document["sha256"], document["written"]
    Path("folder/run.json").write_text(json.dumps(seal(document)))
    Path("folder/details/thesis.txt").write_text("mine")
    Path("folder/notes.txt").write_text("mine")
    assert SPEECH.run(how) == 0
    assert load_run("folder")["wer"].n == 5
    assert Path("folder/details/thesis.txt").read_text() == "mine"
    assert Path("folder/notes.txt").read_text() == "mine"


def test_a_damaged_run_can_be_replaced() -> None:
    assert SPEECH.run() == 0
    whole = Path("folder/run.json").read_text()
    Path("folder/run.json").write_text(whole[: len(whole) // 2])
    assert SPEECH.run("--resume") == 2
    assert SPEECH.run("--overwrite") == 0
    assert load_run("folder")["wer"].n == 5


def test_a_loaded_run_is_saved_beside_nothing_of_others() -> None:
    assert BOOK.run() == 0
    Path("copy/details").mkdir(parents=True)
    Path("copy/details/x.json").write_text("mine")
    with pytest.raises(InputError, match="holds no run"):
        load_run("folder").save("copy", overwrite=True)
    assert Path("copy/details/x.json").read_text() == "mine"


@pytest.mark.parametrize("name", ["run.json", "items.parquet", "journal.jsonl"])
def test_a_pipe_in_a_run_is_an_error(name: str) -> None:
    assert SPEECH.run() == 0
    Path("folder", name).unlink(missing_ok=True)
    os.mkfifo(Path("folder", name))
    with pytest.raises(InputError):
        load_run("folder")
    assert SPEECH.run("--resume") == 2
    assert SPEECH.run("--overwrite") == 2


# The folder itself, with and without names that are relative to an open folder.


@pytest.fixture(params=[True, False], ids=["relative", "absolute"])
def folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Folder:
    if not request.param:
        monkeypatch.setattr(folders, "RELATIVE", False)
    return Folder(Path("ours"))


def test_files_are_written_read_listed_and_removed(folder: Folder) -> None:
    folder.write("a.txt", "one")
    folder.write("details/b.txt", b"two")
    folder.append("a.txt", b"more")
    assert folder.read("a.txt") == b"onemore" and folder.read("details/b.txt") == b"two"
    assert folder.names() == ["a.txt"] and folder.names("details") == ["b.txt"]
    assert folder.has("a.txt") and not folder.has("c.txt") and not folder.has("details")
    folder.remove("details/b.txt")
    folder.remove_folder("details")
    assert sorted(file.name for file in Path("ours").iterdir()) == ["a.txt"]


@pytest.mark.parametrize("name", ["", "..", "../x", "a/../x", "a/b/c", "/x", "a//b", "./x", "a\0b"])
def test_no_name_leads_out(folder: Folder, name: str) -> None:
    folder.write("a.txt", "one")
    with pytest.raises(InputError, match="is not the name of a file"):
        folder.write(name, "two")


def test_links_are_not_followed(folder: Folder, victim: Path) -> None:
    expected = holds(victim)
    Path("ours").mkdir()
    Path("ours/details").symlink_to(victim)
    Path("ours/file").symlink_to(victim / "thesis.txt")
    for name in ("details/thesis.txt", "details/new", "file"):
        with pytest.raises(InputError, match="is a link"):
            folder.write(name, "x")
        with pytest.raises(InputError, match="is a link"):
            folder.append(name, b"x")
        with pytest.raises(InputError, match="is a link"):
            folder.read(name)
        folder.remove(name)
        assert not folder.has(name)
    folder.sweep("details")
    folder.remove_folder("details")
    assert folder.names("details") == [] and folder.names() == []
    assert holds(victim) == expected
    assert sorted(file.name for file in Path("ours").iterdir()) == ["details", "file"]
