import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from shflbench.errors import DeviceError
from shflbench.measure.calibrate.probe import Formula
from shflbench.measure.calibrate.worker import DeviceInProcess, DeviceInWorker
from tests.fakes.calibrated import ENVIRONMENT

OPENER = "tests.fakes.calibrated:open_backend"


@pytest.fixture
def worker(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DeviceInWorker]:
    monkeypatch.setenv(ENVIRONMENT, json.dumps({"redux": "crash", "vote": "fail", "match": "hang"}))
    with closing(DeviceInWorker(OPENER, "0", kernel_cache)) as device:
        yield device


@pytest.mark.archs
def test_crash_fails_one_figure_and_the_next_one_runs_in_another_process(worker: DeviceInWorker) -> None:
    assert worker.open().device.arch == "sm_90"
    crash = worker.take("redux_add")
    assert (crash.failure, crash.usable) == ("its process crashed", False)
    after = worker.take("shuffle")
    assert [pair.value(Formula.PER_LAUNCH) for pair in after.pairs] == [pytest.approx(1)]
    failed = worker.take("vote")
    assert (failed.failure, failed.usable) == ("vote: illegal memory access", True)


def test_kernel_that_hangs_is_ended(worker: DeviceInWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.open()
    worker.take("shuffle")  # which compiles the kernels
    monkeypatch.setattr("shflbench.measure.calibrate.worker.ROUND_SECONDS", 0.3)
    hung = worker.take("match_2")
    assert (hung.failure, hung.usable) == ("it did not end within 0.3 s", False)


def test_device_that_cannot_be_opened_is_reported_by_its_own_error(kernel_cache: Path) -> None:
    worker = DeviceInWorker("tests.fakes.calibrated:refuse", "0", kernel_cache)
    with closing(worker), pytest.raises(DeviceError) as caught:
        worker.open()
    assert (caught.value.message, caught.value.advice) == ("no usable GPU: scripted", "See `shflbench doctor`.")


def test_device_in_this_process_reports_a_failing_kernel_alike(
    kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, json.dumps({"vote": "fail"}))
    device = DeviceInProcess(OPENER, "0", kernel_cache)
    assert device.take("vote").failure == "vote: illegal memory access"
    assert len(device.take("shuffle").pairs) == 1


def test_device_that_is_closed_is_opened_anew(worker: DeviceInWorker) -> None:
    worker.open()
    worker.close()
    assert worker.open().device.arch == "sm_90"
