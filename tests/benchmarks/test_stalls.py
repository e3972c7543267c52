"""The shares of stall reasons, from what Nsight Compute prints."""

import csv
import io

import pytest

from benchmarks.stalls import DURATION, PREFIX, SUFFIX, line, page, shares


def table(*launches: dict[str, str]) -> str:
    """Return what Nsight Compute prints about some launches, by metric."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"])
    for number, metrics in enumerate(launches):
        writer.writerows([str(number), "block_reduce", name, "", value] for name, value in metrics.items())
    return f"==PROF== Connected to process 7\n{file.getvalue()}"


def launch(duration: str, **stalled: str) -> dict[str, str]:
    return {DURATION: duration, **{f"{PREFIX}{reason}{SUFFIX}": value for reason, value in stalled.items()}}


def test_the_longest_launch_counts_and_its_shares_add_up() -> None:
    found = shares(table(launch("900", barrier="9"), launch("1,000", barrier="6", selected="1", wait="3")))
    assert found == pytest.approx({"barrier": 0.6, "wait": 0.3, "selected": 0.1})
    assert list(found) == ["barrier", "wait", "selected"]


def test_of_a_failure_nothing_is_counted() -> None:
    assert shares("==ERROR== ERR_NVGPUCTRPERM") == {}


def test_rare_reasons_are_not_shown() -> None:
    assert (
        line("shfl f32", {"barrier": 0.6, "wait": 0.38, "drain": 0.02}) == "| `shfl f32` | `barrier` 60%, `wait` 38% |"
    )


def test_the_page_names_the_gpu() -> None:
    text = page({("f32", "shfl"): {"barrier": 1.0}}, "NVIDIA H200", "580.1", "2025.3")
    assert "- NVIDIA H200, driver 580.1, Nsight Compute 2025.3" in text
    assert "| `shfl f32` | `barrier` 100% |" in text
