"""A comparison as JUnit XML, with a test for each case, for Jenkins, GitLab and others.

Valid by the schema of Jenkins' xUnit plugin (junit-10.xsd), the strictest one in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from shflbench.analysis.compare.comparison import FINDINGS, UNDECIDED, LimitState, Outcome
from shflbench.core.words import flat
from shflbench.output.export.comparison_words import (
    basis,
    count_unchanged,
    describe_missed,
    details,
    fails,
    headline,
    legend,
    limit_in_words,
    side,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison


def render(comparison: Comparison) -> str:
    """Return one suite of tests: a slower case or one over its limit is a failure, a missing or failed one an error.

    Undecided and allowed cases are skipped. The output of a passed test is the case's sentence. Tests have no time: the
    time of a kernel is not that of a test.
    """
    tests = [_test(verdict, comparison) for verdict in comparison.verdicts]
    failures, errors, skipped = (
        str(sum(test.find(tag) is not None for test in tests)) for tag in ("failure", "error", "skipped")
    )
    counts = {"tests": str(len(tests)), "failures": failures, "errors": errors}
    root = ET.Element("testsuites", {"name": "shflbench compare", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": flat(comparison.new.suite), **counts, "skipped": skipped})
    if comparison.new.started:
        suite.set("timestamp", flat(comparison.new.started.removesuffix("Z")))  # by convention without a time zone
    properties = ET.SubElement(suite, "properties")
    for name, text in _properties(comparison):
        ET.SubElement(properties, "property", name=name, value=flat(text))
    suite.extend(tests)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _test(verdict: ChangeVerdict, comparison: Comparison) -> ET.Element:
    pattern = verdict.case_id.partition("/")[0]
    test = ET.Element("testcase", classname=flat(pattern), name=flat(verdict.case_id))
    sentence = f"{verdict.outcome}: {verdict.sentence}"
    limit = limit_in_words(verdict)
    message = flat("; ".join(filter(None, (limit, sentence, verdict.advice))))  # what Jenkins shows first
    text = "\n".join(flat(line) for line in (sentence, *details(verdict)))  # GitLab shows this alone
    if fails(verdict, comparison):
        is_over = verdict.is_limit(LimitState.OVER)
        tag = "failure" if verdict.outcome is Outcome.SLOWER or is_over else "error"
        ET.SubElement(test, tag, type="over-limit" if is_over else verdict.reason.value, message=message).text = text
    elif verdict.outcome in UNDECIDED | FINDINGS or limit:  # findings that are allowed, or without verdicts
        ET.SubElement(test, "skipped", message=message).text = text
    else:
        ET.SubElement(test, "system-out").text = text
    return test


def _properties(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the verdicts are based on, without empty properties."""
    known = {
        "result": headline(comparison),
        "base": side(comparison.base),
        "new": side(comparison.new),
        "metric": str(comparison.metric),
        "columns": "; ".join(legend(comparison)),
        "same": count_unchanged(comparison),
        "missed": describe_missed(comparison),
        "basis": "; ".join(basis(comparison)),
        "across": "; ".join(comparison.across),
        "warnings": "; ".join(comparison.warnings),
        "notes": "; ".join(comparison.notes),
    }
    return ((name, text) for name, text in known.items() if text)
