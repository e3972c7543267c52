"""The page of faults names existing tests, and all tests that inject faults."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "what-can-go-wrong.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_that_the_page_names_exists(file: str, name: str) -> None:
    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_names_every_test_that_injects_faults() -> None:
    files = [*sorted((ROOT / "tests" / "faults").glob("test_*.py")), ROOT / "tests" / "gpu" / "test_faults.py"]
    tests = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in files
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert tests - set(NAMED) == set()


def test_every_line_of_the_table_names_a_test() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")][2:]
    assert len(lines) > 25
    assert [line for line in lines if "::test_" not in line] == []
