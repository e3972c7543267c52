"""The pages of faults name existing tests, and all tests that inject faults."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / "explanation" / f"{name}.md").read_text(encoding="utf-8")
    for name in (
        "what-can-go-wrong",
        "what-a-stopped-run-loses",
        "what-damaged-input-does",
        "what-can-go-wrong-on-several-gpus",
    )
}
HEAD = "| fault | what is lost |"
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", "".join(PAGES.values()))))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_that_the_pages_name_exists(file: str, name: str) -> None:
    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_pages_name_every_test_that_injects_faults() -> None:
    files = [*sorted((ROOT / "tests" / "faults").glob("test_*.py")), ROOT / "tests" / "gpu" / "test_faults.py"]
    tests = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in files
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert tests - set(NAMED) == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_a_table_names_a_test(page: str) -> None:
    lines = [line for line in PAGES[page].splitlines() if line.startswith("| ")]
    faults = [line for line in lines if not line.startswith(("| ---", HEAD))]
    assert len(faults) > 15
    assert [line for line in faults if "::test_" not in line] == []
