"""Write what the documentation takes from the program itself.

    python docs/generate.py              the reference, which runs no example (seconds)
    python docs/generate.py all          everything: the output of every example too (minutes)
    python docs/generate.py README.md    the examples of the pages named
    … --check                            write nothing, and say what is out of date

The reference is the command line, the Python names, and the range and direction of every score.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parent))

import sessions

import gistmeter
from gistmeter.cli import app
from gistmeter.core import registry

DOCS, ROOT = sessions.DOCS, sessions.ROOT
PAGE = DOCS / "cli.md"
HEAD = """# Command line

Made from the commands themselves by `make docs`. Flags may be written with underscores instead of
hyphens. An option is also read from the environment (`GISTMETER_` + command + option, such as
`GISTMETER_TEXT_LANGUAGE`) and from the TOML file given by `--config`. Exit codes: 0 done, 1 failed,
2 bad input or usage, 3 a score is below its threshold.
"""
PYTHON_HEAD = """# Python

Made from the package itself by `make docs`. All names below are imported from `gistmeter`; nothing
else is promised. Every option of a [command](cli.md) is an argument of the same name, with
underscores, of its function: `gistmeter text --aggregate mean` is `score_text(aggregate="mean")`.
"""
MODULES = re.compile(r"(<!-- modules -->\n).*?(<!-- end of modules -->)", re.DOTALL)
FACTS = re.compile(r"(<!-- facts: (\w+) -->\n).*?(<!-- end of facts -->)", re.DOTALL)


def commands(group: Any = None, name: str = "gistmeter") -> list[tuple[str, Any]]:
    """Every command with its full name, sub-commands after their group."""
    group = group or app
    found = [(name, getattr(group, "default", None) or group)]
    context = click.Context(group)
    for key in group.list_commands(context) if isinstance(group, click.Group) else ():
        found += commands(group.get_command(context, key), f"{name} {key}")
    return found


def describe(name: str, command: Any) -> str:
    help_text = " ".join((command.help or "").split())
    lines = [f"## {name}", "", help_text, ""]
    rows = []
    for parameter in command.params:
        if parameter.name in ("help", "help_all"):
            continue
        flags = ", ".join(f"`{flag}`" for flag in [*parameter.opts, *parameter.secondary_opts])
        declared = getattr(command, "declared", {}).get(parameter.name)
        text = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
        if parameter.param_type_name == "argument":
            flags = f"`{(parameter.metavar or parameter.name or '').upper()}`"
        variable = getattr(declared, "variable", "")
        text += f" Environment: `{variable}`." if variable else ""
        rows.append(f"| {flags} | {_default(parameter, declared)} | {text} |")
    if rows:
        lines += ["| option | default | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _default(parameter: Any, declared: Any) -> str:
    default = declared.default if declared else parameter.default
    if default in (None, False, "", (), [], {}) or "UNSET" in str(default):
        return ""
    return f"`{_spelled(default)}`".replace("|", "\\|")


def _spelled(default: object) -> str:
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def page() -> str:
    """The page of the command line."""
    parts = [describe(name, command) for name, command in commands()[1:]]
    return HEAD + "\n" + "\n".join(parts).rstrip() + "\n"


def python_page() -> str:
    """The page of the Python names, in the order of `__init__.pyi`."""
    named = re.findall(
        r"^from (\S+) import (\w+)", (ROOT / "src/gistmeter/__init__.pyi").read_text(), re.MULTILINE
    )
    parts = [PYTHON_HEAD]
    for _, name in named:
        value = getattr(gistmeter, name)
        if inspect.isclass(value):
            parts.append(_class(name, value))
        elif inspect.isfunction(value):
            parts.append(f"## {name}\n\n{_call(name, value)}\n\n{_said(value)}")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _class(name: str, value: type) -> str:
    lines = [f"## {name}\n\n{_said(value)}"]
    fields = [
        f"| `{one}` | `{kind}` |".replace(" | None", " \\| None")
        for one, kind in vars(value).get("__annotations__", {}).items()
        if not one.startswith("_") and "ClassVar" not in str(kind)
    ]
    if fields and len(fields) < 20:
        lines.append("\n".join(["| field | type |", "|---|---|", *fields]))
    for key, member in vars(value).items():
        if not key.startswith("_") and inspect.isfunction(member) and member.__doc__:
            lines.append(f"{_call(f'{name}.{key}', member)}\n\n{_said(member)}")
    return "\n\n".join(lines)


def _call(name: str, value: Any) -> str:
    """A signature, one parameter per line where it is long."""
    found = inspect.signature(value)
    given = [str(one) for one in found.parameters.values() if one.name not in ("self", "cls")]
    kinds = [one.kind for one in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        given.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY) - (len(kinds) - len(given)), "*")
    back = found.return_annotation
    end = f" -> {back}" if back is not inspect.Signature.empty else ""
    line = f"{name}({', '.join(given)}){end}"
    if len(line) > 100:
        line = f"{name}(\n" + "".join(f"    {one},\n" for one in given) + f"){end}"
    plain = re.sub(r"(?<=: )'([^'\n]*)'", r"\1", line.replace("mappingproxy({})", "{}"))
    return f"```text\n{plain}\n```"


def _said(value: Any) -> str:
    """A docstring as Markdown, its examples fenced; what a dataclass makes up is none."""
    text = inspect.cleandoc(value.__doc__ or "")
    if text.startswith(f"{getattr(value, '__name__', '')}("):
        return ""
    return re.sub(r"(?m)^>>> (?:.+\n?)+", lambda one: f"```python\n{one[0].strip()}\n```\n", text)


def facts(metric: str) -> str:
    """Range and direction of every score of a metric."""
    found = registry.find("gistmeter.metrics", metric)
    rows = [
        f"| `{score.name}` | {_range(score)} | {'higher' if score.higher_is_better else 'lower'} |"
        for score in found.scores
    ]
    return "\n".join(["", "| score | range | better |", "|---|---|---|", *rows, "", ""])


def _range(score: Any) -> str:
    ends = (_end(one) + (score.unit if math.isfinite(one) else "") for one in
            (score.lowest, score.highest))  # fmt: skip
    return " to ".join(ends)


def _end(value: float) -> str:
    return f"{value:g}".replace("-", "−") if math.isfinite(value) else ("−∞" if value < 0 else "∞")


def with_facts(text: str) -> str:
    """A page with its tables of facts as the registry has them."""
    return FACTS.sub(lambda found: found[1] + facts(found[2]) + found[3], text)


def modules() -> str:
    """Every module with the first sentence of its docstring, by folder."""
    source = ROOT / "src" / "gistmeter"
    rows: dict[str, list[str]] = {}
    for path in sorted(source.rglob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        sentence = re.split(r"(?<=[.?!:])\s|\n\n", said, maxsplit=1)[0].replace("\n", " ")
        name = path.relative_to(source).with_suffix("").as_posix().removesuffix("/__init__")
        line = f"- `{name}`: {sentence.rstrip('.:').replace('|', '/')}."
        rows.setdefault(path.relative_to(source).parts[0].removesuffix(".py"), []).append(line)
    return "\n" + "\n".join("\n".join(lines) for lines in rows.values()) + "\n\n"


def with_modules(text: str) -> str:
    """A page with its list of modules as the source has it."""
    return MODULES.sub(lambda found: found[1] + modules() + found[2], text)


def reference() -> Iterator[tuple[Path, str]]:
    """The pages that are made without running an example."""
    yield PAGE, page()
    architecture = DOCS / "architecture.md"
    yield architecture, with_modules(architecture.read_text(encoding="utf-8"))
    yield DOCS / "python.md", python_page()
    for one in sorted((DOCS / "metrics").glob("*.md")):
        yield one, with_facts(one.read_text(encoding="utf-8"))


def fresh(names: list[str]) -> Iterator[tuple[Path, str]]:
    """The pages asked for, as they should be."""
    if not names or names == ["all"]:
        yield from reference()
    wanted = sessions.pages() if names == ["all"] else [(ROOT / name).resolve() for name in names]
    for one in wanted:
        if one not in (PAGE, DOCS / "python.md"):
            yield one, sessions.refreshed(one, one.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    stale = []
    for path, text in fresh([name for name in arguments if name != "--check"]):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {name}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
