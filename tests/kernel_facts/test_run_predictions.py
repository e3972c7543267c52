"""Predictions for the rows of a committed run."""

from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from shflbench.analysis.limits.prediction import Prediction, PredictionKind
from shflbench.core.model import KernelRequests
from shflbench.kernel_facts.run_predictions import Predictor
from shflbench.store import Row, read_run
from tests.analysis.limits.test_calibrated import calibration

NOTHING = KernelRequests((), (), warps=4, per_iteration=False)
RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    return Predictor(read_run(RESULTS / "moving-average" / "nvidia-h200"))


@pytest.fixture(scope="module")
def sweep() -> Predictor:
    return Predictor(read_run(RESULTS / "launch-sweep" / "nvidia-h200"))


def error(row: Row, prediction: Prediction) -> float:
    assert prediction.us is not None, prediction.reason
    assert row.time_us
    return abs(prediction.us / row.time_us - 1)


def test_loops_of_small_launches_are_predicted_within_some_percent(sweep: Predictor) -> None:
    rows = [row for row in sweep.rows if row.launch == "sms x 128"]
    assert len(rows) == 8
    assert median(error(row, sweep.predict(row)) for row in rows) < 0.02


def test_a_launch_has_the_residency_that_the_driver_reported(sweep: Predictor) -> None:
    launches = {row.launch: sweep.launch_of(row) for row in sweep.rows}
    (largest,) = {launch for name, launch in launches.items() if name == "4*sms x 1024"}
    assert largest is not None
    assert (largest.resident_blocks, largest.blocks, largest.warps, largest.waves) == (2, 4, 64, 2)


def test_kernels_of_one_pass_are_predicted_from_the_bytes_that_their_pattern_declares(predictor: Predictor) -> None:
    row = next(row for row in predictor.rows if row.grid == 65536)
    assert error(row, predictor.predict(row, NOTHING)) < 0.5
    assert predictor.predict(row).reason == "its requests to memory were not counted"


def test_a_row_without_occupancy_has_a_reason(predictor: Predictor) -> None:
    prediction = predictor.predict(replace(predictor.rows[0], occupancy=None))
    assert (prediction.us, prediction.reason) == (
        None,
        "it is not known how many blocks an SM executes at a time",
    )


def test_constants_of_another_architecture_are_not_used() -> None:
    run = read_run(RESULTS / "launch-sweep" / "nvidia-h200")
    assert run.info.device
    older = replace(run, info=replace(run.info, device=replace(run.info.device, arch="sm_80")))
    predictor = Predictor(older)
    assert predictor.predict(predictor.rows[0]).reason == "the constants of sm_80 are not known"


def test_constants_of_an_h200_are_used_for_another_gpu_only_where_it_is_calibrated() -> None:
    run = read_run(RESULTS / "launch-sweep" / "nvidia-h200")
    assert run.info.device
    other = replace(run, info=replace(run.info, device=replace(run.info.device, name="NVIDIA H100 PCIe")))
    row = next(row for row in other.rows if row.launch == "sms x 128" and row.variant == "shfl")
    reason = "the constants are those of an NVIDIA H200, and this GPU is not calibrated"
    assert Predictor(other).predict(row).reason == reason
    same = calibration(launch_overhead_us=2.990666320935513, shfl_latency=26.05)
    slower = calibration(launch_overhead_us=3.990666320935513, shfl_latency=26.05)
    one, two = (Predictor(other, known).predict(row).us for known in (same, slower))
    assert one is not None
    assert two is not None
    assert two - one == pytest.approx(1.0, rel=0.01)  # the overhead of a launch, in µs


CLUSTERS = (
    "cluster-exchange/barrier/i32/sms/4 x 32/1024/cluster=2",
    "cluster-exchange/global/i32/1x128/1024/cluster=2",
    "cluster-exchange/red-async/i32/1x128/1024/cluster=4",
    "cluster-reduce/two-launches/f32/64*sms x 128/1/cluster=8",
    "dependent-launch/no-signal/i32/sms x 256/1/work=1024/prologue=1024",
    "dependent-launch/stream-order/i32/8*sms x 256/1/work=64/prologue=64",
)


@pytest.fixture(scope="module")
def clusters() -> Predictor:
    run = read_run(RESULTS / "clusters" / "nvidia-h200")
    return Predictor(replace(run, rows=tuple(row for row in run.rows if row.case_id in CLUSTERS)))


def test_exchanges_of_clusters_and_dependent_launches_are_predicted_by_prices(clusters: Predictor) -> None:
    assert len(clusters.rows) == len(CLUSTERS)
    kinds = {row.case_id: clusters.predict(row).kind for row in clusters.rows}
    assert set(kinds.values()) == {PredictionKind.PRICES, PredictionKind.SEQUENCE}
    assert max(error(row, clusters.predict(row)) for row in clusters.rows) < 0.12


def test_a_pattern_without_a_folder_has_no_prediction_for_one_pass() -> None:
    predictor = Predictor(read_run(RESULTS / "moving-average" / "nvidia-h200"), folders={})
    assert predictor.predict(predictor.rows[0], NOTHING).reason == "how many bytes it moves is not declared"
