"""What a configuration file of a folder that is not trusted may do, and how it is trusted."""

from __future__ import annotations

import json
import re
import stat
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import gistmeter
from gistmeter.cli import app
from gistmeter.core import registry, trust
from gistmeter.core.configuration import Configuration
from gistmeter.core.errors import UntrustedError
from gistmeter.core.options import RunSettings
from gistmeter.core.settings import Option, options_of
from gistmeter.models.backends import EMBEDDED
from gistmeter.tools.check import GateSettings

CALLS = "file,expected,good\n" + "".join(f"c{at},light {at} on,light {at} on\n" for at in range(6))
SPEECH = """
[evaluation.calls]
shape = "speech"
metrics = ["wer"]
language = "en"
"""
TEXT = '[evaluation.answers]\nshape = "text"\n'
BOOK = '[evaluation.tale]\nshape = "book"\n'
PARSE = '[evaluation.trees]\nshape = "parse"\n'
TABLE = 'table = "data/calls.csv"\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a configuration, in which the command is given; a secret is beside it."""
    folder = tmp_path / "checkout"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "calls.csv").write_text(CALLS)
    (tmp_path / "secret.csv").write_text(CALLS)
    monkeypatch.chdir(folder)
    return folder / "g.toml"


def call(*arguments: object, code: int = 0, **environment: str) -> Result:
    done = CliRunner().invoke(app, [*map(str, arguments)], env=environment)
    assert done.exit_code == code, done.output
    return done


