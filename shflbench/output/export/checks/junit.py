"""The verdicts of `check` as JUnit XML, with a suite per file or pattern and a test per kernel.

Valid by the schema of Jenkins' xUnit plugin (junit-10.xsd), the strictest one in use.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from shflbench.checker import KernelVerdict, Level
from shflbench.core.grouping import group_by
from shflbench.core.words import flat
from shflbench.kernel_facts.pattern_checks.entries import entries_of
from shflbench.output.export.checks.located import locate_findings, shown_path, with_mismatch
from shflbench.output.export.sarif_rules import rule_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.kernel_facts.pattern_checks.entries import Entry
    from shflbench.output.export.checks import CheckOutcome

TAGS = ("failure", "error", "skipped")


def render(outcome: CheckOutcome) -> str:
    """Return a suite of tests per file or pattern: a broken kernel is a failure, one that cannot be checked an error.

    These are the kernels for which `check` does not exit with 0. Undecided kernels are skipped. The output of a passed
    test is the sentence of its kernel. The time of a test is that of its emulation; a kernel of a pattern has none.
    """
    root = ET.Element("testsuites", {"name": "shflbench check"})
    for name, entries in group_by(entries_of(outcome.patterns, outcome.files), _suite_name).items():
        root.append(_suite(name, entries, outcome.seconds))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.attrib[key]) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite_name(entry: Entry) -> str:
    return shown_path(entry.file) if entry.file else entry.name.partition("/")[0]


def _suite(name: str, entries: Sequence[Entry], seconds: Mapping[tuple[Path, str], float]) -> ET.Element:
    repeated = {title for title, number in Counter(entry.title for entry in entries).items() if number > 1}
    times = [seconds.get((entry.file, entry.kernel.symbol)) if entry.file else None for entry in entries]
    tests = []
    for entry, time in zip(entries, times, strict=True):
        title = f"{entry.title} {entry.kernel.symbol}" if entry.title in repeated else entry.title  # of overloads
        test = _test(ET.Element("testcase", classname=flat(name), name=flat(title)), entry)
        if time is not None:
            test.set("time", f"{time:.3f}")
        tests.append(test)
    failures, errors, skipped = (str(sum(test.find(tag) is not None for test in tests)) for tag in TAGS)
    counts = {"tests": str(len(tests)), "failures": failures, "errors": errors, "skipped": skipped}
    suite = ET.Element("testsuite", {"name": flat(name), **counts})
    known = [time for time in times if time is not None]
    if known:
        suite.set("time", f"{sum(known):.3f}")
    suite.extend(tests)
    return suite


def _test(test: ET.Element, entry: Entry) -> ET.Element:
    """Add the result of a kernel to its test, and return the test."""
    verdict = entry.kernel.verdict
    message = flat(f"{verdict}: {with_mismatch(entry.kernel)}")  # Jenkins shows it first
    findings = [f"{one.place.shown(Path.cwd())}: {one.message} [{one.rule}]" for one in locate_findings(entry.kernel)]
    text = "\n".join(map(flat, (message, *findings)))  # GitLab shows this alone
    kind = rule_id(verdict.name)
    if verdict is KernelVerdict.BROKEN:
        ET.SubElement(test, "failure", type=kind, message=message).text = text
    elif verdict.level is Level.ERROR:
        ET.SubElement(test, "error", type=kind, message=message).text = text
    elif verdict.level is Level.WARNING or verdict is KernelVerdict.SKIPPED:
        ET.SubElement(test, "skipped", message=message).text = text
    else:
        ET.SubElement(test, "system-out").text = text
    return test
