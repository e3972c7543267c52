"""Advice for a GPU without results."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checker.in_process import start_no_processes
from tests.cli.advise.results import part_of
from tests.conftest import Command


@pytest.fixture
def advise(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench advise` with kernels that earlier tests compiled, in this process."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    return lambda *words: shflbench("advise", *words)


def record(advise: Command, *words: str) -> dict[str, Any]:
    outcome = advise(*words, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    (advice,) = json.loads(outcome.out)["advice"]
    return dict(advice)


@pytest.mark.archs
def test_a_gpu_without_results_is_ranked_by_limits_which_are_labeled(advise: Command) -> None:
    outcome = advise("neighbor", "--arch", "sm_100")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "neighbor, f32, mode=idx, on sm_100: predicted, not measured"
    assert lines[1].startswith("Use shfl: 2.0× the speed of ")
    assert lines[1].endswith("by the least cycles that the hardware allows")
    assert lines[2] == "Assumed: 8 blocks of 256 threads per SM, 64 warps"
    assert "time µs" not in outcome.out
    assert "__shfl" in outcome.out


@pytest.mark.archs
def test_predicted_values_have_fields_of_their_own(advise: Command) -> None:
    advice = record(advise, "neighbor", "--arch", "sm_90", "--block", "128")
    assert advice["measured"] is None
    predicted = advice["predicted"]
    assert (predicted["variant"], predicted["basis"], predicted["block"]) == ("shfl", "prediction", 128)
    (shuffle,) = [one for one in predicted["ranking"] if one["variant"] == "shfl"]
    assert shuffle["predicted_cycles"] >= shuffle["limit_cycles"] == 64


def test_results_of_another_architecture_do_not_answer(advise: Command, tmp_path: Path) -> None:
    part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "neighbor")
    assert record(advise, "neighbor", "--arch", "sm_90")["predicted"] is None
    assert record(advise, "neighbor", "--arch", "sm_100")["measured"] is None


@pytest.mark.archs
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("neighbor", "--arch", "sm_1"), 2, "error: no figures are known for `sm_1`"),
        (("count", "--arch", "sm_90"), 3, "error: fewer than two variants of count have a timed loop"),
        (("vote", "--arch", "sm_90", "--dtype", "f64"), 2, "error: vote has no variant for f64"),
    ],
)
def test_what_cannot_be_predicted_ends_with_an_error(
    advise: Command, words: tuple[str, ...], code: int, message: str
) -> None:
    outcome = advise(*words)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(message)


@pytest.mark.archs
@pytest.mark.parametrize("arch", ["sm_100", pytest.param("sm_90", marks=pytest.mark.archs)])
def test_costs_of_a_gpu_without_results_have_predicted_values_only(advise: Command, arch: str) -> None:
    outcome = advise("--costs", "--arch", arch)
    assert (outcome.code, outcome.err) == (0, "")
    costs = json.loads(outcome.out)["costs"]
    measured = ("ns_per_exchange", "cycles_per_exchange", "cycles_per_warp_exchange", "sm_clock_mhz", "case_id", "gpu")
    assert all(cost[field] is None for cost in costs for field in measured)
    full = {
        (cost["operation"], cost["bits"]): (cost["limit_cycles_per_exchange"], cost["predicted_cycles_per_exchange"])
        for cost in costs
        if cost["warps_per_sm"] == 32
    }
    assert (full["shuffle", 32][0], full["shuffle", 64][0]) == (32, 64)
    predictions = [(limit, predicted) for limit, predicted in full.values() if predicted is not None]
    assert bool(predictions) == (arch == "sm_90")  # the constants of the simulation are of this architecture
    assert all(predicted >= limit for limit, predicted in predictions)
