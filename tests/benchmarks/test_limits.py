"""The limits of the reference runs: no row may be faster than its limit."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.limits import Compared, compare, exceeded, main, page
from shflbench.store import read_run

RUN = Path(__file__).parents[2] / "results" / "launch-sweep" / "nvidia-h200"
RECORDED = Path(__file__).parents[2] / "benchmarks" / "limits.md"


@pytest.fixture(scope="module")
def compared() -> list[Compared]:
    return list(compare(read_run(RUN)))


def test_every_timed_row_has_a_limit_that_its_measurement_respects(compared: list[Compared]) -> None:
    assert len(compared) == len(read_run(RUN).rows)
    assert all(one.limit for one in compared)
    assert exceeded(compared) == []
    assert max(one.largest for one in compared) > 0.99  # the bound is reached


def test_a_row_that_is_faster_than_its_limit_is_named(compared: list[Compared]) -> None:
    fast = replace(compared[0], of_time=1.02)
    assert exceeded([fast, *compared]) == [fast]
    text = page({"neighbor": [fast, *compared]}, ["NVIDIA H200"])
    assert (
        f"1 of {len(compared) + 1} rows were more than 1% faster than their limit.\n- `{fast.row.case_id}`: 102.0%"
        in text
    )


@pytest.mark.archs
def test_the_page_is_that_of_the_reference_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["limits", "--record", str(tmp_path / "limits.md")])
    assert main() == 0
    assert (tmp_path / "limits.md").read_text(encoding="utf-8") == RECORDED.read_text(encoding="utf-8")
