"""A real Ray here: the same run as the local engine makes, whatever dies on the way."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import gistmeter
from core.engines.clusters import STORE, Later, Slow, environment, numbered, start_node
from gistmeter.core.engines import Local
from gistmeter.core.engines.ray import RayEngine
from gistmeter.core.errors import GistmeterError
from gistmeter.core.evaluation import evaluate
from gistmeter.core.runs import RunFolder
from laws.test_doors import FAMILIES, PYTHON, TABLE, documents, kept, page
from toys import Length, pairs

pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
TWO = RayEngine(workers=2)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A head and, while a test wants it, further nodes; two processors in all."""
    ray = pytest.importorskip("ray", reason="ray is missing: pip install 'gistmeter[ray]'")
    from ray.cluster_utils import Cluster

    before = dict(os.environ)
    os.environ |= environment()
    # A node that is gone is found out soon.
    system = {"health_check_period_ms": 500, "health_check_failure_threshold": 4}
    # The GPU is a word: nothing of what is measured here asks for one.
    head = {"num_cpus": 2, "num_gpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    for attempt in range(3):  # Ray gives up after 30 seconds, which a busy machine may need
        try:
            found = Cluster(initialize_head=True, head_node_args={**head, "_system_config": system})
            break
        except Exception as error:
            if attempt == 2 or "timed out" not in str(error):
                raise
    ray.init(address=found.address, log_to_driver=False, logging_level="ERROR")
    yield found
    ray.shutdown()
    found.shutdown()
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_run_is_the_local_one(name: str, in_folder: Path, cluster: Any) -> None:
    Path("clips.csv").write_text(TABLE)
    one, other = "run_local", "run_ray"
    PYTHON[name](output=one)
    PYTHON[name](output=other, engine="ray", workers=2)
    assert Path(one, "items.parquet").read_bytes() == Path(other, "items.parquet").read_bytes()
    assert documents(one) == documents(other)
    assert kept(one) == kept(other)
    assert page(one) == page(other)
    assert not Path(other, "shards").exists()


def test_models_are_loaded_once_for_each_worker_and_give_the_same(
    tmp_path: Path, cluster: Any
) -> None:
    log = tmp_path / "log"
    slow = evaluate(numbered(400), [Slow(str(log), 0.05)], chunk=20, engine=TWO)
    lines = [line.split() for line in log.read_text().splitlines()]
    workers = {line[1] for line in lines if line[0] == "load"}
    assert slow["size"].n == 400
    assert len(workers) == len([line for line in lines if line[0] == "load"]) == 2
    assert str(os.getpid()) not in workers


def test_embedded_models_give_the_same_bits(cluster: Any) -> None:
    said = [f"Kočka číslo {at} seděla na rohožce." for at in range(40)]
    meant = [f"Na rohožce seděla kočka, {at}. v pořadí." for at in range(40)]
    there, here = (
        gistmeter.score_text(said, meant, language="cs", no_cache=True, **more)
        for more in ({"engine": "ray", "workers": 2}, {})
    )
    assert there.signature == here.signature
    assert there.to_dict() == here.to_dict()
    assert there.to_polars().equals(here.to_polars())


def test_one_bad_item_stays_one(cluster: Any) -> None:
    items = pairs(60)
    bad = next(item.candidate for item in items[20:] if item.candidate)
    metric = Length(fail_on=bad or "")
    here, there = (evaluate(items, [metric], chunk=1, engine=one) for one in (Local(), TWO))
    assert there["kept"].unscored == here["kept"].unscored > 0
    assert there.to_polars().equals(here.to_polars())


def test_what_cannot_be_done_is_said_as_the_local_engine_says_it(cluster: Any) -> None:
    with pytest.raises(GistmeterError, match=r"The metric 'slow' failed on 3 items: FileNotFound"):
        evaluate(numbered(3), {"slow": Slow("/no/such/folder/log")}, engine=TWO)


def test_a_node_that_is_lost_costs_nothing_but_time(tmp_path: Path, cluster: Any) -> None:
    """Half of the workers live on a node that is killed in the middle of the run."""
    node = start_node(cluster, cpus=2)
    cluster.wait_for_nodes()
    log, folder = tmp_path / "log", tmp_path / "run"
    items, metric = numbered(240), Slow(str(log), 0.25)
    seen: list[int] = []

    def pull(stage: str, done: int, total: int) -> None:
        seen.append(done)
        if done >= 40 and node in cluster.list_all_nodes():
            cluster.remove_node(node, allow_graceful=False)

    run = evaluate(
        items, [metric], chunk=4, engine=RayEngine(workers=4), progress=pull,
        open_folder=lambda plan: RunFolder.start(folder, plan),
    )  # fmt: skip
    assert seen == sorted(seen)
    assert seen[-1] == 240
    assert run["size"].n == 240
    assert run.to_polars().equals(evaluate(items, [Slow()]).to_polars())
    workers = {line.split()[1] for line in log.read_text().splitlines()}
    assert len(workers) >= 4


KILLED = """
from pathlib import Path
import sys
from core.engines.clusters import Slow, numbered
from gistmeter.core.engines import Local
from gistmeter.core.engines.ray import RayEngine
from gistmeter.core.runs import open_folder
from gistmeter.core.evaluation import evaluate

folder, log, address, pause = Path(sys.argv[1]), *sys.argv[2:4], float(sys.argv[4])
run = evaluate(
    numbered(200), [Slow(log, pause)], chunk=5, engine=RayEngine(address, 2),
    open_folder=lambda plan: open_folder(
        folder, plan, resume=True, overwrite=False, say=lambda _: None
    ),
)
assert run["size"].n == 200
"""


def test_a_killed_run_goes_on_from_its_shards(tmp_path: Path, cluster: Any) -> None:
    folder, log = tmp_path / "run", tmp_path / "log"
    program = tmp_path / "scoring.py"
    program.write_text(textwrap.dedent(KILLED))
    typed = [sys.executable, str(program), str(folder), str(log), cluster.address]
    first = subprocess.Popen([*typed, "0.3"], env={**os.environ})
    journal = folder / "journal.jsonl"
    deadline = time.time() + 240

    def chunks() -> int:
        """Lines of the journal but for the plan and the names of files that are to come."""
        lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
        return sum(not {"plan", "claims"} & json.loads(line).keys() for line in lines)

    while chunks() < 8:
        assert time.time() < deadline and first.poll() is None
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    done = chunks()
    assert 8 <= done < 40
    assert len(list((folder / "shards").glob("*.parquet"))) >= done
    log.unlink()
    subprocess.run([*typed, "0.3"], check=True, env={**os.environ})
    measured = [line for line in log.read_text().splitlines() if line.startswith("measure")]
    assert len(measured) <= 40 - done  # those of the killed run may still come in
    again = gistmeter.load_run(folder)
    assert again.to_polars().equals(evaluate(numbered(200), [Slow()]).to_polars())
    assert not (folder / "shards").exists()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_tables_are_read_by_the_workers(device: str, in_folder: Path, cluster: Any) -> None:
    rows = [
        {"id": f"{at}", "prediction": f"{at} cats sat", "reference": f"the {at} cats were sitting"}
        for at in range(3000)
    ]
    polars.DataFrame(rows).write_parquet("answers.parquet", row_group_size=500)
    polars.DataFrame(rows[:50]).write_ndjson("others.jsonl")
    files = [Path("answers.parquet"), Path("others.jsonl")]
    options: dict[str, Any] = {"language": "en", "metrics": ["s_info"], "device": device}
    streamed = gistmeter.score_text(files, engine="ray", output="run_ray", **options)
    whole = gistmeter.score_text(files, output="run_local", **options)
    assert "They are read by workers, in 2 stretches" in streamed.remarks
    assert streamed.inputs == whole.inputs
    items = [Path(run, "items.parquet").read_bytes() for run in ("run_ray", "run_local")]
    assert items[0] == items[1]
    assert streamed.systems == whole.systems
    assert streamed.signature == whole.signature


def test_a_million_small_items(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def refuse(_: RunFolder) -> None:
        raise AssertionError("the driver asked for all rows")

    monkeypatch.setattr(RunFolder, "rows", refuse)
    run = evaluate(
        Later(range(1_000_000)), [Slow()], chunk=20_000, resamples=100, engine=TWO,
        open_folder=lambda plan: RunFolder.start(folder, plan), count=lambda _: {},
    )  # fmt: skip
    expected = np.arange(1_000_000) % 13
    assert run["size"].n == 1_000_000
    assert run["size"].value == pytest.approx(expected.mean(), rel=1e-12)
    error = expected.std() / 1000
    assert run["size"].high - run["size"].low == pytest.approx(3.92 * error, rel=0.3)
    assert run.excerpt is not None and len(run.excerpt.rows) == pytest.approx(20_000, rel=0.05)
    assert run.measured.item.tolist() == list(range(1_000_000))


def test_a_cluster_of_our_own_listens_on_the_loopback_alone(tmp_path: Path) -> None:
    """Every port of every process that was started, as the kernel lists them; with a token, which
    stands in no file; and twice in a process."""
    pytest.importorskip("ray")
    program = (
        "import os; from core.engines.clusters import listening\n"
        "from gistmeter.core.engines.ray import RayEngine\n"
        "engine = RayEngine(workers=1)\n"
        "with engine.open():\n"
        "    assert list(engine.run(os.getenv, ['RAY_AUTH_MODE'])) == ['token']\n"
        "    print(listening(os.getpid()))\n"
        "assert list(engine.run(str, [1, 2])) == ['1', '2']\n"
        "assert 'RAY_AUTH_TOKEN' not in os.environ\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment(), "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    found = ast.literal_eval(done.stdout.strip().splitlines()[-1])
    assert {"gcs_server", "raylet"} <= found.keys(), found
    assert set().union(*found.values()) <= {"127.0.0.1", "::1"}, found
