"""The tables of the page on tests of dependent launches: every pair and every fix, with the expected verdicts."""

import re
from pathlib import Path

import pytest

from tests.checker.dependent.dependent_files import DependentFile, dependent_files

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "how-dependent-launches-were-tested.md"


def row_of_pair(file: DependentFile) -> str:
    verdict, _, missing = file.broken
    return f"| `{file.name}` | {verdict} | {missing.value} |"


def row_of_fix(file: DependentFile) -> str:
    verdict, _, missing = file.broken
    (source,) = re.findall(r"^// source: (\S+?),? ", file.text, re.MULTILINE)
    owner, name, _, number = source.removeprefix("https://github.com/").split("/")[:4]
    return f"| [{owner}/{name} {number}]({source}) | {verdict} | {missing.value} | {file.fixed[0]} |"


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *rows])


TABLES = {
    "pairs": ("| file | verdict | what is missing |", [row_of_pair(file) for file in dependent_files("pairs")]),
    "fixes": (
        "| source | before | what is missing | after |",
        [row_of_fix(file) for file in dependent_files("fixes")],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_lists_every_file_with_its_verdict(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = text.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]
    assert shown.strip() == table(*TABLES[name])
