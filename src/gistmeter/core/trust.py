"""What a configuration file may do, and the folders that the user trusts to do more.

A file that came with a checkout or an archive was written by somebody else. Until it is trusted
it may read below its own folder, write below `runs/` and use the models that come with gistmeter.
Each option declares what it `reach`es for (`settings.Option`), and the rule is made from that: an
option that takes free text or a path and declares nothing is refused.

`gistmeter trust FOLDER` keeps a SHA-256 of every configuration file of the folder, so that a file
that changes has to be trusted anew. What the user says on the command line, in the environment or
in Python is never limited.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from gistmeter.core.errors import InputError, UntrustedError
from gistmeter.core.files import parse_json, read_bytes, write_atomically
from gistmeter.core.inputs import ADDRESS
from gistmeter.core.settings import (
    NO,
    PRESET,
    YES,
    Option,
    Settings,
    aliases_of,
    convert,
    options_of,
)

VARIABLE = "GISTMETER_TRUST"
OPTION = "trust"  # the option that says the same for one call
HELP = (
    "Let the configuration do all that options can do: run commands, ask services, load models,"
    " read and write anywhere. Without it, only one of a trusted folder may (gistmeter trust"
    f" FOLDER). {VARIABLE}=1 in the environment says the same."
)
RUNS = "runs"  # the folder that may be written below
SUFFIX = "*.toml"  # the files of a folder that are trusted with it
DIGEST = re.compile(r"[0-9a-f]{64}")
LABEL = re.compile(r"[\w.-]+\s*=\s*")  # what a recogniser is called in the report
FREE = ("text", "texts", "map", "path", "paths")  # kinds of options that are not held to a list
EMBEDDED = ("e5-small", "judge")  # the models that come with gistmeter, by name
LONGEST = 80  # characters of a value in a message
OTHERS_MAY_WRITE = 0o022
MEANINGS = {
    "command": "runs a program or module",
    "network": "reaches another machine",
    "model": "loads a model that does not come with gistmeter",
    "read": "reads outside of the configuration's folder",
    "write": f"writes outside of {RUNS}/",
    None: "does not say what it reaches for",
}


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """A folder that was trusted, with the SHA-256 of each of its configuration files."""

    path: Path
    digests: Mapping[str, str]

    def state(self, name: str) -> str:
        """What has become of a file since: unchanged, changed, or gone."""
        try:
            now = digest(read_bytes(self.path / name, may_be_empty=True))
        except InputError:
            return "gone"
        return "unchanged" if now == self.digests[name] else "changed"


def trust_file() -> Path:
    """Where trusted folders are kept: in GISTMETER_STATE_DIR or the user's state folder."""
    given = os.environ.get("GISTMETER_STATE_DIR")
    return Path(given or platformdirs.user_state_dir("gistmeter")) / "trust.json"


def trusted_folders() -> dict[Path, TrustedFolder]:
    """What is trusted, by folder."""
    file = trust_file()
    if not file.exists():
        return {}
    if os.name == "posix" and file.stat().st_mode & OTHERS_MAY_WRITE:
        raise InputError(f"{file}: others can write it. Look at it, and then: chmod 600 {file}")
    try:
        folders = parse_json(read_bytes(file))["folders"]
        return {Path(path): _folder(path, digests) for path, digests in folders.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{file}: is not a list of trusted folders ({error or type(error).__name__}). "
            "Remove it, and trust your folders again: gistmeter trust FOLDER"
        ) from error


def _folder(path: str, digests: Any) -> TrustedFolder:
    if not Path(path).is_absolute():
        raise ValueError(f"the folder {path!r} is not a whole path")
    for name, sha in digests.items():
        if Path(name).name != name or not DIGEST.fullmatch(sha):
            raise ValueError(f"{name!r} of {path!r} has no SHA-256 digest")
    return TrustedFolder(Path(path), dict(digests))


