"""The page on fixes of public races: every fix with its verdicts, and the first answers on the files."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.checker.fixes.first_run import FirstAnswer, recorded
from tests.checker.fixes.fix_files import FOLDERS, FixFile, fix_files

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "fixes-of-public-races.md"
SETS = dict(zip(FOLDERS, ("open", "held out"), strict=True))


def row_of_fix(file: FixFile) -> str:
    owner, name, _, number = file.source.removeprefix("https://github.com/").split("/")[:4]
    verdict, wrong = file.before
    mechanism = re.sub(r"^(RAW|WAR|WAW|deadlock|peer's \w+,)( between launches:)? ", "", wrong)
    kind = SETS[file.path.parent.name]
    return f"| [{owner}/{name} {number}]({file.source}) | {mechanism} | {verdict} | {file.after} | {kind} |"


def row_of_set(folder: str) -> str:
    files = {file.name: file for file in fix_files(folder)}
    counts: Counter[str] = Counter()
    for row in (row for row in recorded() if row.file in files):
        counts[row.form] += row.verdict == row.expected
        if row.form == "before":
            counts.update(found_lines(row, files[row.file]))
    columns = " | ".join(str(counts[name]) for name in ("before", "later", "both", "after"))
    return f"| {SETS[folder]} | {len(files)} | {columns} |"


def found_lines(row: FirstAnswer, file: FixFile) -> list[str]:
    """Return whether the first answer named the `later` line, and `both`, in any order."""
    later, earlier = file.lines
    findings = [[int(line) for line in re.findall(r"\b\d+\b", item)] for item in row.findings.split("; ")]
    at_later = any(line in later for lines in findings for line in lines)
    pairs = [pair for lines in findings for pair in (lines, lines[::-1])]
    both = any(pair[0] in later and (earlier is None or pair[-1] in earlier) for pair in pairs if pair)
    return ["later"] * at_later + ["both"] * both


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows])


TABLES = {
    "first answers": (
        "| set | fixes | verdict before | reported line | both lines | verdict after |",
        [row_of_set(folder) for folder in FOLDERS],
    ),
    "fixes": (
        "| source | mechanism | before | after | set |",
        [row_of_fix(file) for file in fix_files(*FOLDERS)],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_has_the_table(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = text.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]
    assert shown.strip() == table(*TABLES[name])


def test_every_file_is_recorded_once_before_and_after_its_fix() -> None:
    rows = Counter((answer.file, answer.form) for answer in recorded())
    assert rows == Counter((file.name, form) for file in fix_files(*FOLDERS) for form in ("before", "after"))
