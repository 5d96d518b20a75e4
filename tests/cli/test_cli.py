"""The command line's shared behaviour, on a toy command run as a program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner

from conftest import ROOT
from gistmeter.cli import app

PATHS = os.pathsep.join(str(ROOT / name) for name in ("src", "tests"))
TOY = [sys.executable, str(ROOT / "tests" / "toy_command.py"), "toy"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOY, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS, **environment},
        check=False,
    )


def scores(done: subprocess.CompletedProcess[str]) -> dict[str, float]:
    held = json.loads(done.stdout)["systems"]["one"]["scores"]
    return {name: score["value"] for name, score in held.items()}


def test_json_alone_on_stdout(in_folder: Path) -> None:
    done = run("--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["systems"]) == ["one", "two"]
    assert "a remark" in done.stderr
    assert Path(found["run"]).parent == Path("runs")
    assert sorted(file.name for file in Path(found["run"]).iterdir()) == [
        "items.parquet", "report.html", "run.json",
    ]  # fmt: skip


def test_quiet_says_nothing_but_the_result(in_folder: Path) -> None:
    done = run("--quiet")
    assert done.stderr == ""
    assert "kept" in done.stdout


def test_a_table_fits_80_columns(in_folder: Path) -> None:
    done = run(COLUMNS="80")
    table = [line for line in done.stdout.splitlines() if line[:1] in "┏┡│└"]
    assert table and max(map(len, table)) <= 80


def test_every_suffix_writes_its_format(in_folder: Path) -> None:
    names = ["x.json", "x.csv", "x.tsv", "x.xlsx", "x.parquet", "x.md", "x.html", "deep/y.csv"]
    done = run(*(part for name in names for part in ("-o", name)), "-o", "folder")
    assert done.returncode == 0, done.stderr
    for name in [*names, "folder/run.json", "x.summary.csv"]:
        assert Path(name).stat().st_size > 0, name
    assert Path("x.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    full = polars.read_parquet("x.parquet")["kept"].to_list()
    assert polars.read_csv("x.csv")["kept"].to_list() == full
    assert polars.read_csv("x.tsv", separator="\t")["kept"].to_list() == full
    assert json.loads(Path("x.json").read_text())["run"] == "folder"


def test_two_folders_are_one_too_many(in_folder: Path) -> None:
    done = run("-o", "a", "-o", "b")
    assert done.returncode == 2
    assert "several run folders" in done.stderr
    assert not list(in_folder.iterdir())


def test_underscores_hyphens_environment_and_config(in_folder: Path) -> None:
    Path("c.toml").write_text("seed = 3\n[toy]\ncount = 4\nmetric-limit = 0.5\n")

    def items(*arguments: str, **environment: str) -> tuple[int, str]:
        done = run("--format", "json", *arguments, **environment)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        return found["systems"]["one"]["scores"]["kept"]["n"], found["signature"]

    assert items("--config", "c.toml")[0] == 4
    assert "limit:0.5" in items("--config", "c.toml")[1]
    assert "seed:3" in items("--config", "c.toml")[1]
    assert items("--config", "c.toml", GISTMETER_TOY_COUNT="6")[0] == 6
    assert items("--config", "c.toml", "--count", "7", GISTMETER_TOY_COUNT="6")[0] == 7
    assert "limit:0.25" in items("--metric_limit", "0.25")[1]
    assert "limit:0.25" in items("--metric-limit=0.25")[1]


def test_a_wrong_config_says_where(in_folder: Path) -> None:
    Path("c.toml").write_text("[toy]\ncuont = 4\n")
    done = run("--config", "c.toml")
    assert done.returncode == 2
    assert "Did you mean 'count'" in done.stderr
    Path("c.toml").write_text("sede = 4\n")
    done = run("--config", "c.toml")
    assert done.returncode == 2
    assert "Did you mean 'seed'" in done.stderr
    Path("c.toml").write_text("[toy\n")
    assert run("--config", "c.toml").returncode == 2
    assert run("--config", "missing.toml").returncode == 2


@pytest.mark.parametrize(
    ("threshold", "code"),
    [("kept=0.01", 0), ("kept=0.99", 3), ("loss_rate=99", 0), ("loss_rate=1", 3),
     ("nonsense=1", 2), ("kept", 2), ("kept=high", 2)],
)  # fmt: skip
def test_fail_under(in_folder: Path, threshold: str, code: int) -> None:
    done = run("--fail-under", threshold)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert bool(list(in_folder.iterdir())) == (code != 2)


@pytest.mark.parametrize(
    "arguments",
    [("--count", "many"), ("--nonsense",), ("--format", "yaml"), ("--source-path", "no.csv"),
     ("--confidence", "2"), ("--resamples", "-1")],
)  # fmt: skip
def test_bad_usage_is_exit_2_and_writes_nothing(
    in_folder: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert not list(in_folder.iterdir())


def test_ctrl_c_leaves_a_run_that_resumes_to_the_same_bytes(in_folder: Path) -> None:
    assert run("-o", "whole", "--count", "40").returncode == 0
    arguments = ["-o", "cut", "--count", "40"]
    process = subprocess.Popen(
        [*TOY, *arguments, "--pause", "0.5"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
        # A suite that runs in the background ignores Ctrl-C, and its children would as well.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    journal = Path("cut/journal.jsonl")
    for _ in range(600):
        if journal.exists() and journal.read_text().count("\n") >= 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "--resume" in said
    assert "Traceback" not in said
    assert journal.exists()
    assert not Path("cut/run.json").exists()

    refused = run("-o", "cut", "--count", "41", "--resume")
    assert refused.returncode == 2
    assert "items: 80 -> 82" in refused.stderr
    resumed = run(*arguments, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "Resuming cut" in resumed.stderr
    assert Path("cut/items.parquet").read_bytes() == Path("whole/items.parquet").read_bytes()


def test_resume_without_anything_starts_afresh_and_says_so(in_folder: Path) -> None:
    done = run("--resume")
    assert done.returncode == 0
    assert "starting from the beginning" in done.stderr


def test_overwrite_replaces_a_run(in_folder: Path) -> None:
    assert run("-o", "r", "--count", "3").returncode == 0
    assert run("-o", "r", "--count", "4").returncode == 2
    assert run("-o", "r", "--count", "4", "--overwrite").returncode == 0
    assert polars.read_parquet("r/items.parquet").height == 8


def test_a_config_may_serve_several_commands(in_folder: Path) -> None:
    Path("c.toml").write_text(
        'bandwidth = 7\n[book]\nalpha = 3\n[parse]\nresamples = 0\n[profiles.mine]\nnli = "x"\n'
    )
    said = CliRunner().invoke(app, ["text", "none.csv", "--config", "c.toml", "--trust"])
    assert "none.csv" in said.stderr
    Path("g.conllu").write_text("1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    for words in (["parse", "score"], ["parse"]):
        arguments = [*words, "g.conllu", "g.conllu", "--config", "c.toml", "--format", "json", "-q"]
        done = CliRunner().invoke(app, [*arguments, "--no-report", "--trust"])
        assert "resamples:0" in json.loads(done.stdout)["signature"]


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    import errno

    def fill(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "out.csv")

    monkeypatch.setattr("gistmeter.core.cache.cache_file", fill)
    with pytest.raises(SystemExit) as ended:
        app.main(["cache", "path"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Error: out.csv: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX closes streams")
@pytest.mark.parametrize(
    ("closed", "code"), [("2>&-", 0), ("<&-", 0), ("2>&- <&-", 0), (">&-", 1), (">&- 2>&-", 1)]
)
def test_streams_that_the_caller_closed(closed: str, code: int, in_folder: Path) -> None:
    """A result that nobody can get is an error; a remark that nobody hears is none."""
    command = f'exec "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, "sh", *TOY, "-o", "run"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": PATHS},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    assert Path("run/run.json").exists()
    if "2>&-" not in closed and code:
        assert "Error: Bad file descriptor" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
def test_a_polite_kill_ends_with_its_own_code(in_folder: Path) -> None:
    process = subprocess.Popen(
        [*TOY, "-o", "cut", "--pause", "60"], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
    )  # fmt: skip
    while not Path("cut/journal.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "--resume" in said and "Traceback" not in said
