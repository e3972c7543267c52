"""README fits on two screens, and its figures are those of the committed runs."""

import csv
import re
from pathlib import Path

import pytest

from shflbench.cli.main import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = ROOT / "results" / "gtc2013" / "nvidia-h200"
TWO_SCREENS = 110  # lines
CHOICES = re.findall(r"^\| ([\w ]+) \| `(\w[^`]*)` \| (.*) \| (.*) \| (.*) \|$", README, re.MULTILINE)
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]


def test_it_fits_on_two_screens() -> None:
    lines = README.splitlines()
    assert len(lines) <= TWO_SCREENS
    assert max(map(len, lines)) <= 130


def test_its_table_of_a_run_is_that_of_the_reference_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(RUN)]) == 0
    shown = capsys.readouterr().out.splitlines()
    begin = README.index("reduce  f32")
    lines = README[begin : README.index("\n$ ", begin)].splitlines()
    assert len(lines) > 5
    assert [line for line in lines if line not in shown] == []


def rows_of(setting: str) -> dict[str, tuple[float, float, float, bool]]:
    """Return median, lower and upper bound, and whether it is safe, of each variant in a setting."""
    pattern, dtype, *options = setting.split()
    with (RUN / "results.csv").open(encoding="utf-8") as file:
        return {
            row["variant"]: (
                float(row["time_us"]),
                float(row["time_low_us"]),
                float(row["time_high_us"]),
                row["safe"] == "true",
            )
            for row in csv.DictReader(file)
            if (row["pattern"], row["dtype"], row["options"]) == (pattern, dtype, ";".join(options)) and row["time_us"]
        }


@pytest.mark.parametrize(("task", "setting", "fastest", "of_smem", "of_syncwarp"), CHOICES)
def test_the_speeds_of_each_choice_are_those_of_its_first_variant(
    task: str, setting: str, fastest: str, of_smem: str, of_syncwarp: str
) -> None:
    rows = rows_of(setting)
    names = re.findall(r"`([^`]+)`", fastest)
    best = rows[names[0]]
    assert all(rows[name][3] for name in names), task
    assert all(rows[name][0] < 1.02 * best[0] for name in names), task  # closer than any two that do not tie
    speeds = tuple(f"{rows[name][0] / best[0]:.1f}×" for name in ("smem", "smem-syncwarp"))
    assert (of_smem, of_syncwarp) == speeds


def test_the_choices_show_both_mechanisms() -> None:
    winners = [fastest for _, _, fastest, _, _ in CHOICES]
    assert any("`smem" in names for names in winners)
    assert any("`shfl" in names for names in winners)


def test_shuffles_take_as_much_longer_in_the_transposes_as_it_says() -> None:
    ratios = {}
    for words in (2, 8, 32):
        rows = rows_of(f"transpose f32 words={words}")
        fastest = min(rows["shfl"][0], rows["shfl-xor"][0])
        ratios[words] = f"{fastest / rows['smem-syncwarp'][0]:.1f}×"
    sentence = f"take {ratios[2]} (2 words), {ratios[8]} (8) and {ratios[32]} (32) the time of `smem-syncwarp`"
    assert sentence in " ".join(README.split())


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name}: {link}"
