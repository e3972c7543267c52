"""The page on fences quotes figures that the benchmark and the shipped calibration have."""

import re
from pathlib import Path

import pytest

from shflbench.store.calibration_file import SHIPPED, read

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "explanation" / "what-a-fence-costs.md").read_text(encoding="utf-8").split())
RECORDED = (ROOT / "benchmarks" / "fences.md").read_text(encoding="utf-8")
BLOCKS, STORES, LINES, SM = "By the number", "By the stores", "By the lines", "By the SM"
BOTH = "acquire and release, GPU"
# A table in fences.md, a row and a column of it, and what the page says of them, less the row `no fence`.
NET = [
    (STORES, BOTH, 0, "takes {} clocks when its thread has no store"),
    (STORES, BOTH, 1, "and {} after one store"),
    (STORES, "release, block", 0, "the block takes {}."),
    (STORES, "release, GPU", 0, "| release, no store | {} |"),
    (STORES, "acquire, GPU", 0, "| acquire, no store | {} |"),
    (STORES, BOTH, 0, "| acquire and release, no store | {} |"),
    (STORES, BOTH, 1, "| acquire and release, one store | {} |"),
    (STORES, BOTH, 4, "| acquire and release, 8 stores | {} |"),
    (BLOCKS, "acquire and release, system", 0, "no store, one block | {} |"),
    (BLOCKS, "acquire and release, system", 4, "264 blocks of 256 threads | {} |"),
]
WHOLE = [
    (SM, "address, 256 lines from one SM; release, GPU, one store", 0, "a release takes {} to"),
    (SM, "address, 256 lines from one SM; release, GPU, one store", 4, "to {} clocks, depending on the address"),
    (SM, "SM, one at a time, to one address; release, GPU, one store", 0, "to one address, {} to"),
    (SM, "SM, one at a time, to one address; release, GPU, one store", 4, "to {}, depending on the SM"),
    (LINES, "no fence", 1, "takes {} clocks from the L1"),
    (LINES, "no fence, loads past the L1", 1, "from the L1, {} past it"),
    (LINES, "acquire, GPU", 1, "and {} with an acquire"),
    (LINES, BOTH, 1, "acquire and release it takes {}"),
]
CALIBRATED = [
    ("fence_gpu", "with the stores: {} and"),
    ("fence_gpu_1", "and {} clocks. `shflbench prices`"),
    ("fence_gpu_beside_copies", "stores nothing takes {} clocks"),
    ("l1_pass", "the load alone {}."),
    ("l1_pass_fenced", "load of 4 KiB take {} clocks"),
    ("cluster_barrier_relaxed_2", "a relaxed arrival takes {} clocks"),
    ("cluster_barrier_2", "one that releases {}."),
    ("st_async", "4 bytes per lane in {} and"),
    ("red_async", "and {} clocks without a fence"),
    ("remote_arrival", "that releases takes {}."),
]


def cells(section: str, row: str) -> list[int]:
    """Return the figures of a row."""
    (table,) = (part for part in RECORDED.split("\n## ") if part.startswith(section))
    (line,) = (line for line in table.splitlines() if line.startswith(f"| {row} |"))
    return [int(cell) for cell in line.strip("| ").split(" | ")[1:]]


@pytest.mark.parametrize(("section", "row", "column", "sentence"), NET)
def test_clocks_of_a_fence_are_those_of_the_loop_with_it_less_the_loop_without(
    section: str, row: str, column: int, sentence: str
) -> None:
    net = cells(section, row)[column] - cells(section, "no fence")[column]
    assert sentence.format(f"{net:,}") in PAGE


@pytest.mark.parametrize(("section", "row", "column", "sentence"), WHOLE)
def test_clocks_of_a_pass_are_those_that_the_benchmark_recorded(
    section: str, row: str, column: int, sentence: str
) -> None:
    assert sentence.format(f"{cells(section, row)[column]:,}") in PAGE


@pytest.mark.parametrize(("figure", "sentence"), CALIBRATED)
def test_figures_are_those_of_the_shipped_calibration(figure: str, sentence: str) -> None:
    assert sentence.format(f"{read(SHIPPED / 'nvidia-h200.json').figures[figure].value:,.0f}") in PAGE


def test_what_is_left_open_is_the_rest_beyond_misses_and_fence() -> None:
    misses = cells(LINES, "no fence, loads past the L1")[1]
    fence = cells(LINES, BOTH)[0] - cells(LINES, "no fence")[0]
    rest = cells(LINES, BOTH)[1] - misses - fence
    assert f"which is {rest:,} more than the misses and the fence" in PAGE


def test_each_sm_waits_equally_long_without_a_store() -> None:
    (figures,) = re.findall(r"^\| SM; release, GPU, no store \| (.*) \|$", RECORDED, re.MULTILINE)
    assert len(set(figures.split(" | "))) == 1


def test_eight_stores_take_little_more_than_one() -> None:
    one, eight = cells(STORES, BOTH)[1], cells(STORES, BOTH)[4]
    assert one < eight < 1.2 * one
