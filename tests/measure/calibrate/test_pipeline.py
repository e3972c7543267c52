from dataclasses import replace

import pytest

from shflbench.core.model import Device
from shflbench.errors import DeviceError, LaunchError
from shflbench.measure.calibrate.estimate import LengthPair, TimedLength
from shflbench.measure.calibrate.pipeline import GONE, MOST_DEATHS, PROCESSES, ROUNDS, RoundProgress, calibrate
from shflbench.measure.calibrate.probes import PROBES, select_supported
from shflbench.measure.calibrate.worker import CalibrationDevice, OpenedDevice, RoundOutcome
from shflbench.store.calibration_file import Calibration
from tests.fakes.runs import H200

NAMES = [probe.name for probe in PROBES]


def outcome(work: float = 1000.0) -> RoundOutcome:
    """Return a round whose passes take 1000 clocks each."""
    return RoundOutcome((LengthPair(TimedLength(200, 104.0, 2000.0), TimedLength(50, 29.0, 2000.0), work),))


class Played(CalibrationDevice):
    """Answers with the same times, but for what `outcomes` says by figure and round, in all processes or in some."""

    def __init__(
        self,
        outcomes: dict[tuple[str, int], RoundOutcome] | None = None,
        device: Device = H200,
        processes: tuple[int, ...] = tuple(range(PROCESSES)),
    ) -> None:
        self.outcomes, self.device, self.processes = outcomes or {}, device, processes
        self.taken: list[list[str]] = []  # of each process

    def open(self) -> OpenedDevice:
        self.taken.append([])
        return OpenedDevice(self.device, "", "13.5")

    def take(self, name: str) -> RoundOutcome:
        taken = self.taken[-1]
        taken.append(name)
        played = self.outcomes.get((name, taken.count(name) - 1))
        return played if played and len(self.taken) - 1 in self.processes else outcome()

    def close(self) -> None:
        """Hold nothing."""


def crashed(names: list[str], number: int) -> dict[tuple[str, int], RoundOutcome]:
    return {(name, number): RoundOutcome((), "its process crashed", usable=False) for name in names}


def result(device: CalibrationDevice) -> Calibration:
    *_, last = calibrate(device)
    assert isinstance(last, Calibration)
    return last


def test_every_process_takes_every_figure_in_every_round_and_rounds_interleave_the_figures() -> None:
    device = Played()
    calibration = result(device)
    assert device.taken == [NAMES * ROUNDS] * PROCESSES
    assert list(calibration.figures) == NAMES
    assert calibration.missing == {}
    assert calibration.figures["shuffle"].value == pytest.approx(1)
    assert calibration.figures["shuffle"].documented == 1
    assert calibration.figures["shuffle"].processes == PROCESSES
    assert (calibration.device, calibration.uuid, calibration.nvrtc) == (H200.name, H200.uuid, "13.5")
    assert calibration.clock_mhz == 2000


def test_figure_is_the_median_of_the_processes_and_its_interval_spans_them() -> None:
    class Differing(Played):
        def take(self, name: str) -> RoundOutcome:
            super().take(name)
            return outcome((1000.0, 1040.0, 1005.0, 1010.0, 1030.0)[len(self.taken) - 1])

    figure = result(Differing()).figures["shuffle"]
    assert figure.value == pytest.approx(1.01)
    assert [figure.low, figure.high] == pytest.approx([1, 1.04], abs=1e-3)


def test_progress_names_the_process_and_reaches_the_last_figure_of_the_last_round() -> None:
    steps = [event for event in calibrate(Played()) if isinstance(event, RoundProgress)]
    starts = [step for step in steps if step.name == "start"]
    assert [step.done for step in steps if step not in starts] == list(range(steps[-1].total))
    assert [(step.process, step.done) for step in starts] == [
        (number, (number - 1) * len(NAMES) * ROUNDS) for number in range(2, PROCESSES + 1)
    ]
    assert (steps[0].process, steps[-1].process) == (1, PROCESSES)


def test_kernel_that_fails_costs_its_figure_alone_and_is_not_tried_again_in_its_process() -> None:
    device = Played({("vote", 2): RoundOutcome((), "vote: illegal memory access")})
    calibration = result(device)
    assert calibration.missing == {"vote": "vote: illegal memory access"}
    assert len(calibration.figures) == len(PROBES) - 1
    assert [taken.count("vote") for taken in device.taken] == [3] * PROCESSES


def test_figure_that_fails_in_one_process_is_that_of_the_others() -> None:
    calibration = result(Played(crashed(["vote"], 2), processes=(1,)))
    assert calibration.missing == {}
    assert calibration.figures["vote"].processes == PROCESSES - 1
    assert calibration.figures["shuffle"].processes == PROCESSES


def test_crashes_of_all_variants_of_a_kernel_do_not_end_the_calibration() -> None:
    names = [name for name in NAMES if name.startswith("redux")]
    assert list(result(Played(crashed(names, 0))).missing) == names


def test_lost_device_ends_a_process_and_its_finished_rounds_count() -> None:
    device = Played(crashed(NAMES, 3))
    calibration = result(device)
    assert set(calibration.missing) == set(NAMES[:MOST_DEATHS])
    assert len(calibration.figures) == len(PROBES) - MOST_DEATHS
    assert [len(taken) for taken in device.taken] == [3 * len(PROBES) + MOST_DEATHS] * PROCESSES


def test_device_that_cannot_be_opened_again_counts_as_lost() -> None:
    class Unopenable(Played):
        def take(self, name: str) -> RoundOutcome:
            if len(self.taken[-1]) == len(PROBES):
                raise DeviceError("no usable GPU")
            return super().take(name)

    assert len(result(Unopenable()).figures) == len(PROBES)


def test_process_that_cannot_open_the_device_leaves_the_figures_to_the_others() -> None:
    class OnceOpen(Played):
        def open(self) -> OpenedDevice:
            if self.taken:
                raise DeviceError("no usable GPU")
            return super().open()

    calibration = result(OnceOpen())
    assert {figure.processes for figure in calibration.figures.values()} == {1}
    assert len(calibration.figures) == len(PROBES)


def test_figure_that_was_never_taken_from_a_lost_device_is_missing() -> None:
    calibration = result(Played(crashed(NAMES[1:], 0)))
    assert list(calibration.figures) == ["shuffle"]
    assert calibration.missing[NAMES[-1]] == GONE


def test_rounds_that_the_host_disturbed_are_left_out() -> None:
    few = {("vote", number): RoundOutcome(()) for number in range(4)}
    always = {("fp32", number): RoundOutcome(()) for number in range(ROUNDS)}
    calibration = result(Played({**few, **always}))
    assert "vote" in calibration.figures
    assert calibration.missing == {"fp32": "the host was too slow to queue its launches"}


def test_calibration_without_a_figure_is_an_error_with_the_first_reason() -> None:
    failing = {(name, 0): RoundOutcome((), "it does not compile") for name in NAMES}
    with pytest.raises(LaunchError, match="no figure could be measured: it does not compile"):
        result(Played(failing))


def test_instructions_that_the_architecture_lacks_are_missing_with_the_reason() -> None:
    calibration = result(Played(device=replace(H200, arch="sm_75")))
    assert set(calibration.missing.values()) == {"sm_75 has no such instruction"}
    assert len(calibration.figures) == len(select_supported("sm_75"))
