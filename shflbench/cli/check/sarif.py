"""The output of `check` as SARIF 2.1.0, which code scanning services and editors read.

OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from shflbench import __version__
from shflbench.checker import Level, group_findings
from shflbench.cli.check.output import with_mismatch
from shflbench.export.sarif_rules import HELP, rule_id
from shflbench.files import relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import FileReport, KernelReport, SourceLine
    from shflbench.pattern_checks.subject_report import SubjectReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# The other line of a finding, where that is no access.
RELATED = {"barrier-skipped": "where the thread exits", "divergent-warp-barrier": "where other lanes wait"}
LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTICE: "note", Level.NONE: "none"}


def as_sarif(reports: Sequence[SubjectReport], files: Sequence[FileReport]) -> str:
    """Return the findings as one SARIF run; paths relative to the current folder."""
    results = [result for file in files for kernel in file.kernels for result in _of_kernel(kernel)]
    results += [result for report in reports for result in _of_kernel(report.kernel)]
    results += [_note(note.text, note.line, note.kind) for file in files for note in file.notes if note.line]
    used = list(dict.fromkeys(str(result["ruleId"]) for result in results))
    driver = {
        "name": "shflbench",
        "version": __version__,
        "rules": [_rule(name) for name in used],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "results": [{**result, "ruleIndex": used.index(str(result["ruleId"]))} for result in results],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _of_kernel(kernel: KernelReport) -> Iterator[dict[str, object]]:
    """Yield the findings of a kernel, or its verdict where that has another reason."""
    level, base = kernel.verdict.level, Path.cwd()
    shown = [group for group in group_findings(kernel.findings) if group.level]
    for group in shown if level else ():
        finding = group.first
        steps = (f"{step[:1].upper()}{step[1:]}." for step in group.history(base))
        text = " ".join((f"{kernel.name}: {group.message(base)}.", *steps))
        yield _result(rule_id(finding.kind.name), group.level, text, finding.place or kernel.place, finding.other)
    if level and not shown:
        yield _result(rule_id(kernel.verdict.name), level, f"{kernel.name}: {with_mismatch(kernel)}.", kernel.place)


def _note(text: str, line: SourceLine, kind: str) -> dict[str, object]:
    return _result(kind, Level.NOTICE, text, line)


def _result(
    rule: str, level: Level, text: str, place: SourceLine, other: SourceLine | None = None
) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": rule,
        "level": LEVELS[level],
        "message": {"text": text},
        "locations": [_location(place)],
    }
    if other is not None:
        result["relatedLocations"] = [
            {**_location(other), "message": {"text": RELATED.get(rule, "the earlier access")}}
        ]
    return result


def _location(place: SourceLine) -> dict[str, object]:
    path = relative(place.file.absolute(), Path.cwd())
    address = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"physicalLocation": {"artifactLocation": {"uri": address}, "region": {"startLine": max(place.line, 1)}}}


def _rule(name: str) -> dict[str, object]:
    title, text = HELP.get(name, (name, name))
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": text},
        "help": {"text": text},
    }
