"""Small faults of tables, names and times that must not come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter import languages
from gistmeter.cli import app
from gistmeter.core.errors import MissingModel
from gistmeter.models.loading import load_models_by_language
from gistmeter.speech.family import SpeechSettings
from gistmeter.speech.formats.audio import sounding
from speech.speech_doubles import honest

SAID, HEARD = ["Anna met Boris today."], ["Anna met Doris today."]


def run(tmp_path: Path, *more: str) -> Any:
    (tmp_path / "said.txt").write_text("1\tAnna met Boris\n", encoding="utf-8")
    (tmp_path / "heard.txt").write_text("1\tAnna met Doris\n", encoding="utf-8")
    given = ["speech", "--expected", str(tmp_path / "said.txt"), "--got",
             str(tmp_path / "heard.txt"),
             "--metrics", "wer", "--language", "en"]  # fmt: skip
    return CliRunner().invoke(app, [*given, *more])


def test_quiet_is_quiet(tmp_path: Path) -> None:
    got = run(tmp_path, "-q", "-o", str(tmp_path / "run"))
    assert got.exit_code == 0 and got.stderr == "" and "wer" in got.stdout
    assert (tmp_path / "run" / "run.json").exists()


def test_tsv_has_no_byte_order_mark_and_csv_can_do_without(tmp_path: Path) -> None:
    out = [str(tmp_path / name) for name in ("a.tsv", "a.csv")]
    run(tmp_path, "-o", out[0], "-o", out[1], "-o", str(tmp_path / "run"))
    assert not Path(out[0]).read_bytes().startswith(b"\xef\xbb\xbf")
    assert Path(out[1]).read_bytes().startswith(b"\xef\xbb\xbf")
    run(tmp_path, "-o", out[1], "-o", str(tmp_path / "other"), "--no-bom")
    assert not Path(out[1]).read_bytes().startswith(b"\xef\xbb\xbf")


def test_a_diff_is_linked_from_where_the_table_stands(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    table = tmp_path / "tables" / "out.tsv"
    run(tmp_path, "-o", str(table), "-o", str(tmp_path / "runs" / "one"))
    head, line = table.read_text(encoding="utf-8").splitlines()[:2]
    link = dict(zip(head.split("\t"), line.split("\t"), strict=True))["diff_report"]
    assert link.startswith("../runs/one/details/") and (table.parent / link).exists()


def test_a_command_among_recognisers_keeps_its_commas() -> None:
    settings = SpeechSettings(recognizers="moonshine,sh=command:say a,b", assets="x")
    assert settings.recognizers == ("moonshine", "sh=command:say a,b")
    assert SpeechSettings(recognizers="a,b", assets="x").recognizers == ("a", "b")
    assert SpeechSettings(recognizers="command:x,y", assets="x").recognizers == ("command:x,y",)


def test_ser_alone_still_shows_the_word_diff() -> None:
    made = gistmeter.score_speech(SAID, HEARD, language="en", llm=honest(), metrics=["ser"])
    assert "doris" in str(made.measured.texts["diff"][0])
    assert "wer" not in made.systems[next(iter(made.systems))].scores


def test_all_missing_models_are_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gistmeter.core.cache import Cache

    monkeypatch.setattr("gistmeter.models.backends.find_spec", lambda _: True)
    names = {role: str(tmp_path / role) for role in ("embedder", "cross_encoder", "nli")}
    with pytest.raises(MissingModel) as caught:
        load_models_by_language(list(names), ["zh", "ko"], names=names, cache=Cache(None))
    assert all(name in str(caught.value) for name in names.values())


def test_silence_at_the_end_of_a_clip_is_no_speech() -> None:
    speech = (np.sin(np.arange(16000)) * 8000).astype("<i2").tobytes()
    noise = np.tile(np.asarray([3, -3], "<i2"), 8000).tobytes()
    assert abs(sounding(speech + noise) - len(speech)) <= 8
    assert sounding(bytes(320)) == 320  # nothing but silence


def test_a_colon_leads_over_to_what_is_said_next() -> None:
    text = "“你去不去？”我说：“我不去。”他走了。"
    assert languages.get("zh").sentences(text) == ["“你去不去？”", "我说：“我不去。”", "他走了。"]
    assert languages.get("zh").sentences("“你来吗？”她问。") == ["“你来吗？”她问。"]
