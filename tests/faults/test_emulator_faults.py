"""Runs on the emulator with real worker processes, some of which die."""

import pytest

from shflbench.core.model import Status
from tests.faults.conftest import CASES, End, Make, fault
from tests.faults.test_signals import ctrl_c, hang_up, terminate

pytestmark = pytest.mark.expensive

EMULATED = ("suite.yaml", "--device", "emulator")


@pytest.mark.archs
def test_groups_are_emulated_in_parallel_and_files_have_the_order_of_the_suite(make: Make) -> None:
    made = make()
    outcome = made.run(*EMULATED, "--output", "out")
    assert (outcome.code, outcome.out) == (0, "out\n")
    assert made.happened().count("worker") == 2
    assert {row.status for row in made.all_rows()} == {Status.VERIFIED}
    assert [row.pattern for row in made.all_rows()] == ["neighbor"] * 6 + ["reduce"] * 3
    assert made.call(*EMULATED, "--pattern", "reduce", "--output", "one").code == 0
    assert made.happened().count("worker") == 2  # a single group is emulated in the process of the command


@pytest.mark.archs
def test_death_of_a_worker_fails_only_the_case_that_it_emulated(make: Make) -> None:
    made = make(
        fault("neighbor/smem-double", "verify", "kill", 3),
        fault("neighbor/shfl", "open", "exception"),
        fault("reduce/smem", "verify", "segfault"),
    )
    outcome = made.run(*EMULATED, "--output", "out")
    assert outcome.code == 5
    assert len(made.rows()) == CASES
    assert {name: row.reason for name, row in made.rows().items() if row.status is not Status.VERIFIED} == {
        "neighbor/smem-double": "its worker process was ended by SIGKILL (Killed)",
        "neighbor/shfl": "its worker process ended with exit code 1: RuntimeError: cupy is confused",
        "reduce/smem": "its worker process was ended by SIGSEGV (Segmentation fault)",
    }


# What each signal does to a run, test_signals.py shows.
SIGNALS = [pytest.param(*end, marks=pytest.mark.archs) for end in ((ctrl_c, 130), (terminate, 143), (hang_up, 129))]


@pytest.mark.parametrize(("end", "code"), SIGNALS)
def test_run_that_is_ended_keeps_finished_groups_and_can_be_resumed(make: Make, end: End, code: int) -> None:
    made = make(fault("neighbor/smem", "verify", "hang"))
    process = made.start(*EMULATED, "--output", "out", start_new_session=True)
    made.wait_for("hang")
    made.wait_for_text(process, "\nreduce  f32")  # although the group before it goes on
    end(process)
    assert made.end(process).code == code
    assert {row.pattern for row in made.all_rows()} == {"reduce"}
    again = make()
    assert again.call("suite.yaml", "--resume", "out").code == 0
    assert [row.pattern for row in made.all_rows()] == ["neighbor"] * 6 + ["reduce"] * 3


@pytest.mark.archs
def test_emulator_that_cannot_be_opened_ends_the_run(make: Make) -> None:
    made = make(fault("device", "open", "exception"))
    outcome = made.run(*EMULATED, "--output", "out")
    assert (outcome.code, outcome.out) == (4, "")
    assert "error: the emulator cannot be opened: its worker process ended with exit code 1: Runtime" in outcome.err
