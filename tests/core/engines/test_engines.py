"""Engines without a cluster: which there are, what is said where one is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import gistmeter
from gistmeter.cli import app
from gistmeter.core.engines import Local, Measured, Part, Work
from gistmeter.core.engines import ray as ray_engine
from gistmeter.core.engines.ray import TLS_FILES, refuse_public
from gistmeter.core.errors import GistmeterError, InputError, MissingDependency, UnknownName
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


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("ray://8.8.8.8:10001", True),
        ("8.8.4.4:6379", True),
        ("ray://[2001:4860:4860::8888]:10001", True),
        ("8.8.8.8", True),
        ("ray://8.8.8.8", True),
        ("ray://8.8.8.8/name:space", True),
        ("ray://you:me@8.8.8.8:10001", True),
        ("[::ffff:8.8.8.8]", True),
        ("2001:4860:4860::8888", True),
        ("::1", False),
        ("ray://10.0.0.7:10001", False),
        ("192.168.1.5:6379", False),
        ("127.0.0.1:6379", False),
        ("localhost:6379", False),
        ("[::1]:6379", False),
        ("auto", False),
        ("", False),
    ],
)
def test_a_head_on_a_public_address_needs_tls(
    address: str, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RAY_USE_TLS", *TLS_FILES):
        monkeypatch.delenv(name, raising=False)
    if refused:
        with pytest.raises(InputError, match=r"a public one .*RAY_USE_TLS=1"):
            refuse_public(address)
    else:
        refuse_public(address)
    monkeypatch.setenv("RAY_USE_TLS", "1")
    if refused:
        with pytest.raises(InputError, match="RAY_TLS_CA_CERT"):  # the files are not there
            refuse_public(address)
    for name in TLS_FILES:
        (tmp_path / name).touch()
        monkeypatch.setenv(name, str(tmp_path / name))
    refuse_public(address)
    if refused:
        monkeypatch.setenv("RAY_USE_TLS", "0")
        with pytest.raises(InputError, match="a public one"):
            refuse_public(address)


def test_a_public_head_is_refused_before_ray_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its option, or by Ray's own variable; a name stands for what it resolves to."""

    class Unasked:
        @staticmethod
        def is_initialized() -> bool:
            return False

        @staticmethod
        def init(**_: object) -> None:
            raise AssertionError("Ray was asked")

    monkeypatch.setattr(ray_engine, "_import", Unasked)
    found = [(2, 1, 6, "", ("93.184.215.14", 0))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: found)
    engine = ray_engine.RayEngine(address="ray://head.example:10001")
    with pytest.raises(InputError, match=r"93\.184\.215\.14"), engine.open():
        pass
    monkeypatch.setenv("RAY_ADDRESS", "head.example:6379")
    with pytest.raises(InputError, match="a public one"), ray_engine.RayEngine().open():
        pass


def test_a_cluster_that_does_not_start_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        """Ray on a machine that is too busy: it raises the plainest of errors."""

        _private = SimpleNamespace(ray_constants=SimpleNamespace(ENABLE_RAY_CLUSTER=True))

        @staticmethod
        def is_initialized() -> bool:
            return False

        @staticmethod
        def init(**_: object) -> None:
            raise Exception("The current node timed out during startup.")

    for name in ("RAY_ADDRESS", *ray_engine.AUTHENTICATION):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ray_engine, "_import", Slow)
    with pytest.raises(GistmeterError, match="timed out"), ray_engine.RayEngine().open():
        pass
    assert Slow._private.ray_constants.ENABLE_RAY_CLUSTER
    assert not {ray_engine.CLOSED, "RAY_AUTH_TOKEN"} & set(os.environ)
    with pytest.raises(InputError, match="no Ray cluster answers"):
        ray_engine.RayEngine(address="127.0.0.1:1").open().__enter__()
