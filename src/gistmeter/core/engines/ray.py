"""Ray Data: the chunks of a run on the workers of a Ray cluster.

Each chunk is a row of a Ray dataset. A worker is an actor: it unpacks the metrics once, so every
model's weights are read once in its life. What comes back is the name of a shard where the run's
folder is on a disk that all share, else the rows. Items that say how they are read (`load`) are
read where they are measured; where models have a GPU, a stage before them reads on any processor.

Ray runs again what was lost with a worker or a node. Its usage reports and its dashboard are off,
and nothing outside the cluster is reached. A cluster that is started here listens on the loopback
alone; one on a public address must have TLS.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from gistmeter.core.engines import Part, Work
from gistmeter.core.errors import GistmeterError, InputError, MissingDependency

PART, DONE, FAULT, OURS = "part", "done", "fault", "ours"
MOST_BLOCKS = 4096  # tasks of one run: Ray plans them all at once
STORE_BYTES = 512 << 20  # of objects on the way, where we start the cluster; more goes to the disk
GPU = "cuda"
CLOSED = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
TLS_FILES = ("RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
Given = TypeVar("Given")
Got = TypeVar("Got")


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Workers of a Ray cluster: one that is there, or one that is started here and ends with us."""

    address: str = ""
    workers: int = 0
    device: str = "auto"
    apart: ClassVar[bool] = True

    def open(self) -> contextlib.AbstractContextManager[None]:
        return _joined(_import(), self.address, self.workers)

    def sees(self, files: Sequence[Path]) -> bool:
        """Asked on every node: only the node itself can tell."""
        ray = _import()
        sizes = {str(file.resolve()): file.stat().st_size for file in files}
        with self.open(), _refusing(ray):
            ask = ray.remote(num_cpus=0)(_has)
            place = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
            asked = [
                ask.options(scheduling_strategy=place(node["NodeID"], soft=False)).remote(sizes)
                for node in ray.nodes()
                if node["Alive"]
            ]
            return all(ray.get(asked))

    def run(self, work: Callable[[Given], Got], parts: Sequence[Given]) -> Iterator[Got]:
        if not parts:
            return
        ray = _import()
        packed = _pack(work)
        with self.open(), _refusing(ray):
            gpu = self.device == GPU and isinstance(work, Work)
            for row in self._dataset(ray, packed, parts, gpu=gpu).iter_rows():
                if row[FAULT]:
                    raise (InputError if row[OURS] else GistmeterError)(row[FAULT])
                yield _unpack(row[DONE])

    def _dataset(self, ray: Any, packed: bytes, parts: Sequence[Any], *, gpu: bool) -> Any:
        """The plan: chunks, read by tasks where workers have GPUs, measured by actors."""
        blocks = min(len(parts), MOST_BLOCKS)
        rows = [{PART: _pack(part)} for part in parts]
        data = ray.data.from_items(rows, override_num_blocks=blocks)
        needs = {"num_cpus": 1, **({"num_gpus": 1} if gpu else {})}
        if gpu:
            data = data.map(load)
        size = min(self.workers or _places(ray, gpu=gpu), blocks)
        return data.map(
            Worker,
            fn_constructor_args=(packed,),
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=size, initial_size=size),
            **needs,
        )


