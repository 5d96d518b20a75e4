"""What is released, built so that anybody gets the same bytes: `make release`.

From the last commit alone: the source is exported twice, into folders of other names, with another
umask, time zone and order of hashes, and built in both. Where a byte differs nothing is released.
Beside sdist and wheel come a bill of materials (CycloneDX 1.6: what the wheel carries and what it
is installed with, by `locks/`), the licences of all of it, and the SHA-256 of every file.
"""

from __future__ import annotations

import csv
import email
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
import zipfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = "locks/image.txt"  # what a user installs: languages, recognisers, language models
PIN = re.compile(r"(?m)^([\w.-]+)==([^\s;\\]+)((?:.*\\\n)*.*)")
SURROUNDINGS: tuple[dict[str, str], ...] = (
    {"TZ": "UTC", "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"},
    {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2", "LC_ALL": "C"},
)
WEIGHTS = "gistmeter/models/data/gistmeter-judge-small.safetensors"


def build(root: Path, target: Path) -> None:
    """Sdist and wheel of the last commit; an error where two builds are not the same bytes."""
    with tempfile.TemporaryDirectory() as place:
        made = [Path(place) / f"{'x' * (at + 1)}" for at in range(len(SURROUNDINGS))]
        for folder, umask, surroundings in zip(made, (0o022, 0o077), SURROUNDINGS, strict=True):
            _build_once(root, folder, umask, surroundings)
        names = sorted(file.name for file in (made[0] / "dist").iterdir())
        for name in names:
            first, second = ((folder / "dist" / name).read_bytes() for folder in made)
            if first != second:
                raise SystemExit(f"{name}: two builds differ, so nothing is released")
            (target / name).write_bytes(first)


def _build_once(root: Path, folder: Path, umask: int, surroundings: Mapping[str, str]) -> None:
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD"], cwd=root, check=True, capture_output=True
    ).stdout
    before = os.umask(umask)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as stream:
            stream.extractall(folder, filter="data")
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(folder / "dist")],
            cwd=folder, check=True, capture_output=True, umask=umask,
            env={**os.environ, **surroundings, "SOURCE_DATE_EPOCH": _time_of(root)},
        )  # fmt: skip
    finally:
        os.umask(before)


def _time_of(root: Path) -> str:
    """When the last commit was made: the time of every file in what is released."""
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(
        command, cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


def locked(text: str) -> dict[str, tuple[str, list[str]]]:
    """Name -> version and SHA-256 of its files."""
    return {
        name: (version, re.findall(r"sha256:([0-9a-f]{64})", more))
        for name, version, more in PIN.findall(text)
    }


def licence_of(name: str) -> str:
    """As a package states it: its expression, its field, or its classifiers."""
    try:
        told = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "not installed here"
    field = (told.get("License") or "").strip()
    classified = [
        one.rpartition(" :: ")[2]
        for one in told.get_all("Classifier") or ()
        if one.startswith("License ::")
    ]
    short = field if field and "\n" not in field and len(field) < 80 else ""
    return told.get("License-Expression") or short or ", ".join(classified) or "not stated"


def own_licence(wheel: Path) -> str:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as held:
        (name,) = (one for one in held.namelist() if one.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(held.read(name))
    return str(told["License-Expression"])


def bill(
    wheel: Path, version: str, packages: Mapping[str, tuple[str, list[str]]]
) -> dict[str, Any]:
    """CycloneDX 1.6, without a time: the same release has the same bill."""
    own: dict[str, Any] = {
        "type": "application", "bom-ref": "gistmeter", "name": "gistmeter", "version": version,
        "purl": f"pkg:pypi/gistmeter@{version}", "licenses": [{"expression": own_licence(wheel)}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
    }  # fmt: skip
    components = [
        {
            "type": "library", "bom-ref": name, "name": name, "version": held,
            "purl": f"pkg:pypi/{name}@{held}",
            "licenses": [{"license": {"name": licence_of(name)}}],
            "properties": [{"name": "sha256 of a file", "value": sha} for sha in hashes],
        }
        for name, (held, hashes) in sorted(packages.items())
    ]  # fmt: skip
    serial = uuid.uuid5(uuid.NAMESPACE_URL, own["purl"] + own["hashes"][0]["content"])
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{serial}", "metadata": {"component": own},
        "components": components,
        "dependencies": [{"ref": "gistmeter", "dependsOn": sorted(packages)}],
    }  # fmt: skip


def licences(wheel: Path, version: str, packages: Iterable[tuple[str, str]]) -> str:
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["name", "version", "licence"])
    table.writerow(["gistmeter", version, own_licence(wheel)])
    table.writerow([f"weights in gistmeter ({Path(WEIGHTS).name})", version, "CC-BY-SA-4.0"])
    table.writerows((name, held, licence_of(name)) for name, held in packages)
    return stream.getvalue()


def release(root: Path, target: Path) -> None:
    """All files of a release, in a folder that is emptied first."""
    changed = ["git", "status", "--porcelain", "--untracked-files=no"]
    if subprocess.run(changed, cwd=root, check=True, capture_output=True).stdout:
        raise SystemExit("Commit first: what is released is the last commit")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    build(root, target)
    (wheel,) = target.glob("*.whl")
    version = wheel.name.split("-")[1]
    packages = locked((root / LOCK).read_text("utf-8"))
    document = json.dumps(bill(wheel, version, packages), indent=2, ensure_ascii=False)
    (target / "bill-of-materials.json").write_text(document + "\n", "utf-8")
    held = sorted((name, held) for name, (held, _) in packages.items())
    (target / "licences.csv").write_text(licences(wheel, version, held), "utf-8")
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(target.iterdir())
    )
    (target / "SHA256SUMS").write_text(sums, "utf-8")
    sys.stdout.write(sums)


if __name__ == "__main__":
    release(ROOT, ROOT / "dist")
