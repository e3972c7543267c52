"""The README's figures and links."""

import re
from pathlib import Path

import pytest

from shflbench.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_table_is_that_of_the_reference_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(ROOT / "results" / "gtc2013" / "nvidia-h200")]) == 0
    shown = capsys.readouterr().out.splitlines()
    begin = README.index("neighbor  f32")
    lines = [line for line in README[begin : README.index("```", begin)].splitlines() if line != "…"]
    assert len(lines) > 5
    assert [line for line in lines if line not in shown] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"])
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name}: {link}"
