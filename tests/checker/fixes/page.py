"""Write the tables of the pages on fixes of public races: `python -m tests.checker.fixes.page`.

They come from the files, from the first answers, and from what compute-sanitizer reported on a GPU, as a program of
commit f121297a recorded it, `benchmarks/fixes_sanitizer.py`.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from shflbench.core.words import join_words
from tests.checker.fixes.first_run import FirstAnswer, recorded
from tests.checker.fixes.fix_files import FOLDERS, FixFile, fix_files
from tools.docs.wrap import wrap_page

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "explanation" / "fixes-of-public-races.md"
PLACES = {
    PAGE: ("compute-sanitizer", "fixes"),
    PAGE.with_name("later-fixes-of-public-races.md"): ("later fixes",),
    PAGE.with_name("first-answers-on-public-races.md"): ("first answers",),
}
SETS = dict(zip(FOLDERS, ("open", "held out", "later"), strict=True))
FORMS = ("before", "after")
RECORDS = "fixes-sanitizer-*.json"  # in tests/data

Record = dict[str, Any]  # the JSON file


def sanitizer_record(folder: Path = ROOT / "tests" / "data") -> Record | None:
    """Return what compute-sanitizer reports on one GPU; None where nobody has run it."""
    path = next(iter(sorted(folder.glob(RECORDS))), None)
    return None if path is None else json.loads(path.read_text(encoding="utf-8"))


def texts(record: Record | None) -> dict[str, str]:
    """Return the tables and sentences of both pages by the names of their places."""
    sanitizer = "".join(f" | {title}" for title in (f"compute-sanitizer {form}" for form in FORMS) if record)
    return {
        "first answers": _table(
            "| set | fixes | verdict before | reported line | both lines | verdict after |",
            [_row_of_set(folder) for folder in FOLDERS],
        ),
        "compute-sanitizer": "" if record is None else _sentence(record),
        "fixes": _table(
            f"| source | mechanism | before | after{sanitizer} | set |",
            [_row_of_fix(file, record) for file in fix_files(*FOLDERS[:2])],
        ),
        "later fixes": _table(
            "| source | mechanism | before | after |",
            [_row_of_later_fix(file) for file in fix_files(FOLDERS[2])],
        ),
    }


def current(page: Path, record: Record | None) -> str:
    """Return the text of a page with its current tables and sentences."""
    shown = texts(record)
    return with_texts(page.read_text(encoding="utf-8"), {name: wrap_page(shown[name]) for name in PLACES[page]})


def with_texts(page: str, shown: dict[str, str]) -> str:
    """Return the page with these texts between their marks."""
    for name, text in shown.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(start)
        page = (
            f"{before}{start}\n{text}\n\n{end}{rest.partition(end)[2]}"
            if text
            else (f"{before}{start}{end}{rest.partition(end)[2]}")
        )
    return page


def _row_of_fix(file: FixFile, record: Record | None) -> str:
    reports = [] if record is None else [_report(record["fixes"][file.name][form]) for form in FORMS]
    return f"| {' | '.join([*_cells(file), *reports])} | {SETS[file.path.parent.name]} |"


def _row_of_later_fix(file: FixFile) -> str:
    return f"| {' | '.join(_cells(file))} |"


def _cells(file: FixFile) -> list[str]:
    owner, name, _, number = file.source.removeprefix("https://github.com/").split("/")[:4]
    verdict, wrong = file.before
    mechanism = re.sub(r"^(RAW|WAR|WAW|deadlock|peer's \w+,)( between launches:)? ", "", wrong)
    return [f"[{owner}/{name} {number}]({file.source})", mechanism, verdict, file.after]


def _report(tools: dict[str, list[Any]]) -> str:
    """Return which tools report something, or how the run ended otherwise."""
    named = [tool for tool, (errors, warnings, _) in tools.items() if errors or warnings]
    others = {_ending(tool) for tool in tools.values()} - {""}
    return ", ".join([*named, *sorted(others)]) or "nothing"


def _ending(tool: list[Any]) -> str:
    errors, warnings, text = tool
    return "" if errors or warnings or not text else "hangs" if text == "hangs" else "fails"


def _sentence(record: Record) -> str:
    """Return in words how many files the tools report before and after their fixes."""
    parts = []
    for form in FORMS:
        forms = [file[form] for file in record["fixes"].values()]
        counts = [f"{tool} {sum(tools[tool][0] + tools[tool][1] > 0 for tools in forms)}" for tool in forms[0]]
        hanging = sum(any(tool[2] == "hangs" for tool in tools.values()) for tools in forms)
        parts.append(f"{join_words(counts)} files {form} the fix" + (f", and {hanging} hang" if hanging else ""))
    return f"Of {len(record['fixes'])} files, compute-sanitizer reports on one {record['device']}: {'; '.join(parts)}."


def _row_of_set(folder: str) -> str:
    files = {file.name: file for file in fix_files(folder)}
    counts: Counter[str] = Counter()
    for row in (row for row in recorded() if row.file in files):
        counts[row.form] += row.verdict == row.expected
        if row.form == "before":
            counts.update(_found_lines(row, files[row.file]))
    columns = " | ".join(str(counts[name]) for name in ("before", "later", "both", "after"))
    return f"| {SETS[folder]} | {len(files)} | {columns} |"


def _found_lines(row: FirstAnswer, file: FixFile) -> list[str]:
    """Return whether the first answer named the `later` line, and `both`, in any order."""
    later, earlier = file.lines
    findings = [[int(line) for line in re.findall(r"\b\d+\b", item)] for item in row.findings.split("; ")]
    at_later = any(line in later for lines in findings for line in lines)
    pairs = [pair for lines in findings for pair in (lines, lines[::-1])]
    both = any(pair[0] in later and (earlier is None or pair[-1] in earlier) for pair in pairs if pair)
    return ["later"] * at_later + ["both"] * both


def _table(head: str, rows: list[str]) -> str:
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows])


if __name__ == "__main__":
    for place in PLACES:
        place.write_text(current(place, sanitizer_record()), encoding="utf-8")
