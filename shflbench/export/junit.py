"""A comparison as JUnit XML: a test for each case, as Jenkins, GitLab and others show them.

Valid by the schema of Jenkins' xUnit plugin (junit-10.xsd), the strictest one that is in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from shflbench.analysis.compare.comparison import FINDINGS, UNDECIDED
from shflbench.export.words import fails, flat, grounds, headline, side

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import Comparison, Verdict


def render(comparison: Comparison) -> str:
    """Return one suite of tests: what fails the gate is a failure, what is undecided or allowed is skipped.

    A case that passes carries its sentence as output. No test has a time: that of a kernel is no time of a test.
    """
    tests = [_test(verdict, comparison) for verdict in comparison.verdicts]
    counts = {
        "tests": str(len(tests)),
        "failures": str(sum(test.find("failure") is not None for test in tests)),
        "errors": "0",
    }
    skipped = str(sum(test.find("skipped") is not None for test in tests))
    root = ET.Element("testsuites", {"name": "shflbench compare", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": flat(comparison.new.suite), **counts, "skipped": skipped})
    if comparison.new.started:
        suite.set("timestamp", flat(comparison.new.started.removesuffix("Z")))  # by custom without a time zone
    properties = ET.SubElement(suite, "properties")
    for name, text in _properties(comparison):
        ET.SubElement(properties, "property", name=name, value=flat(text))
    suite.extend(tests)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _test(verdict: Verdict, comparison: Comparison) -> ET.Element:
    pattern = verdict.case_id.partition("/")[0]
    test = ET.Element("testcase", classname=flat(pattern), name=flat(verdict.case_id))
    text = "\n".join(flat(line) for line in (verdict.sentence, *verdict.why, *verdict.remarks))
    message = flat(f"{verdict.outcome}: {verdict.sentence}")
    if fails(verdict, comparison):
        ET.SubElement(test, "failure", type=verdict.reason.value, message=message).text = text
    elif verdict.outcome in UNDECIDED | FINDINGS:  # findings that are allowed, or across what cannot be compared
        ET.SubElement(test, "skipped", message=message)
    else:
        ET.SubElement(test, "system-out").text = f"{verdict.outcome}: {text}"
    return test


def _properties(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the verdicts rest on; what there is none of is left out."""
    known = {
        "result": headline(comparison),
        "base": side(comparison.base),
        "new": side(comparison.new),
        "metric": str(comparison.metric),
        "grounds": "; ".join(grounds(comparison)),
        "across": "; ".join(comparison.across),
        "warnings": "; ".join(comparison.warnings),
        "notes": "; ".join(comparison.notes),
    }
    return ((name, text) for name, text in known.items() if text)
