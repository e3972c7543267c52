"""The record of a device's runs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.fleet import DeviceRecord, record_of
from shflbench.analysis.fleet.record import CaseTime
from shflbench.core.model import DeviceState, Noise, Status
from shflbench.store import Run, read_run
from tests.fakes.processes import Simulated, write
from tests.fakes.runs import H200, info
from tests.fakes.simulated import SENTINEL_US, spread

CASES = spread(4, 40.0, 400.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    device = replace(H200, index=3, state=DeviceState(power_limit_w=500.0, ecc=True))
    folder = tmp_path_factory.mktemp("run") / "run"
    return read_run(write(folder, Simulated(processes=2, cases=CASES), about=info(device=device)))


@pytest.fixture(scope="module")
def record(run: Run) -> DeviceRecord:
    return record_of([run])


def test_it_has_the_times_of_cases_and_sentinels(record: DeviceRecord) -> None:
    assert record.label == "node-1:3"
    assert record.times.ids == tuple(case.id for case in CASES)
    assert record.times.times_us == pytest.approx(list(CASES.values()), rel=0.005)
    assert record.sentinels_us == pytest.approx(SENTINEL_US, rel=0.02)
    assert record.sentinel_version
    assert (record.temperature_c, record.power_w, record.problem) == (38.0, 182.5, "")


def test_it_has_the_settings_that_may_differ_between_devices(record: DeviceRecord) -> None:
    assert record.settings["driver"] == H200.driver
    assert record.settings["power limit in W"] == "500.0"
    assert record.settings["ECC"] == "on"
    assert "MIG" not in record.settings


def test_failed_and_wrong_rows_and_throttling_are_kept(run: Run) -> None:
    first, second, third, fourth = run.rows
    rows = (
        replace(first, status=Status.INCORRECT, reason="lane 3 has 4.0"),
        replace(second, status=Status.SKIPPED, reason="not on this GPU"),
        replace(third, throttle=("power brake", "hardware slowdown")),
        fourth,
    )
    record = record_of([replace(run, rows=rows)])
    assert record.bad == ((first.case_id, Status.INCORRECT, "lane 3 has 4.0"),)
    assert record.right == {third.case_id, fourth.case_id}
    assert record.times.ids == (third.case_id, fourth.case_id)
    assert record.throttled == {"power brake": 1, "hardware slowdown": 1}
    assert record.throttled_cases == 1


def test_a_run_that_is_not_finished_or_was_not_quiet_says_so(run: Run) -> None:
    noisy = replace(run.info, finished=None, noise=Noise("busy", "two other processes used the GPU", "stop them"))
    record = record_of([replace(run, info=noisy)])
    assert record.problem == f"its run in {run.folder} is not finished"
    assert record.noise == "busy: two other processes used the GPU"
    assert record_of([replace(run, info=noisy)], "its worker was lost").problem == "its worker was lost"


def test_without_samples_the_table_gives_times_and_intervals(run: Run, tmp_path: Path) -> None:
    table = record_of([replace(run, folder=tmp_path)])
    assert table.times.times_us == pytest.approx([row.time_us for row in run.rows])
    assert np.isnan(table.times.scatters_us).all()
    assert table.sentinels_us == {}
    assert not table.has_samples
    assert record_of([run]).has_samples
    assert record_of([replace(run, folder=tmp_path, rows=())]).has_samples


def test_a_mean_over_processes_is_as_uncertain_as_they_differ() -> None:
    rounds = [np.full(8, 100.0)] * 3
    same = Estimates.of({(0, 0): rounds, (0, 1): rounds})
    other = Estimates.of({(0, 0): rounds, (0, 1): [times + 4.0 for times in rounds]})
    usual, wider = (CaseTime.of(times, passes=False, shifted=True) for times in (same, other))
    assert usual.variance == pytest.approx((0.035**2 + (2.5e-4 * 100) ** 2) / 2)
    assert wider.variance == pytest.approx(8.0 / 2)
    assert wider.time_us == pytest.approx(102.0)
    assert wider.scatter_us == pytest.approx(8.0**0.5, rel=0.01)
    assert usual.scatter_us == pytest.approx(0.032)


def test_a_process_of_a_single_round_leaves_the_variance_to_the_others() -> None:
    times = Estimates.of({(0, 0): [np.full(8, 100.0), np.full(8, 110.0)], (0, 1): [np.linspace(90.0, 110.0, 8)]})
    assert 0 < times.variances[1] < times.variances[0]
    assert CaseTime.of(times, passes=False, shifted=True).variance == pytest.approx(times.variances[0] / 2)
