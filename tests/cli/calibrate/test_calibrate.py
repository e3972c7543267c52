import json
from pathlib import Path

import pytest

from shflbench.cli.registry import COMMANDS
from shflbench.measure.calibrate.worker import CalibrationDevice, DeviceInProcess, OpenedDevice, RoundOutcome
from shflbench.store.calibration_file import read
from tests.conftest import Command
from tests.fakes.backend import H200, listed, unplug
from tests.fakes.calibrated import ENVIRONMENT

OPENER = "tests.fakes.calibrated:open_backend"


@pytest.fixture
def calibrate(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench calibrate` on a machine whose kernels take scripted times, in this process."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", lambda: [listed(H200)])
    monkeypatch.setattr("shflbench.measure.process.GPU_OPENER", OPENER)
    monkeypatch.setattr("shflbench.measure.calibrate.worker.DeviceInWorker", DeviceInProcess)
    monkeypatch.setattr("shflbench.measure.calibrate.pipeline.ROUNDS", 2)
    return lambda *words: shflbench("calibrate", *words)


def test_figures_are_saved_beside_the_baselines_and_printed_against_the_documents(calibrate: Command) -> None:
    outcome = calibrate()
    assert outcome.code == 0, outcome.err
    path = Path("baselines/calibration") / next(Path("baselines/calibration").iterdir()).name
    assert outcome.err.endswith(f"saved in {path}\n")
    assert read(path).figures["shuffle"].value == pytest.approx(64 * 32 / 1980)
    lines = {line.strip().split("  ")[0]: line.split() for line in outcome.out.splitlines()}
    assert lines["shuffle, 32 bits"][-3:] == ["1", "+3.4%", "requests/clock"]
    assert lines["DRAM, read"][-1] == "GB/s"
    assert "A barrier of w warps takes 30.9 + 0.00 × w clocks" in outcome.out
    assert "Traceback" not in outcome.err


def test_json_on_stdout_is_the_file(calibrate: Command) -> None:
    outcome = calibrate("--format", "json", "-o", "figures.json")
    assert outcome.code == 0, outcome.err
    assert outcome.out == Path("figures.json").read_text(encoding="utf-8")
    assert json.loads(outcome.out)["figures"]["vote"]["unit"] == "requests per clock per SM"
    assert not Path("baselines").exists()


def test_failing_kernel_costs_its_figure_and_exits_5(calibrate: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, json.dumps({"vote": "fail"}))
    outcome = calibrate("-o", "figures.json")
    assert outcome.code == 5
    assert "warning: vote: not measured: vote: illegal memory access\n" in outcome.err
    calibration = read(Path("figures.json"))
    assert "vote" not in calibration.figures
    assert "shuffle" in calibration.figures


def test_figure_of_some_processes_only_is_saved_with_a_warning(
    calibrate: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    class FailingAtFirst(DeviceInProcess):
        def open(self) -> OpenedDevice:
            opened.append(self)
            return super().open()

        def take(self, name: str) -> RoundOutcome:
            if name == "vote" and len(opened) == 1:
                return RoundOutcome((), "its process crashed", usable=False)
            return super().take(name)

    monkeypatch.setattr("shflbench.measure.calibrate.worker.DeviceInWorker", FailingAtFirst)
    outcome = calibrate("-o", "figures.json")
    assert outcome.code == 0
    assert "warning: vote: measured in 4 of 5 processes\n" in outcome.err
    assert read(Path("figures.json")).figures["vote"].processes == 4


def test_interrupted_calibration_saves_nothing_and_says_so(calibrate: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(CalibrationDevice):
        closed = False

        def __init__(self, *_: object) -> None:
            """Take no arguments."""

        def open(self) -> OpenedDevice:
            return OpenedDevice(H200, "", "13.5")

        def take(self, name: str) -> RoundOutcome:
            raise KeyboardInterrupt(name)

        def close(self) -> None:
            Interrupted.closed = True

    monkeypatch.setattr("shflbench.measure.calibrate.worker.DeviceInWorker", Interrupted)
    outcome = calibrate("-o", "figures.json")
    assert outcome.code == 130
    assert outcome.err.endswith("error: interrupted; nothing was saved\nCalibrate again: it takes about 30 seconds\n")
    assert not Path("figures.json").exists()
    assert Interrupted.closed


def test_machine_without_a_gpu_has_nothing_to_measure(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    unplug(monkeypatch)
    outcome = shflbench("calibrate")
    assert outcome.code == 4
    assert outcome.err.startswith("error: the driver lists no GPU")
    assert outcome.out == ""


def test_file_that_cannot_be_written_is_named_before_anything_is_measured(calibrate: Command) -> None:
    Path("folder").mkdir()
    outcome = calibrate("-o", "folder")
    assert outcome.code == 3
    assert outcome.err.startswith("error: folder cannot be written: it is a folder")


def test_command_is_registered_with_the_first_line_of_its_help() -> None:
    assert COMMANDS["calibrate"] == "Measure what the units of this GPU can do, and compare it with the documents."