def trust(place: Path) -> TrustedFolder:
    """Trust the configuration files of a folder, as they are now; or one file of it."""
    files = sorted(place.glob(SUFFIX)) if place.is_dir() else [place]
    digests = {file.name: digest(read_bytes(file, may_be_empty=True)) for file in files}
    if not digests:
        raise InputError(f"{place}: has no configuration file ({SUFFIX}) to trust")
    known = trusted_folders()
    path = (place if place.is_dir() else place.parent).resolve()
    kept = known[path].digests if path in known and not place.is_dir() else {}
    folder = TrustedFolder(path, {**kept, **digests})
    _keep({**known, path: folder}.values())
    return folder


def distrust(place: Path) -> Path:
    """Take the trust back."""
    known, path = trusted_folders(), place.resolve()
    if known.pop(path, None) is None:
        listed = ", ".join(map(str, known)) or "no folder"
        raise InputError(f"{place}: is not trusted. Trusted: {listed}")
    _keep(known.values())
    return path


def _keep(folders: Iterable[TrustedFolder]) -> None:
    listed = {str(folder.path): dict(folder.digests) for folder in folders}
    content = json.dumps({"folders": listed}, indent=1, sort_keys=True) + "\n"
    write_atomically(trust_file(), content, mode=0o600)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_trusted_by_environment() -> bool:
    """Whether GISTMETER_TRUST says that every configuration is trusted."""
    said = os.environ.get(VARIABLE, "").strip().lower()
    if said and said not in YES and said not in NO:
        raise InputError(f"{VARIABLE} is {said!r}; expected 1 or 0")
    return said in YES


@dataclass(frozen=True, slots=True)
class Limits:
    """What a configuration file is held to: to nothing where `reason` is empty."""

    file: Path
    reason: str = ""  # why it is not trusted

    @classmethod
    def of(cls, file: Path, content: bytes, *, trusted: bool = False) -> Limits:
        """The limits of a file with this content; `trusted` is the user's word for this call."""
        reason = ""
        if not (trusted or is_trusted_by_environment()):
            folder = trusted_folders().get(file.parent.resolve())
            if folder is None:
                reason = "its folder is not trusted"
            elif file.name not in folder.digests:
                reason = "the file is new since its folder was trusted"
            elif folder.digests[file.name] != digest(content):
                reason = "the file has changed since its folder was trusted"
        return cls(file, reason)

    def check(
        self, given: Mapping[str, Any], kinds: Sequence[type[Settings]], base: Path, table: str,
        below: Path | None = None,
    ) -> None:  # fmt: skip
        """Refuse what a table of options may not do; its paths start at `base`, and lie `below` a
        folder, or below the file's own."""
        if OPTION in given:
            raise UntrustedError(
                f"{self.file}{table}: {OPTION} cannot be said in a file. Give --{OPTION}, or: "
                f"{self._command()}"
            )
        for key, value, declared in _declared(given, kinds) if self.reason else ():
            if refused := _refused(declared, value, below or self.file.parent, base):
                self.refuse(key, value, refused, table)

    def refuse(self, key: str, value: Any, meaning: str, table: str = "") -> None:
        """The error for something that only a trusted configuration may do."""
        if not self.reason:
            return
        spelled = repr(value)[:LONGEST] + "…" * (len(repr(value)) > LONGEST)
        raise UntrustedError(
            f"{self.file}{table}: {key} = {spelled} is refused: it {meaning}, and {self.reason}. "
            "Without trust a configuration may only read below its own folder, write below "
            f"{RUNS}/ and use the embedded models. Look at the file, and then: {self._command()} "
            f"(in a pipeline: --{OPTION} or {VARIABLE}=1)"
        )

    def check_output(self, folder: Path) -> None:
        """Refuse to write through a link: a checkout may bring its own `runs`."""
        if self.reason and not _is_written_below(folder, Path()):
            self.refuse("folder", str(folder), MEANINGS["write"])

    def withheld(self, kinds: Sequence[type[Settings]]) -> dict[str, Any]:
        """The values that stand in for defaults which reach for something themselves."""
        return {
            name: declared.withheld
            for kind in kinds
            for name, declared in options_of(kind).items()
            if self.reason and declared.withheld
        }

    def _command(self) -> str:
        place = self.file.parent if self.file.match(SUFFIX) else self.file
        return f"gistmeter trust {shlex.quote(str(place.resolve()))}"


