"""A folder of somebody else's shows no file of yours: links that lead out of it are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gistmeter import score_text
from gistmeter.book.read import read_texts
from gistmeter.core.errors import InputError
from gistmeter.speech.formats.utterances import read_transcripts
from gistmeter.speech.read import read_assets
from gistmeter.text.formats.predictions import read_predictions

TABLE = "id,prediction,reference\n{0},{0},it rains\n"


def paired(folder: Path) -> object:
    return score_text(
        folder / "a_ABAB.csv", references=folder, language="en", metrics=["s_info"], resamples=0
    )


# What is read of a folder, by files; the last one is a link.
READERS: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
    "predictions": (("a.csv", "b.csv"), lambda folder: read_predictions([folder])),
    "references": (("a_ABAB.csv", "b.csv"), paired),
    "transcripts": (("a.txt", "b.txt"), read_transcripts),
    "data of Kaldi": (("utt2spk", "text"), read_transcripts),
    "chapters": (("a.txt", "b.txt"), read_texts),
    "sounds": (("a.wav", "a.txt", "b.txt", "b.wav"), read_assets),
    "texts of sounds": (("a.wav", "a.txt", "b.wav", "b.txt"), read_assets),
}


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("kind", READERS)
def test_a_link_out_of_a_folder_is_refused(kind: str, within: bool, tmp_path: Path) -> None:
    files, read = READERS[kind]
    folder = tmp_path / "theirs"
    (folder / "more").mkdir(parents=True)
    for name in files[:-1]:
        (folder / name).write_text(TABLE.format("it rains"), "utf-8")
    target = folder / "more" / "b" if within else tmp_path / "yours"
    target.write_text(TABLE.format("a secret"), "utf-8")
    (folder / files[-1]).symlink_to(target)
    try:
        read(folder)
        refused = ""
    except InputError as error:
        refused = str(error)
    assert ("is a link that leads out of" in refused) != within
    assert within or str(folder / files[-1]) in refused


def test_a_folder_may_be_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "a.csv").write_text(TABLE.format("it rains"), "utf-8")
    (tmp_path / "near").symlink_to("far")
    assert [row.text for row in read_predictions([tmp_path / "near"])] == ["it rains"]
