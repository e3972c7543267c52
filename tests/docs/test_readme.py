"""README fits on two screens, and its figures are those of the committed runs."""

import re
from pathlib import Path

import pytest

from shflbench.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = ROOT / "results" / "gtc2013" / "nvidia-h200"
TWO_SCREENS = 110  # lines
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]


def test_it_fits_on_two_screens() -> None:
    lines = README.splitlines()
    assert len(lines) <= TWO_SCREENS
    assert max(len(line) for line in lines if not line.startswith("|")) <= 130
    assert max(len(line) for line in lines if line.startswith("|")) <= 140  # rendered, a cell breaks lines


def test_its_table_of_a_run_is_that_of_the_reference_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(RUN)]) == 0
    shown = capsys.readouterr().out.splitlines()
    begin = README.index("reduce  f32")
    lines = README[begin : README.index("\n$ ", begin)].splitlines()
    assert len(lines) > 5
    assert [line for line in lines if line not in shown] == []


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name}: {link}"
