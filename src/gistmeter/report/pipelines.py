"""The outcomes of evaluations for pipelines: JUnit XML, and Markdown for a job's summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from gistmeter.core.family import family_of
from gistmeter.core.views import visible
from gistmeter.report.export import markdown, markdown_text

if TYPE_CHECKING:
    from gistmeter.tools.check import EvaluationOutcome


def to_junit(outcomes: Sequence[EvaluationOutcome]) -> str:
    """One suite per evaluation, one case per requirement."""
    root = ElementTree.Element("testsuites", name="gistmeter")
    suites = [_suite(root, outcome) for outcome in outcomes]
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, 0)) for suite in suites)))
    root.set("time", f"{sum(outcome.seconds for outcome in outcomes):.3f}")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ElementTree.Element, outcome: EvaluationOutcome) -> ElementTree.Element:
    name = visible(outcome.name)
    failures = sum(not required.holds for required in outcome.requirements)
    errors = int(outcome.error is not None)
    suite = ElementTree.SubElement(
        root, "testsuite", name=name, tests=str(max(1, len(outcome.requirements) + errors)),
        failures=str(failures), errors=str(errors), time=f"{outcome.seconds:.3f}",
    )  # fmt: skip

    def add_case(case: str, result: str = "", message: str = "", kind: str = "") -> None:
        element = ElementTree.SubElement(
            suite, "testcase", classname=f"gistmeter.{name}", name=visible(case), time="0"
        )
        if result:
            text = visible(message)
            ElementTree.SubElement(element, result, message=text, type=kind).text = text

    for required in outcome.requirements:
        result = "" if required.holds else "failure"
        add_case(required.name, result, required.told, "requirement")
    if outcome.error is not None:
        add_case("scoring", "error", str(outcome.error), type(outcome.error).__name__)
    elif not outcome.requirements:
        add_case("scored")
    if outcome.run is not None:
        ElementTree.SubElement(suite, "system-out").text = visible(outcome.run.answer())
    return suite


def to_markdown(outcomes: Sequence[EvaluationOutcome]) -> str:
    """A section per evaluation: its answer, its scores, what had to hold."""
    return "\n".join(_section(outcome) for outcome in outcomes)


def _section(outcome: EvaluationOutcome) -> str:
    lines = [f"## {'✅' if outcome.passed else '❌'} {markdown_text(outcome.name)}", ""]
    if outcome.error is not None:
        lines += [markdown_text(str(outcome.error)), ""]
    if outcome.run is not None:
        lines.append(markdown(outcome.run, family_of(outcome.run.command).view()))
    lines += [
        f"- {'✅' if required.holds else '❌'} {markdown_text(required.told)}"
        for required in outcome.requirements
    ]
    return "\n".join(lines).rstrip() + "\n"