def _declared(
    given: Mapping[str, Any], kinds: Sequence[type[Settings]]
) -> Iterator[tuple[str, Any, Option]]:
    """Keys, values and what is declared of them; a preset counts as all that it sets."""
    for kind in kinds:
        options, aliases = options_of(kind), aliases_of(kind)
        for key, value in given.items():
            name = aliases.get(key, key)
            if name not in options:
                continue
            yield key, value, options[name]
            if name == PRESET:
                for other, set_to in kind.presets.get(convert(options[name], value), {}).items():
                    yield f"{key} = {value!r}, which sets {other}", set_to, options[other]


def is_free(declared: Option) -> bool:
    """Whether an option can hold anything: it must then declare what it reaches for."""
    return declared.model or (declared.kind in FREE and not declared.numeric)


def _refused(declared: Option, value: Any, folder: Path, base: Path) -> str:
    """What is wrong with a value that an untrusted file gives; "" where nothing is."""
    if declared.reach == "nothing" or not (declared.reach or is_free(declared)):
        return ""
    converted = convert(declared, value)
    if converted is None or converted == declared.default or converted in ("", (), {}):
        return ""
    if declared.reach in ("read", "write"):
        return _reads_or_writes(declared, converted, folder, base)
    names = [converted]
    if declared.kind == "texts":
        parts = [part.strip() for text in converted for part in text.split(",")]
        names = [part[found.end() :] if (found := LABEL.match(part)) else part for part in parts]
    harmless = [*declared.harmless, *(EMBEDDED if declared.reach == "model" else ())]
    return "" if all(name in harmless for name in names) else MEANINGS[declared.reach]


def _reads_or_writes(declared: Option, value: Any, folder: Path, base: Path) -> str:
    one = isinstance(value, str | Path)
    if not one and declared.model:  # the content itself, not its file
        return ""
    for path in [value] if one else value:
        if ADDRESS.fullmatch(str(path)):
            return MEANINGS["network"]
        place, writes = base / path, declared.reach == "write"
        below = _is_written_below(place, base) if writes else _is_read_below(place, folder)
        # A tilde is a home folder for `check`, a name for other commands.
        if str(path).startswith("~") or not below:
            return MEANINGS[declared.reach]
    return ""


def _is_written_below(path: Path, base: Path) -> bool:
    """Whether a file would come to lie below `runs`, whatever links are on the way."""
    return _resolved(path).is_relative_to(base.resolve() / RUNS)


def _is_read_below(path: Path, folder: Path) -> bool:
    """Whether a file, or all that a folder holds, lies below the configuration's own folder."""
    root, waiting, seen = folder.resolve(), [_resolved(path)], set[Path]()
    while waiting:
        place = waiting.pop()
        if not place.is_relative_to(root):
            return False
        if place in seen or not place.is_dir():
            continue
        seen.add(place)
        for above, folders, files in os.walk(place):
            links = [Path(above, name) for name in (*folders, *files)]
            waiting += [_resolved(link) for link in links if link.is_symlink()]
    return True


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a NUL in the name
        raise InputError(f"{path}: cannot be looked up ({error})") from error


def permitted(
    said: Mapping[str, Any],
    file: Path | None,
    kind: type[Settings],
    left_out: Collection[str] = (),
    *,
    trust: bool = False,
) -> dict[str, Any]:
    """What a run said of options that exist today, but for its inputs.

    `file` is the document that says it, if any. Somebody else may have written its folder, and a
    run must not start a program, ask a service or load a model: what a configuration file may not
    do is refused here too, unless it is trusted.
    """
    declared = options_of(kind)
    kept = {
        name: value
        for name, value in said.items()
        if name in declared
        and name not in left_out
        and (declared[name].panel, declared[name].reach) != ("input", "read")
    }
    if file is None:  # made here
        return kept
    limits = Limits.of(file, read_bytes(file), trusted=trust)
    limits.check(kept, [kind], Path(), "", Path())
    return {**limits.withheld([kind]), **kept}
