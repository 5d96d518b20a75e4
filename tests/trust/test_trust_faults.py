"""Killed before any operation on a file, or on a disk that is full: nothing is lost or wrong.

Laws: the same command with `--resume` or `--overwrite` ends well afterwards; the run is then that
of an undisturbed one, byte for byte but for its timings; nothing is left behind; no transcript that
was kept is heard again. Every command, each in four situations.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from gistmeter import load_run
from gistmeter.cli import app
from trust.faults import Killed, failing
from trust.scenes import SCENES, Scene, set_up

HOW = {"new": (), "stopped": ("--resume",), "replaced": ("--overwrite",), "again": ("--resume",)}
SITUATIONS = tuple(HOW)
SAMPLE = 2
CLIPS = 3  # of the scene with a recogniser


@pytest.fixture(autouse=True)
def inputs(in_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_up(monkeypatch)
    return in_folder


def snapshot() -> dict[str, Any]:
    """All files of the run by name, as far as an undisturbed run would have the same."""
    found: dict[str, Any] = {}
    for file in sorted(Path("folder").rglob("*")):
        if file.is_file():
            found[file.relative_to("folder").as_posix()] = file.read_bytes()
    found["report.html"] = found["report.html"].endswith(b"</html>")  # it shows the timings
    document = json.loads(found["run.json"])
    found["run.json"] = {
        key: value for key, value in document.items() if key not in {"timings", "sha256"}
    }
    return found


def comparable(scene: Scene) -> Any:
    """What must be the same after a disturbance; how long a recogniser took may differ."""
    held = snapshot()
    if scene.name != "listen":
        return held
    lines = held["details/transcripts.jsonl"].decode().splitlines()[1:]
    heard = {(one["id"], one["text"]) for one in map(json.loads, lines)}
    run = load_run("folder")
    return sorted(held), sorted(heard), run["wer"].value, run["wer"].n


def prepare(scene: Scene, situation: str, home: Path) -> tuple[str, ...]:
    """Bring the folder into a situation, keep it for later, and say with what to go on."""
    if situation == "stopped":
        with failing(Path.cwd() / "folder") as disk:
            assert scene.run() == 0
        shutil.rmtree("folder")
        with pytest.raises(Killed), failing(Path.cwd() / "folder", disk.count // 3):
            scene.run()
    elif situation != "new":
        assert scene.run() == 0
    keep(home)
    return HOW[situation]


def keep(home: Path) -> None:
    """Put the working folder's run aside."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for path in Path().glob("folder*"):
        copy(path, home / path.name)


