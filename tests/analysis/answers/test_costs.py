"""The cost of one exchange."""

from dataclasses import replace

import pytest

from shflbench.analysis.answers.costs import ExchangeCost, costs_of
from shflbench.store import Run
from shflbench.store.limits_file import read_limits
from tests.analysis.answers.rows import committed


def costs(run: Run) -> dict[str, ExchangeCost]:
    return {cost.case_id or "": cost for cost in costs_of(run, read_limits(run.folder))}


def test_a_shuffle_costs_what_its_row_says() -> None:
    run = committed("gtc2013", "neighbor")
    (row,) = [row for row in run.rows if row.case_id == "neighbor/shfl/f32/26x1024/4096/mode=idx"]
    cost = costs(run)[row.case_id]
    assert (cost.operation, cost.bits, cost.warps_per_sm) == ("shuffle", 32, 32)
    assert cost.ns_per_exchange == row.ns_per_iteration
    assert (cost.ns_per_exchange_low, cost.ns_per_exchange_high) == (
        row.ns_per_iteration_low,
        row.ns_per_iteration_high,
    )
    assert cost.cycles_per_exchange == row.cycles_per_iteration
    assert cost.cycles_per_warp_exchange == pytest.approx((row.cycles_per_iteration or 0) / 32)
    assert cost.limit_cycles_per_exchange == 32


def test_a_slope_without_an_interval_gives_a_cost_without_one() -> None:
    run = committed("gtc2013", "neighbor")
    rows = tuple(replace(row, ns_per_iteration_low=None, ns_per_iteration_high=None) for row in run.rows)
    cost = costs(replace(run, rows=rows))["neighbor/shfl/f32/26x1024/4096/mode=idx"]
    assert cost.ns_per_exchange
    assert (cost.ns_per_exchange_low, cost.ns_per_exchange_high) == (None, None)


def test_an_element_of_two_words_is_one_exchange_of_two_shuffles() -> None:
    run = committed("gtc2013", "neighbor")
    known = costs(run)
    narrow, wide = (known[f"neighbor/shfl/{dtype}/26x1024/4096/mode=idx"] for dtype in ("f32", "f64"))
    assert (wide.bits, wide.exchanges_per_iteration) == (64, 1)
    assert narrow.ns_per_exchange
    assert wide.ns_per_exchange == pytest.approx(2 * narrow.ns_per_exchange, rel=0.05)


def test_a_reduction_is_five_exchanges() -> None:
    known = costs(committed("gtc2013", "reduce"))
    assert known["reduce/shfl/f64/26x1024/4096/width=32"].exchanges_per_iteration == 5
    assert known["reduce/redux/i32/26x1024/4096/width=32"].operation == "redux"


def test_unsafe_variants_have_no_cost() -> None:
    assert not any("unsafe" in case for case in costs(committed("gtc2013", "neighbor")))


def test_a_launch_of_several_waves_has_no_cost() -> None:
    run = committed("launch-sweep", "neighbor")
    launches = {row.launch for row in run.rows if row.case_id in costs(run)}
    assert "2*sms x 1024" in launches
    assert "4*sms x 1024" not in launches  # 2048 threads are resident on an SM


def test_a_row_without_counts_of_its_machine_code_has_no_cost() -> None:
    run = committed("gtc2013", "neighbor")
    bare = replace(run, rows=tuple(replace(row, sass_per_iteration=None) for row in run.rows))
    assert costs(bare) == {}
