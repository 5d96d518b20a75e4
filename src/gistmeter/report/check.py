"""What became of evaluations, for pipelines: JUnit XML, and Markdown for a job's summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from gistmeter.core.views import visible
from gistmeter.report.tables import markdown, markdown_text

if TYPE_CHECKING:
    from gistmeter.tools.check import Outcome


def to_junit(outcomes: Sequence[Outcome]) -> str:
    """One suite per evaluation, one case per requirement."""
    root = ElementTree.Element("testsuites", name="gistmeter")
    suites = [_suite(root, one) for one in outcomes]
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, 0)) for suite in suites)))
    root.set("time", f"{sum(one.seconds for one in outcomes):.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ElementTree.Element, one: Outcome) -> ElementTree.Element:
    failures = [required for required in one.requirements if not required.holds]
    cases = max(1, len(one.requirements) + (one.error is not None))
    suite = ElementTree.SubElement(
        root, "testsuite", name=visible(one.name), tests=str(cases), failures=str(len(failures)),
        errors=str(int(one.error is not None)), time=f"{one.seconds:.3f}",
    )  # fmt: skip
    for required in one.requirements:
        case = _case(suite, one, required.name)
        if not required.holds:
            told = visible(required.told)
            ElementTree.SubElement(case, "failure", message=told, type="requirement").text = told
    if one.error is not None:
        told = visible(str(one.error))
        kind = type(one.error).__name__
        case = _case(suite, one, "scoring")
        ElementTree.SubElement(case, "error", message=told, type=kind).text = told
    elif not one.requirements:
        _case(suite, one, "scored")
    if one.run is not None:
        ElementTree.SubElement(suite, "system-out").text = visible(one.run.answer())
    return suite


def _case(suite: ElementTree.Element, one: Outcome, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=f"gistmeter.{visible(one.name)}", name=visible(name), time="0"
    )


def to_markdown(outcomes: Sequence[Outcome]) -> str:
    """A section per evaluation: its answer, its scores, what had to hold."""
    return "\n".join(_section(one) for one in outcomes)


def _section(one: Outcome) -> str:
    lines = [f"## {'✅' if one.passed else '❌'} {markdown_text(one.name)}", ""]
    if one.error is not None:
        lines += [markdown_text(str(one.error)), ""]
    if one.run is not None:
        lines += [markdown_text(one.run.answer()), "", markdown(one.run)]
    lines += [
        f"- {'✅' if required.holds else '❌'} {markdown_text(required.told)}"
        for required in one.requirements
    ]
    return "\n".join(lines).rstrip() + "\n"
