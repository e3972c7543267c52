"""The page on fences quotes figures that the benchmark and the shipped calibration have."""

import re
from pathlib import Path

import pytest

from shflbench.store.calibration_file import SHIPPED, read

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "what-a-fence-costs.md").read_text(encoding="utf-8")
RECORDED = (ROOT / "benchmarks" / "fences.md").read_text(encoding="utf-8")
# A row of a table in fences.md, a column of it, and what the page says of both; line breaks are blanks.
QUOTES = [
    ("By the stores", "acquire and release, GPU", 0, "takes {} clocks when no store"),
    ("By the stores", "acquire and release, GPU", 1, "and {} after one store"),
    ("By the stores", "release, block", 0, "the block takes {}."),
    ("By the stores", "release, GPU", 0, "| release, no store | {} |"),
    ("By the stores", "acquire and release, GPU", 0, "| acquire and release, no store | {} |"),
    ("By the lines", "acquire and release, GPU", 1, "the L1 holds 8 lines | {} |"),
    ("By the lines", "acquire and release, GPU", 3, "the L1 holds 1,024 lines | {} |"),
    ("By the stores", "release, GPU", 1, "| release, one store | {} |"),
    ("By the stores", "release, GPU", 4, "| release, 8 stores | {} |"),
    ("By the number", "release, GPU", 0, "It takes {} clocks on each of the 132 SMs"),
    ("By the number", "release, GPU", 2, "It takes {} clocks on each of the 132 SMs"),
    ("By the SM", "SM; release, GPU, one store", 0, "It takes {} to"),
    ("By the SM", "SM; release, GPU, one store", 4, "to {} clocks, depending on the SM"),
    ("By the SM", "address, 256 lines from one SM; release, GPU, one store", 0, "and {} to"),
    ("By the SM", "address, 256 lines from one SM; release, GPU, one store", 4, "to {} from one SM"),
    ("By the stores", "acquire, GPU", 0, "returns after {} clocks"),
    ("By the number", "acquire and release, system", 0, "takes {} clocks from one block"),
    ("By the number", "acquire and release, system", 4, "and {} from 264"),
]
CALIBRATED = [
    ("l1_pass", "that takes {} clocks from the L1"),
    ("l1_pass_fenced", "takes {} after a fence of the GPU"),
    ("cluster_barrier_relaxed_2", "a barrier of a cluster takes {} clocks"),
    ("cluster_barrier_2", "one that releases {}."),
    ("st_async", "need no fence: {} and"),
    ("red_async", "and {} clocks for a handover"),
]
FLAT = " ".join(PAGE.split())


@pytest.mark.parametrize(("section", "row", "column", "sentence"), QUOTES)
def test_figures_are_those_that_the_benchmark_recorded(section: str, row: str, column: int, sentence: str) -> None:
    (table,) = (part for part in RECORDED.split("\n## ") if part.startswith(section))
    (cells,) = (line.strip("| ").split(" | ")[1:] for line in table.splitlines() if line.startswith(f"| {row} |"))
    assert sentence.format(f"{int(cells[column]):,}") in FLAT


@pytest.mark.parametrize(("figure", "sentence"), CALIBRATED)
def test_figures_are_those_of_the_shipped_calibration(figure: str, sentence: str) -> None:
    value = read(SHIPPED / "nvidia-h200.json").figures[figure].value
    assert sentence.format(f"{value:,.0f}") in FLAT


def test_each_sm_waits_equally_long_without_a_store() -> None:
    (cells,) = re.findall(r"^\| SM; release, GPU, no store \| (.*) \|$", RECORDED, re.MULTILINE)
    assert len(set(cells.split(" | "))) == 1


def test_a_fence_of_the_system_costs_four_of_the_gpu() -> None:
    figures = read(SHIPPED / "nvidia-h200.json").figures
    assert 3.5 < figures["fence_system"].value / figures["fence_gpu"].value < 5
