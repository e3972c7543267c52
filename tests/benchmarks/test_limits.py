"""The limits of the reference runs: no row may be faster than its limit."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.limits import (
    CASES,
    CaseKind,
    Compared,
    best_case,
    case_list,
    compare,
    exceeded,
    listed_cases,
    main,
    page,
)
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import CaseLimit, read_limits

RESULTS = Path(__file__).parents[2] / "results"
RUN = RESULTS / "launch-sweep" / "nvidia-h200"
RECORDED = Path(__file__).parents[2] / "benchmarks" / "limits.md"


@pytest.fixture(scope="module")
def compared() -> list[Compared]:
    run = read_run(RUN)
    return list(compare(run, best_case(run)))


@pytest.mark.archs
def test_every_timed_row_has_a_limit_that_its_measurement_respects(compared: list[Compared]) -> None:
    assert len(compared) == len(read_run(RUN).rows)
    assert all(one.limit.limit_us for one in compared)
    assert exceeded(compared) == []
    assert max(one.largest for one in compared) > 0.99  # the bound is reached


@pytest.mark.archs
def test_a_row_that_is_faster_than_its_limit_is_named(compared: list[Compared]) -> None:
    fast = replace(compared[0], limit=replace(compared[0].limit, limit_fraction=1.02))
    assert exceeded([fast, *compared]) == [fast]
    text = page({"neighbor": [fast, *compared]}, ["NVIDIA H200"])
    assert (
        f"1 of {len(compared) + 1} rows were more than 1% faster than their limit.\n- `{fast.row.case_id}`: 102.0%"
        in text
    )


def test_a_row_whose_interval_reaches_its_limit_is_not_faster_than_it(compared: list[Compared]) -> None:
    fast = replace(compared[0], limit=replace(compared[0].limit, limit_fraction=1.02))
    time = fast.row.time_us or 0
    wide = replace(fast, row=replace(fast.row, time_high_us=1.02 * time))
    assert exceeded([fast, wide]) == [fast]
    of_cycles = replace(compared[0], of_cycles=1.02)
    wide = replace(
        of_cycles, row=replace(of_cycles.row, ns_per_iteration_high=1.02 * (of_cycles.row.ns_per_iteration or 0))
    )
    assert exceeded([of_cycles, wide]) == [of_cycles]


def test_a_row_without_a_limit_counts_as_not_useful_and_its_reason_is_there(compared: list[Compared]) -> None:
    bare = replace(
        compared[0], limit=CaseLimit(case_id="x", limit_reason="no figures are known for sm_70"), of_cycles=None
    )
    assert not bare.is_useful
    text = page({"neighbor": [bare]}, ["NVIDIA H200"])
    assert "| neighbor | 1 | 0 | 0% | – | – | – |" in text
    assert "Rows without a limit: no figures are known for sm_70 1." in text


def test_all_listed_cases_count_also_those_that_cannot_be_compared(compared: list[Compared]) -> None:
    listed = {case for kind, suite, case in listed_cases() if suite == "launch-sweep" and kind is CaseKind.LOOP}
    loops = [replace(one, of_cycles=None) for one in compared if one.row.case_id in listed]
    text = page({"neighbor": loops}, ["NVIDIA H200"])
    assert f"| loops: limit ÷ cycles | {len(loops)} | 0 | – | – | 95% | 0 of {len(loops)} |" in text


def test_the_list_of_cases_follows_from_its_rule() -> None:
    runs = [read_run(folder) for folder in find_runs([RESULTS])]
    assert CASES.read_text(encoding="utf-8") == case_list(runs)


def test_the_page_is_that_of_the_reference_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["limits", "--record", str(tmp_path / "limits.md")])
    assert main() == 0
    assert (tmp_path / "limits.md").read_text(encoding="utf-8") == RECORDED.read_text(encoding="utf-8")


@pytest.mark.one_in(6)
@pytest.mark.archs
@pytest.mark.parametrize("folder", find_runs([RESULTS]), ids=lambda folder: folder.parent.name)
def test_stored_limits_are_those_of_today_or_higher_where_requests_were_counted(folder: Path) -> None:
    run = read_run(folder)
    stored = read_limits(folder)
    limits = best_case(run)
    assert {limit.case_id for limit in limits} == set(stored)
    assert exceeded(compare(run, limits)) == []
    assert [
        limit for limit in limits if (limit.limit_us or 0.0) > (stored[limit.case_id].limit_us or 0.0) * 1.00001
    ] == []
