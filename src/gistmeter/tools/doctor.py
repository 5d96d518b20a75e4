"""What is installed, found and kept on this machine, and what each missing thing would enable.

Optional things that are missing are no fault. What makes gistmeter itself fail is: a core package
that is missing or too old, an embedded model that is not whole, a cache that cannot be used, or a
pair of texts that cannot be scored. Keys are named, never shown.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from gistmeter.core import registry
from gistmeter.core.cache import cache_file, cache_folder
from gistmeter.core.errors import GistmeterError, InputError, UnknownName
from gistmeter.core.settings import Settings, option
from gistmeter.models.env_file import ENV_FILE, filed_keys
from gistmeter.version import __version__

State = Literal["here", "missing", "broken"]
PACKAGE = "gistmeter"
REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[[^]]*])?\s*([^;]*)")
EXTRA = re.compile(r"""extra\s*==\s*['"]([\w.-]+)['"]""")
OURS = ("test", "test-torch", "test-adapters", "bench", "lint", "docs")  # for development
RECOGNIZERS = {
    name: registry.load(target) for name, target in registry.TABLES["gistmeter.recognizers"].items()
}
ENABLES: Mapping[str, str] = {
    "zh": "Chinese words", "ja": "Japanese words", "ko": "Korean words", "th": "Thai words",
    "languages": "words of zh, ja and ko; those of en, cs and ru need no extra",
    "torch": "the models of the papers (--profile paper) and any model of the hub",
    "onnx": "models of the hub without torch, where they have an ONNX file",
    "llm": "language models as judges of meaning (OpenAI, Anthropic, Ollama, vLLM …)",
    "gemini": "Gemini as a judge of meaning",
    "audio": "audio files other than WAV, and resampling",
    **{name: kind.enables for name, kind in RECOGNIZERS.items() if hasattr(kind, "enables")},
    "inspect": "the scorer for inspect_ai", "deepeval": "the metric for DeepEval",
    "evaluate": "the module for Hugging Face evaluate", "mlflow": "logging runs into MLflow",
    "ray": "scoring on a Ray cluster", "remote": "input from http addresses",
    "s3": "input from S3", "gcs": "input from Google Cloud Storage",
    "all": "everything except the adapters for other tools",
    "ud": "the official validator of Universal Dependencies in gistmeter parse validate --ud",
    "meetings": "tcpWER and ORC-WER of meetings", "whisper": "--normalizer whisper",
    "pandas": "run.to_pandas()", "pdf": "books in PDF files",
    "workbench": "gistmeter open: the page on this machine",
    "demo": "every sample of gistmeter demo",
}  # fmt: skip
KEYS: Mapping[str, str] = {
    **{
        variable: kind.enables
        for kind in RECOGNIZERS.values()
        if hasattr(kind, "service")
        for variable in kind.service.variables
    },
    "GEMINI_API_KEY": "Gemini as a judge: the semantic error rate of speech",
    "GOOGLE_API_KEY": "the same, where GEMINI_API_KEY is not set",
    "OPENAI_API_KEY": "OpenAI's models as judges, and its recogniser",
    "ANTHROPIC_API_KEY": "Anthropic's models as judges",
    "HF_TOKEN": "models of the hub that need a licence to be accepted",
}  # fmt: skip
ROLES = {
    "embedder": "sentence similarity", "matcher": "word-by-word similarity (BERTScore)",
    "cross_encoder": "similarity read together", "nli": "entailment: S_Logic, gist",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for."""

    part: str  # python, package, extra, model, key, cache or score
    name: str
    state: State
    detail: str = ""  # a version, a place, a size, or what is wrong
    enables: str = ""
    command: str = ""  # that gets it


@dataclass(frozen=True, slots=True)
class Health:
    """All findings. `well` is False where gistmeter itself, or what was needed, does not work."""

    findings: Sequence[Finding]
    needed: Sequence[str] = ()

    @property
    def faults(self) -> list[Finding]:
        """What is broken, and what was needed and is not here."""
        return [
            finding
            for finding in self.findings
            if finding.state == "broken"
            or (finding.state == "missing" and finding.name in self.needed)
        ]

    @property
    def well(self) -> bool:
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        return {
            "gistmeter": __version__,
            "well": self.well,
            "findings": [asdict(finding) for finding in self.findings],
        }


@dataclass(frozen=True, kw_only=True)
class DoctorSettings(Settings):
    """What must be there."""

    title: ClassVar[str] = "doctor"
    need: tuple[str, ...] = option(
        (),
        "Extras, keys or profiles that must be here too, separated by commas, such as"
        " zh,torch,GEMINI_API_KEY,paper. Exit with 1 where one is missing.",
        panel="input", metavar="NAME,…",
    )  # fmt: skip
    quick: bool = option(False, "Do not score a pair of texts as a trial.", panel="scores")


def doctor(**options: Any) -> Health:
    """Look at this installation. `options` are those of `gistmeter doctor`: need, quick."""
    return examine(DoctorSettings.of(options))


def examine(settings: DoctorSettings) -> Health:
    findings = [
        *_python(), *_packages(requirements()), *_models(), *_keys(os.environ), *_caches(),
        *([] if settings.quick else [_trial()]),
    ]  # fmt: skip
    known = {finding.name for finding in findings if finding.part in ("extra", "key", "profile")}
    for name in settings.need:
        if name not in known:
            raise UnknownName("thing to need", name, known)
    return Health(findings, settings.need)


def requirements() -> list[str]:
    """What the installed package says it needs."""
    try:
        return importlib.metadata.requires(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _python() -> Iterator[Finding]:
    detail = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("python", "python", "here", detail)
    yield Finding("python", PACKAGE, "here", f"{__version__} in {Path(__file__).parent}")


def _packages(required: Sequence[str]) -> Iterator[Finding]:
    """Core packages one by one; extras as wholes, with what they lack."""
    lacking: dict[str, list[str]] = {}
    for line in required:
        match = REQUIREMENT.match(line)
        extra = EXTRA.search(line)
        assert match is not None
        name, wanted = match[1], match[2].strip(" ()")
        version, fault = _version(name, wanted)
        if extra is not None:
            lacking.setdefault(extra[1], []).extend([fault] if fault else [])
        elif not fault:
            yield Finding("package", name, "here", version)
        elif ";" not in line:  # one with a marker is not for every machine: see the models
            yield Finding("package", name, "broken", fault, "gistmeter itself", _install())
    for name, faults in sorted(lacking.items()):
        if name in OURS:
            continue
        state: State = "missing" if faults else "here"
        detail = ", ".join(dict.fromkeys(faults))
        yield Finding("extra", name, state, detail, ENABLES.get(name, ""), _install(name))


def _version(name: str, wanted: str) -> tuple[str, str]:
    """The version of an installed package, and what is wrong with it."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "", f"{name} is not installed"
    for mark, least in re.findall(r"(>=|==)\s*([\d.]+)", wanted):
        installed, required = _numbers(version), _numbers(least)
        if installed < required or (mark == "==" and installed != required):
            return version, f"{name} is {version}, and {mark}{least} is needed"
    return version, ""


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version, without zeros at its end: 2.0 is 2."""
    release = re.match(r"[\d.]*", version.partition("+")[0])
    numbers = [int(part) for part in (release[0] if release else "").split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _install(extra: str = "") -> str:
    return f"pip install 'gistmeter[{extra}]'" if extra else "pip install --upgrade gistmeter"


def _models() -> Iterator[Finding]:
    """The roles of both profiles, the embedded weights' hashes, and the profiles as wholes."""
    from gistmeter.models import inventory

    for profile in ("embedded", "paper"):
        entries = inventory.list_models(profile, "")
        for entry in entries:
            state: State = "here" if entry.ready else "missing"
            label = f"{profile} {entry.role.replace('_', '-')}"
            detail = f"{entry.name}: {entry.where}"
            yield Finding("model", label, state, detail, ROLES[entry.role], entry.command)
        yield _profile(profile, [entry.role for entry in entries if not entry.ready])
    for check in inventory.verify(cache_folder() / "models", []):
        if not check.whole and not check.file.endswith(".onnx"):  # a graph is built again by itself
            yield Finding("model", Path(check.file).name, "broken", f"{check.file}: {check.detail}")


def _profile(name: str, missing: Sequence[str]) -> Finding:
    """A profile as a whole; without an embedder gistmeter's own cannot score texts at all."""
    enables = f"--profile {name}"
    if not missing:
        return Finding("profile", name, "here", enables=enables)
    state: State = "broken" if name == "embedded" and "embedder" in missing else "missing"
    detail = f"not here: {', '.join(missing)}"
    how = "get" if name == "embedded" else "pull"
    return Finding("profile", name, state, detail, enables, f"gistmeter models {how} {name}")


def _keys(environment: Mapping[str, str]) -> Iterator[Finding]:
    filed = filed_keys(KEYS)
    for name, enables in KEYS.items():
        if environment.get(name):
            yield Finding("key", name, "here", "set", enables)
        elif name in filed and name != "HF_TOKEN":  # which another library reads
            yield Finding("key", name, "here", f"in {ENV_FILE} of this folder", enables)
        else:
            yield Finding("key", name, "missing", "not set", enables, f"export {name}=…")


def _caches() -> Iterator[Finding]:
    from gistmeter.core.cache import Cache

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        cache = Cache(cache_file())
        cached = cache.info()
        cache.close()
        detail = f"{cached.path}, {cached.entries:,} answers, {_megabytes(cached.size)}"
        yield Finding("cache", "answers", "here", detail)
    except (OSError, GistmeterError) as error:
        enables, clear = "no model is asked twice", "gistmeter cache clear"
        yield Finding("cache", "answers", "broken", f"{folder}: {error}", enables, clear)
    models = folder / "models"
    yield Finding("cache", "models", "here", f"{models}, {_megabytes(_size(models))}")
    # The library of the Hugging Face hub reads the same variables.
    home = os.environ.get("HF_HOME") or Path("~/.cache/huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    yield Finding("cache", "hub", "here", f"{hub}, {_megabytes(_size(hub))}")


def _size(folder: Path) -> int:
    """Bytes of the files below a folder; a link counts nothing, for its target does."""
    files = (path for path in folder.rglob("*") if not path.is_symlink() and path.is_file())
    return sum(path.stat().st_size for path in files)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _trial() -> Finding:
    """One pair of texts, scored as a user's would be, with nothing from the cache."""
    import time

    from gistmeter.text.api import score_text

    started = time.perf_counter()
    try:
        run = score_text(
            ["The shop opens early."], ["The shop is open early."], language="en", resamples=0
        )
        score = next(iter(run.systems.values())).scores[run.headline[0]]
        if not score.value > 0:
            raise InputError(f"{score.name} of a pair that says the same is {score.value}")
    except Exception as error:  # whatever it is, it is what the user would meet
        detail = f"{type(error).__name__}: {error}"
        return Finding("score", "trial", "broken", detail, "gistmeter itself")
    seconds = time.perf_counter() - started
    return Finding("score", "trial", "here", f"a pair of texts was scored in {seconds:.1f} s")
