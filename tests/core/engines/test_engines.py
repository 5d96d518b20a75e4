"""Engines without a cluster: which there are, what is said where one is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter.cli import app
from gistmeter.core.engines import Local, Measured, Part, Work
from gistmeter.core.errors import InputError, MissingDependency, UnknownName
from gistmeter.models.llm import PlainAsker
from toys import Length, pairs

CANDIDATES, REFERENCES = ["a light rain", "much snow"], ["light rain", "heavy snow"]


def score(**options: object) -> gistmeter.Run:
    return gistmeter.score_text(
        CANDIDATES, REFERENCES, language="en", metrics=["s_info"], **options
    )


class Backwards(Local):
    """An engine of somebody else's: the last chunk first."""

    def __init__(self, address: str = "", workers: int = 0, device: str = "auto") -> None:
        self.given = (address, workers, device)
        self.chunks = 0

    def run(self, work: Work, parts: Sequence[Part]) -> Iterator[Measured]:
        for at in reversed(range(len(parts))):
            self.chunks += 1
            yield work(parts[at])


def test_an_engine_of_another_package_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "backwards-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: backwards\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[gistmeter.engines]\nbackwards = test_engines:Backwards\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    run = score(engine="backwards", workers=3)
    assert run.to_polars().equals(score().to_polars())


def test_an_engine_may_be_an_object_and_the_order_of_chunks_does_not_matter() -> None:
    from gistmeter.core.evaluation import evaluate

    engine = Backwards()
    backwards = evaluate(pairs(25), [Length()], chunk=4, engine=engine)
    assert engine.chunks == 7
    assert backwards.to_polars().equals(evaluate(pairs(25), [Length()]).to_polars())
    assert score(engine=engine).to_dict() == score().to_dict()


def test_an_unknown_engine_says_which_there_are() -> None:
    with pytest.raises(UnknownName, match=r"engine 'rays'\. Did you mean 'ray'\?"):
        score(engine="rays")


def test_workers_and_addresses_are_for_clusters() -> None:
    with pytest.raises(InputError, match=r"workers is for a cluster.*--engine ray"):
        score(workers=2)
    with pytest.raises(InputError, match="address is for a cluster"):
        Local(address="auto")


def test_without_ray_the_line_to_install_it_is_given(
    monkeypatch: pytest.MonkeyPatch, in_folder: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependency, match=r"pip install 'gistmeter\[ray\]'"):
        score(engine="ray")
    Path("answers.csv").write_text("id,prediction,reference\n1,rain,light rain\n")
    typed = ["text", "answers.csv", "--metrics", "s_info", "--language", "en", "--engine", "ray"]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 2
    assert "pip install 'gistmeter[ray]'" in done.output
    assert "Traceback" not in done.output


def test_the_local_engine_imports_no_ray() -> None:
    program = (
        "import sys, gistmeter\n"
        "gistmeter.score_text(['rain'], ['light rain'], language='en', metrics=['s_info'])\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('ray', 'fsspec')]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_language_model_stays_in_one_process() -> None:
    from gistmeter.core.cache import Cache
    from gistmeter.models.llm import CachedLanguageModel

    class Named:
        id = name = "mine"

    model = CachedLanguageModel(PlainAsker(Named()), Cache(None))
    with pytest.raises(InputError, match=r"mine is asked by one process.*--engine local"):
        model.__reduce__()
