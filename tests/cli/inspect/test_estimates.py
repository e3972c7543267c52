"""The columns of `shflbench inspect` that are no limits: predictions and ceilings."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.kernel_facts import estimates
from shflbench.kernel_facts.inspected_kernel import CycleEstimate
from shflbench.store import calibration_file
from shflbench.store.calibration_file import CalibratedFigure
from tests.conftest import Command
from tests.fakes.calibrations import EMPTY


def columns(text: str) -> list[str]:
    return re.split(r" {2,}", text.splitlines()[1].strip())


@pytest.fixture
def calibration() -> Path:
    """Write a calibration of an H200 on which shuffles take 1.25 clocks."""
    figure = CalibratedFigure(value=0.8, low=0.79, high=0.81, unit="requests per clock")
    made = replace(
        EMPTY,
        uuid="GPU-01234567",
        figures={"shuffle": figure},
    )
    Path("h200.json").write_text(calibration_file.text(made), encoding="utf-8")
    return Path("h200.json")


def test_a_prediction_has_its_own_column_and_is_never_below_the_limit(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--predict", "--format", "json")
    smem, shfl = json.loads(outcome.out)["kernels"]
    for kernel in (smem, shfl):
        assert kernel["limit_cycles_per_iteration"] <= kernel["predicted_cycles_per_iteration"]
        assert kernel["predicted_cycles_per_iteration"] < 2 * kernel["limit_cycles_per_iteration"]
    outcome = inspect("own.yaml", "--predict")
    assert columns(outcome.out)[1:4] == ["limit (cycles/iteration)", "limited by", "predicted (cycles/iteration)"]
    assert "\npredicted     simulated for one SM with constants of an H200; " in outcome.out
    assert "predicted" not in inspect("own.yaml").out


def test_a_simulation_below_the_limit_becomes_the_limit(inspect: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "_predicted", lambda _: CycleEstimate(31.5))
    (kernel,) = json.loads(inspect("own.yaml", "--variant", "shfl", "--predict", "--format", "json").out)["kernels"]
    assert kernel["predicted_cycles_per_iteration"] == kernel["limit_cycles_per_iteration"] == 32.0


def test_an_architecture_without_constants_has_no_prediction_and_says_so(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--arch", "sm_120", "--predict")
    assert "  shfl: no prediction: its constants are known of sm_90 only\n" in outcome.out


def test_a_calibration_gives_a_ceiling_beside_the_limit(inspect: Command, calibration: Path) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--calibration", str(calibration))
    line = outcome.out.splitlines()[2].split()
    assert line[:5] == ["shfl", "32.0", "exchange", "40.0", "exchange"]
    assert "\nceiling       likewise, at the rates that `calibrate` measured on a GPU; " in outcome.out


def test_a_calibration_of_another_architecture_gives_no_ceiling_and_says_so(
    inspect: Command, calibration: Path
) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--arch", "sm_80", "--calibration", str(calibration))
    assert "ceiling (cycles/iteration)" not in outcome.out
    assert "  shfl: no ceiling: the calibration is of sm_90\n" in outcome.out


def test_accesses_make_the_limit_tighter(inspect: Command) -> None:
    words = ("others.yaml", "--variant", "smem", "--format", "json")
    best, counted = (json.loads(inspect(*words, *more).out)["kernels"][0] for more in ((), ("--accesses",)))
    limits = [kernel["limit_cycles_per_iteration"] for kernel in (best, counted)]
    assert limits == [pytest.approx(384), pytest.approx(768)]  # 8 passes per load instead of 4
    assert best["limit_assumes"] == ["no bank conflicts"]
    assert counted["limit_assumes"] == []