class Worker:
    """An actor: the metrics with their models, and a call for each chunk."""

    def __init__(self, packed: bytes) -> None:
        self._work: Callable[[Any], Any] = _unpack(packed)

    def __call__(self, row: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {DONE: _pack(self._work(_unpack(row[PART]))), FAULT: "", OURS: False}
        except GistmeterError as error:  # the driver raises it as the local engine would
            return {DONE: b"", FAULT: str(error), OURS: isinstance(error, InputError)}


def _has(sizes: Mapping[str, int]) -> bool:
    """Whether this machine has files of these sizes."""
    return all(os.path.isfile(name) and os.path.getsize(name) == size  # noqa: PTH113, PTH202
               for name, size in sizes.items())  # fmt: skip


def load(row: Mapping[str, Any]) -> dict[str, Any]:
    """A chunk whose items are read."""
    part: Part = _unpack(row[PART])
    return {PART: _pack(part.loaded())}


def _import() -> Any:
    try:
        import ray
        import ray.data
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise MissingDependency("ray", "ray", "The engine 'ray'") from error
    return ray


def _pack(held: Any) -> bytes:
    """Something for another process of the cluster."""
    from ray import cloudpickle

    try:
        packed: bytes = cloudpickle.dumps(held)
    except (TypeError, AttributeError) as error:
        raise InputError(
            f"A model or metric cannot be sent to other processes ({error}). Give it by name, or "
            "use --engine local"
        ) from error
    return packed


def _unpack(packed: bytes) -> Any:
    """What another process of the same cluster packed; nothing else ever comes here."""
    from ray import cloudpickle

    return cloudpickle.loads(packed)


def _places(ray: Any, *, gpu: bool) -> int:
    """How many workers the cluster has room for."""
    places = int(ray.cluster_resources().get("GPU" if gpu else "CPU", 0))
    if gpu and not places:
        raise InputError("device is cuda, and the cluster has no GPU. Use --device cpu")
    return max(1, places)


@contextlib.contextmanager
def _joined(ray: Any, address: str, workers: int) -> Iterator[None]:
    """A cluster: the one this process is in, the one that is named, or one of our own."""
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    named = address or os.environ.get("RAY_ADDRESS", "")
    refuse_public(named)
    if not named:
        options |= {"include_dashboard": False, "object_store_memory": STORE_BYTES}
        options |= {"address": "local", "num_cpus": workers or None}
    with contextlib.nullcontext() if named else _closed(ray):
        try:
            ray.init(**{"address": address or None, **options})
        except Exception as error:  # of this very class where a node is slow to start
            if not named:
                raise GistmeterError(f"Ray could not be started here ({error})") from error
            raise InputError(
                f"address is '{address}', and no Ray cluster answers there ({error}). Start one "
                "with: ray start --head, or leave the address out"
            ) from error
        try:
            if named == "auto":
                refuse_public(ray.get_runtime_context().gcs_address)
            yield
        finally:
            ray.shutdown()


@contextlib.contextmanager
def _closed(ray: Any) -> Iterator[None]:
    """Have Ray listen on the loopback alone, and let in whoever has this process's token.

    There is no option for the first: the address 127.0.0.1 is replaced by one that others reach,
    but for systems where a firewall would ask. A token that Ray makes itself is kept in the home
    folder, where others may read it.
    """
    constants, before = ray._private.ray_constants, dict(os.environ)
    enabled, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    os.environ[CLOSED] = "0"  # for the processes that it starts
    if not any(os.environ.get(name) for name in AUTHENTICATION):
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # where there is one, Ray asks for it
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = enabled
        for name in (CLOSED, *AUTHENTICATION):
            os.environ.pop(name, None)
            os.environ |= {name: before[name]} if name in before else {}
        with contextlib.suppress(AttributeError):  # earlier versions have no tokens
            ray._raylet.AuthenticationTokenLoader.instance().reset_cache()


def refuse_public(address: str) -> None:
    """Whoever reaches a head can run code: one that the internet reaches must ask for a key."""
    place = address.rpartition("//")[2].rpartition("@")[2].partition("/")[0]
    host = place.strip("[").partition("]" if "[" in place else ":")[0]
    if place.count(":") > 1 and "[" not in place:  # IPv6 without brackets
        host = place
    set_up = all(Path(os.environ.get(name) or "-").is_file() for name in TLS_FILES)
    if host in ("", "auto", "local") or (set_up and os.environ.get("RAY_USE_TLS") == "1"):
        return
    try:
        addresses = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return  # Ray says that nobody answers there
    public = sorted(place for place in addresses if ipaddress.ip_address(place).is_global)
    if public:
        raise InputError(
            f"address is '{address}', a public one ({public[0]}), and Ray's TLS is not set up: "
            "whoever reaches Ray's ports can run code, and texts would go there in the clear. Use "
            f"a private network, or set RAY_USE_TLS=1 and {', '.join(TLS_FILES)} on every node"
        )


@contextlib.contextmanager
def _refusing(ray: Any) -> Iterator[None]:
    """Keep Ray's messages from the terminal, and raise its failures as our own errors."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        yield
    except ray.exceptions.RayError as error:
        lines = str(error).strip().splitlines()
        raise GistmeterError(
            f"The cluster could not do the work: {lines[-1] if lines else type(error).__name__}"
        ) from error