def restore(home: Path) -> None:
    for path in Path().glob("folder*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in home.iterdir():
        copy(path, Path(path.name))


def copy(source: Path, target: Path) -> None:
    (shutil.copytree if source.is_dir() else shutil.copy2)(source, target)


def transcripts(home: Path) -> int:
    """How many are kept aside, whole."""
    files = [*home.glob("folder.transcripts.jsonl"), *home.glob("folder/details/transcripts.jsonl")]
    return max((file.read_bytes().count(b"\n") - 1 for file in files), default=0)


def calls() -> int:
    file = Path("calls.txt")
    return len(file.read_text().split()) if file.exists() else 0


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_kill_before_any_operation_loses_nothing(
    scene: Scene, situation: str, tmp_path_factory: pytest.TempPathFactory, choose: Any
) -> None:
    disturb(scene, situation, tmp_path_factory.mktemp("aside") / "x", choose, "kill")


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_full_disk_is_said_and_loses_nothing(
    scene: Scene,
    situation: str,
    tmp_path_factory: pytest.TempPathFactory,
    choose: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def told() -> None:
        assert "No space left on device" in capsys.readouterr().err

    disturb(scene, situation, tmp_path_factory.mktemp("aside") / "x", choose, "full", told)


def disturb(
    scene: Scene,
    situation: str,
    aside: Path,
    choose: Callable[..., list[Any]],
    kind: Literal["kill", "full"],
    told: Callable[[], None] = lambda: None,
) -> None:
    place = Path.cwd() / "folder"
    assert scene.run() == 0
    expected = comparable(scene)
    shutil.rmtree("folder")
    how = prepare(scene, situation, aside)
    kept = transcripts(aside)
    restore(aside)
    with failing(place, kind=kind) as disk:
        assert scene.run(*how) == 0
    assert comparable(scene) == expected
    tries = [(at, cure) for at in range(1, disk.count + 1) for cure in ("--resume", "--overwrite")]
    for at, cure in choose(tries, SAMPLE):
        restore(aside)
        Path("calls.txt").unlink(missing_ok=True)
        if kind == "kill":
            with pytest.raises(Killed), failing(place, at):
                scene.run(*how)
        else:
            with failing(place, at, "full"):
                assert scene.run(*how) == 1, at
            told()
        assert scene.run(cure) == 0, (at, cure)
        assert comparable(scene) == expected, (at, cure)
        left = sorted(path.name for path in Path().glob("folder*"))
        assert left == ["folder"], (at, cure)
        if cure == "--resume" and "--overwrite" not in how:
            # The clip that was in hand may be heard again; what was kept is not.
            assert calls() <= (CLIPS - kept + 1 if kept < CLIPS else 0), (at, cure)


FILES = {
    "tables": (
        ("speech", "clips.csv", "--metrics", "wer", "--language", "en", "-q", "--resamples", "0",
         "-o", "ignored", "--overwrite", "--no-report",
         *(part for end in ("csv", "tsv", "xlsx", "parquet", "md", "json", "html")
           for part in ("-o", f"out/x.{end}"))),
    ),
    "compare": (
        ("compare", "folder", "--resamples", "100",
         *(part for end in ("csv", "md", "tex", "json") for part in ("-o", f"out/x.{end}"))),
    ),
    "report": (("report", "folder", "-q", "-o", "out/x.html"),),
    "erase": (("parse", "erase", "gold.conllu", "-o", "out/x.conllu"),),
    "weights": (("parse", "estimate-weights", "gold.conllu", "-o", "out/x.json"),),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["kill", "full"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_old_one_or_the_new_one(
    name: str, kind: Literal["kill", "full"], choose: Any
) -> None:
    """Whatever happens while files are written: none is a part of one."""
    [command] = FILES[name]
    wide = ("--systems", "x,y 0")
    speech = Scene("two", "speech", ("clips.csv", "--metrics", "wer", "--language", "en", *wide))
    clips = Path("clips.csv").read_text().splitlines()
    Path("clips.csv").write_text(
        "\n".join(f"{line},y {at}" for at, line in enumerate(clips)) + "\n"
    )
    assert speech.run() == 0
    assert app.main(list(command), standalone_mode=False) == 0
    first = {file.name: file.read_bytes() for file in Path("out").iterdir()}
    with failing(Path.cwd() / "out", kind=kind) as disk:
        assert app.main(list(command), standalone_mode=False) == 0
    # Workbooks and reports hold the time of their making: of them only the ends are compared.
    new = {file.name: file.read_bytes() for file in Path("out").iterdir()}
    assert {name for name in new if new[name] != first[name]} <= {"x.xlsx", "x.html"}
    for at in choose(range(1, disk.count + 1), SAMPLE):
        shutil.rmtree("out")
        Path("out").mkdir()
        for file in new:
            Path("out", file).write_bytes(b"old")
        with failing(Path.cwd() / "out", at, kind):
            if kind == "kill":
                with pytest.raises(Killed):
                    app.main(list(command), standalone_mode=False)
            else:
                assert app.main(list(command), standalone_mode=False) == 1
        for file, content in new.items():
            held = Path("out", file).read_bytes()
            assert held == b"old" or same(file, held, content), (at, file)
        assert app.main(list(command), standalone_mode=False) == 0
        for file, content in new.items():
            assert same(file, Path("out", file).read_bytes(), content), (at, file)


def same(name: str, held: bytes, whole: bytes) -> bool:
    """Whether a file is the undisturbed one, as far as two undisturbed ones are the same."""
    if name.endswith(".xlsx"):
        return zipfile.is_zipfile(io.BytesIO(held)) and abs(len(held) - len(whole)) < 100
    if name.endswith(".html"):
        return held.endswith(b"</html>") and abs(len(held) - len(whole)) < 100
    return held == whole
