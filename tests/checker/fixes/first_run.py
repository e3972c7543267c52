"""Record the first answer of `check` on public fixes: `python -m tests.checker.fixes.first_run open`.

A row of `first_run.tsv` is never written again: a file that has been recorded is left out.
"""

import csv
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from shflbench.checker.finding import Finding
from tests.checker.fixes.fix_files import FIXED, FixFile, fix_files
from tests.kernels import CACHE

RECORD = Path(__file__).parent / "first_run.tsv"


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What was expected of one file, before or after its fix, and what `check` said on its first run."""

    file: str  # with its folder
    form: str  # `before` or `after`
    expected: str
    marked: str  # lines, the reported one first: `24, 13`
    verdict: str
    findings: str  # kinds with their lines: `RAW 24, 13; WAW 30, 13`


def answer(file: FixFile, form: str) -> FirstAnswer:
    """Run `check` on one form of a file."""
    report = file.check(CACHE, *([FIXED] if form == "after" else []))
    expected = file.before[0] if form == "before" else file.after
    marked = ", ".join(str(lines[-1]) for lines in file.lines if lines is not None)
    findings = "; ".join(map(_words, report.findings))
    return FirstAnswer(file.name, form, expected, marked, report.verdict, findings)


def _words(finding: Finding) -> str:
    lines = [str(place.line) for place in (finding.place, finding.other) if place is not None]
    return f"{finding.kind} {', '.join(lines)}"


def recorded() -> list[FirstAnswer]:
    """Return the rows of the record."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        return [FirstAnswer(**row) for row in csv.DictReader(file, delimiter="\t")]


def main(*folders: str) -> None:
    """Add the files of folders to the record."""
    names = [field.name for field in fields(FirstAnswer)]
    if not RECORD.exists():
        RECORD.write_text("\t".join(names) + "\n", encoding="utf-8")
    known = {row.file for row in recorded()}
    for file in fix_files(*folders):
        if file.name in known:
            continue
        rows = [asdict(answer(file, form)) for form in ("before", "after")]
        with RECORD.open("a", encoding="utf-8", newline="") as out:
            csv.DictWriter(out, names, delimiter="\t", lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