def record(folder: Path) -> None:
    folder.mkdir()
    with wave.open(str(folder / "a.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(b"\0\0" * 1600)
    (folder / "a.txt").write_text("light on")


def test_what_is_harmless_needs_no_trust(project: Path) -> None:
    project.write_text(SPEECH + TABLE + 'output = ["runs/calls.csv"]\nkeywords = ["light"]\n')
    call("check", project)
    assert Path("runs/check/calls/run.json").exists() and Path("runs/calls.csv").exists()
    call("check", project)  # the second run is replaced, not refused


REFUSED = {
    "command": (SPEECH, 'recognizers = ["command:sh -c true"]', "recognizers"),
    "labelled command": (SPEECH, 'recognizers = "moonshine, a=command:true"', "recognizers"),
    "module": (SPEECH, 'recognizers = ["moonshine", "mine:Class"]', "recognizers"),
    "server": (SPEECH, 'recognizers = ["openai:m@https://example.org"]', "recognizers"),
    "folder of a recogniser": (SPEECH, 'recognizers = ["vosk:data"]', "recognizers"),
    "metric": (SPEECH + TABLE, 'custom_metric = "mine:score"', "custom_metric"),
    "metric with a hyphen": (SPEECH + TABLE, 'Custom-Metric = "mine:score"', "custom_metric"),
    "metric in a list": (SPEECH + TABLE, 'custom_metric = ["mine:score"]', "custom_metric"),
    "language model": (SPEECH + TABLE, 'llm = "openai:gpt"', "llm"),
    "its address": (SPEECH + TABLE, 'llm_url = "https://example.org"', "llm_url"),
    "engine": (SPEECH + TABLE, 'engine = "ray"', "engine"),
    "cluster": (SPEECH + TABLE, 'address = "ray://example.org:1"', "address"),
    "hub": (TEXT, 'embedder = "some/model"', "embedder"),
    "folder of a model": (TEXT, 'nli = "data"', "nli"),
    "list of embedded models": (TEXT, 'embedder = "e5-small,judge"', "embedder"),
    "label of a model": (TEXT, 'embedder = "x=e5-small"', "embedder"),
    "back end": (TEXT, 'token_encoder = "onnx:data"', "token_encoder"),
    "model of a book": (BOOK, 'model_name = "some/model"', "model_name"),
    "profile": (TEXT, 'profile = "paper"', "profile"),
    "preset": (TEXT, 'preset = "orderprobe"', "which sets profile"),
    "preset by its flag": (TEXT, 'as = "orderprobe"', "which sets profile"),
    "reading above": (SPEECH, 'table = "../secret.csv"', "table"),
    "reading anywhere": (SPEECH, 'table = "/etc/passwd"', "table"),
    "reading at home": (SPEECH, 'table = "~/secret.csv"', "table"),
    "reading by a key": (TEXT, 'predictions = { "/etc/passwd" = 1 }', "predictions"),
    "reading of an address": (SPEECH, 'table = "https://example.org/x.csv"', "table"),
    "reading one of several": (PARSE, 'systems = ["data/a", "../../x"]', "systems"),
    "spellings": (SPEECH + TABLE, 'alternatives = "../secret.csv"', "alternatives"),
    "baseline": (SPEECH + TABLE, 'baseline = "../run"', "baseline"),
    "writing above": (SPEECH + TABLE, 'output = ["../x"]', "output"),
    "writing beside": (SPEECH + TABLE, 'output = ["data/calls.csv"]', "output"),
    "writing out of runs": (SPEECH + TABLE, 'output = ["runs/../data/calls.csv"]', "output"),
    "writing anywhere": (SPEECH + TABLE, 'output = "/tmp/x.csv"', "output"),
    "report of a book": (BOOK, 'output_path = "x.json"', "output_path"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_reaches_further_is_refused_before_anything_is_done(name: str, project: Path) -> None:
    table, line, key = REFUSED[name]
    project.write_text(f"{table}{line}\n")
    said = call("check", project, code=2).output
    assert key in said and "is refused" in said and "its folder is not trusted" in said
    assert f"gistmeter trust {project.parent}" in said and "[evaluation." in said
    assert {place.name for place in Path().iterdir()} == {"data", "g.toml"}


@pytest.mark.parametrize("table", ["", "[text]\n"])
def test_options_for_all_evaluations_are_held_to_the_same(table: str, project: Path) -> None:
    project.write_text(f'{table}embedder = "some/model"\n{TEXT}')
    assert "embedder = 'some/model' is refused" in call("check", project, code=2).output


def test_a_command_of_a_file_runs_only_when_it_is_trusted(project: Path) -> None:
    record(project.parent / "clips")
    line = 'assets = "clips"\nrecognizers = ["command:sh -c \'touch ran; echo light on\'"]\n'
    project.write_text(SPEECH + line)
    call("check", project, code=2)
    assert not Path("ran").exists()
    call("trust", ".")
    call("check", project)
    assert Path("ran").exists()


def test_profiles_of_a_file_name_models(project: Path) -> None:
    """Also the one that everybody uses without naming it."""
    project.write_text(f'[profiles.embedded]\nembedder = "some/model"\n{SPEECH}{TABLE}')
    assert "profiles.embedded" in call("check", project, code=2).output
    said = call("speech", "data/calls.csv", "--config", project, "--metrics", "wer", code=2).output
    assert "profiles.embedded" in said


@pytest.mark.parametrize("kind", ["file", "folder", "inside", "folder behind a folder"])
def test_links_lead_nowhere_else(kind: str, project: Path) -> None:
    above = project.parent.parent
    place = "data/x"
    if kind == "file":
        Path("data/x").symlink_to(above / "secret.csv")
    elif kind == "folder":
        (above / "books").mkdir()
        Path("data/x").symlink_to(above / "books")
    elif kind == "inside":
        place = "data"
        Path("data/x.csv").symlink_to(above / "secret.csv")
    else:
        Path("other").mkdir()
        Path("other/x.csv").symlink_to(above / "secret.csv")
        Path("data/other").symlink_to(project.parent / "other")
        place = "data"
    project.write_text(f'{TEXT}predictions = ["{place}"]\n')
    assert "reads outside" in call("check", project, code=2).output


def test_links_within_the_folder_are_fine(project: Path) -> None:
    Path("data/x.csv").symlink_to("calls.csv")
    project.write_text(f'{SPEECH}table = "data/x.csv"\n')
    call("check", project)


@pytest.mark.parametrize("place", ["runs", "runs/check/calls"])
def test_a_checkout_that_brings_its_runs_as_a_link(place: str, project: Path) -> None:
    elsewhere = project.parent.parent / "elsewhere"
    elsewhere.mkdir()
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).symlink_to(elsewhere)
    project.write_text(SPEECH + TABLE)
    assert "writes outside of runs/" in call("check", project, code=2).output
    assert not list(elsewhere.iterdir())
    call("check", project, "--folder", "mine")  # the user's own word


def test_a_configuration_given_by_an_option(project: Path) -> None:
    words = (
        "speech",
        "data/calls.csv",
        "--metrics",
        "wer",
        "--language",
        "en",
        "--config",
        project,
    )
    project.write_text('[speech]\noutput = "../x.csv"\nseed = 4\n')
    assert "output = '../x.csv' is refused" in call(*words, code=2).output
    assert not Path("../x.csv").exists()
    call(*words, "--trust")
    assert Path("../x.csv").exists()


def test_the_users_own_words_are_not_limited(project: Path) -> None:
    project.write_text("seed = 4\n")
    call("speech", "../secret.csv", "--metrics", "wer", "--language", "en", "--config", project,
         "-o", "../mine.csv")  # fmt: skip
    assert Path("../mine.csv").exists()
    run = gistmeter.score_speech("../secret.csv", metrics="wer", language="en", config=project)
    assert run.seed == 4


def test_python_is_told_the_same(project: Path) -> None:
    project.write_text('output = "../x.csv"\n')
    options = {"metrics": "wer", "language": "en", "config": project}
    with pytest.raises(UntrustedError, match="output"):
        gistmeter.score_speech("data/calls.csv", **options)
    gistmeter.score_speech("data/calls.csv", **options, trust=True)
    assert Path("../x.csv").exists()
    project.write_text(SPEECH + 'table = "../secret.csv"\n')
    with pytest.raises(UntrustedError, match="table"):
        gistmeter.check(project)
    assert gistmeter.check(project, trust=True).passed


def test_the_plug_in_of_pytest_is_held_to_the_same(project: Path) -> None:
    from gistmeter.core.cache import Cache
    from gistmeter.tools.checker import Checker

    project.write_text('[text]\nembedder = "some/model"\n')
    with pytest.raises(UntrustedError, match="embedder"):
        Checker.of(project, Cache(None))


def test_no_language_model_is_asked_on_the_word_of_a_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a key in the environment, Gemini would be asked by default."""
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-key-0123456789")
    text = SPEECH.replace('["wer"]', '["wer", "ser"]') + TABLE
    project.write_text(text)
    said = call("check", project).output
    assert "ser) is left out" in said and "gistmeter trust" in said
    configuration = Configuration.read(project)
    kinds = (registry.find("gistmeter.families", "speech").Settings, RunSettings)
    assert configuration.options("speech", kinds) == {"llm": "none"}
    assert Configuration.read(project, trust=True).options("speech", kinds) == {}


# ---- how a folder is trusted


@pytest.fixture
def wanting(project: Path) -> Path:
    """A configuration that needs trust."""
    project.write_text(SPEECH + 'table = "../secret.csv"\n')
    return project


def test_trusting_a_folder_and_a_file_that_changes(wanting: Path) -> None:
    assert "No folder is trusted" in call("trust").output
    call("check", wanting, code=2)
    assert "unchanged  g.toml" in call("trust", ".").output
    call("check", wanting)
    wanting.write_text(wanting.read_text() + "# more\n")
    assert "changed since" in call("check", wanting, code=2).output
    assert re.search(r"^  changed +g.toml", call("trust").output, re.MULTILINE)
    call("trust", wanting.parent)
    call("check", wanting)
    other = wanting.with_name("other.toml")
    other.write_text(wanting.read_text())
    assert "is new since" in call("check", other, code=2).output
    wanting.unlink()
    assert "gone       g.toml" in call("trust").output


def test_trust_is_taken_back(wanting: Path) -> None:
    call("trust", ".")
    assert str(wanting.parent) in call("trust", ".", "--remove").output
    call("check", wanting, code=2)
    assert "is not trusted" in call("trust", ".", "--remove", code=2).output
    assert "Name the folder" in call("trust", "--remove", code=2).output


def test_a_folder_is_trusted_and_not_those_below_it(wanting: Path) -> None:
    call("trust", ".")
    below = wanting.parent / "below"
    below.mkdir()
    (below / "g.toml").write_text(wanting.read_text().replace("../", "../../"))
    assert "its folder is not trusted" in call("check", below / "g.toml", code=2).output


def test_one_file_of_any_name_can_be_trusted(wanting: Path) -> None:
    plain = wanting.rename(wanting.with_name("settings.conf"))
    assert "has no configuration file" in call("trust", ".", code=2).output
    assert f"gistmeter trust {plain}" in call("check", plain, code=2).output
    call("trust", plain)
    call("check", plain)
    assert "no such file" in call("trust", "nowhere.toml", code=2).output


def test_a_folder_by_any_way_to_it(wanting: Path) -> None:
    way = wanting.parent.parent / "way"
    way.symlink_to(wanting.parent)
    call("trust", way)
    call("check", wanting)


def test_a_pipeline_says_it_by_an_option_or_the_environment(wanting: Path) -> None:
    call("check", wanting, "--trust")
    call("check", wanting, GISTMETER_TRUST="1")
    call("check", wanting, code=2, GISTMETER_TRUST="0")
    assert "GISTMETER_TRUST" in call("check", wanting, code=2, GISTMETER_TRUST="perhaps").output
    assert not trust.trust_file().exists()


@pytest.mark.parametrize("place", ["top", "shape", "evaluation"])
def test_a_file_cannot_trust_itself(place: str, wanting: Path) -> None:
    text = wanting.read_text()
    if place == "evaluation":
        wanting.write_text(f"{text}trust = true\n")
    else:
        wanting.write_text(f"{'[speech]' if place == 'shape' else ''}\ntrust = true\n{text}")
    assert "trust cannot be said in a file" in call("check", wanting, code=2).output
    words = ("speech", "data/calls.csv", "--config", wanting)
    if place != "evaluation":
        assert "trust cannot be said in a file" in call(*words, code=2).output


def test_the_list_is_the_users_alone(wanting: Path) -> None:
    call("trust", ".")
    file = trust.trust_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in file.parent.iterdir()] == [file.name]  # no draft is left
    file.chmod(0o666)
    assert "others can write it" in call("check", wanting, code=2).output
    file.chmod(0o600)
    call("check", wanting)


HOSTILE: dict[str, Any] = {
    "no JSON": b"{",
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x00",
    "a list": [],
    "no folders": {},
    "folders in a list": {"folders": ["/"]},
    "a relative folder": {"folders": {"checkout": {"g.toml": "0" * 64}}},
    "no digests": {"folders": {"/checkout": "all"}},
    "a digest that is none": {"folders": {"/checkout": {"g.toml": "*"}}},
    "a digest that is true": {"folders": {"/checkout": {"g.toml": True}}},
    "a file elsewhere": {"folders": {"/checkout": {"../g.toml": "0" * 64}}},
    "deep": b"[" * 100_000,
    "a NUL": {"folders": {"/a\0b": {"g\0.toml": 3}}},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_list_trusts_nobody(name: str, wanting: Path) -> None:
    file = trust.trust_file()
    file.parent.mkdir(parents=True)
    held = HOSTILE[name]
    file.write_bytes(held if isinstance(held, bytes) else json.dumps(held).encode())
    file.chmod(0o600)
    before = file.read_bytes()
    for words in (("check", wanting), ("trust",), ("trust", ".")):
        said = call(*words, code=2).output
        assert str(file) in said and "Traceback" not in said
    assert file.read_bytes() == before


# ---- no option can be forgotten


def settable() -> Iterator[tuple[str, Option]]:
    """Every option that a configuration file can set."""

    def below(group: Any) -> Iterator[Any]:
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            yield getattr(command, "default", None) or command
            if isinstance(command, click.Group):
                yield from below(command)

    for command in below(app):
        if "config" in getattr(command, "declared", {}):
            yield from ((f"{command.name} {key}", one) for key, one in command.declared.items())
    yield from ((f"check {key}", one) for key, one in options_of(GateSettings).items())


def test_every_option_that_can_hold_anything_declares_what_it_reaches_for() -> None:
    options = dict(settable())
    assert len(options) > 100
    free = {name: one for name, one in options.items() if trust.is_free(one)}
    assert [name for name, one in free.items() if one.reach is None] == []
    paths = {name: one for name, one in options.items() if one.kind in ("path", "paths")}
    assert {one.reach for one in paths.values()} == {"read", "write"}
    assert [
        name for name, one in options.items()
        if one.panel == "output" and one.kind in ("path", "paths") and not name.endswith(" config")
        and one.reach != "write"
    ] == []  # fmt: skip


def test_an_option_that_declares_nothing_is_refused(tmp_path: Path) -> None:
    from dataclasses import dataclass

    from gistmeter.core.settings import Settings, option

    @dataclass(frozen=True, kw_only=True)
    class Stranger(Settings):
        script: str = option("", "Of another package.")
        count: int = option(1, "A number.")

    limits = trust.Limits(tmp_path / "g.toml", "its folder is not trusted")
    limits.check({"count": 3}, (Stranger,), tmp_path, "")
    with pytest.raises(UntrustedError, match="does not say what it reaches for"):
        limits.check({"script": "x"}, (Stranger,), tmp_path, "")


def test_the_models_that_need_no_trust_come_with_gistmeter() -> None:
    assert set(trust.EMBEDDED) <= {*EMBEDDED, "judge"}
    harmless = options_of(RunSettings)["engine"].default
    assert harmless == "local"
    recognizers = options_of(registry.find("gistmeter.families", "speech").Settings)["recognizers"]
    for name in recognizers.harmless:
        assert registry.find("gistmeter.recognizers", name).local
