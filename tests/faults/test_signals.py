"""Runs that are ended by a signal: finished groups are kept, no process stays, and the exit code reports it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.faults.conftest import CASES, PATIENCE, REPOSITORY, End, Machine, Make, fault

pytestmark = pytest.mark.expensive


def ctrl_c(process: subprocess.Popen[str]) -> None:
    """Interrupt every process of the group, as a terminal does."""
    os.killpg(process.pid, signal.SIGINT)


def interrupt(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)


def terminate(process: subprocess.Popen[str]) -> None:
    process.terminate()


def hang_up(process: subprocess.Popen[str]) -> None:
    """Close the terminal, of which the kernel informs every process of the group."""
    os.killpg(process.pid, signal.SIGHUP)


def ended(made: Machine, end: End) -> Outcome:
    """Run, and end the run while a kernel of the second group hangs."""
    process = made.start("suite.yaml", "--output", "out", start_new_session=True)
    made.wait_for("hang")
    end(process)
    return made.end(process)


@pytest.fixture
def endless(make: Make) -> Machine:
    """Return a machine on which a kernel of the second group hangs in the first worker."""
    return make(fault("reduce/smem", "time", "hang", 4, worker=0), cases_per_window=1)


@pytest.mark.archs
@pytest.mark.parametrize(
    ("end", "code", "word"),
    [pytest.param(interrupt, 130, "interrupted", marks=pytest.mark.archs), (terminate, 143, "terminated")],
)
def test_run_that_is_ended_says_how_to_resume_it(endless: Machine, end: End, code: int, word: str) -> None:
    outcome = ended(endless, end)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.endswith(advice(word))
    assert outcome.err.count("error:") == 1
    assert {row.pattern for row in endless.rows().values()} == {"neighbor"}


@pytest.mark.archs
def test_run_that_is_interrupted_on_a_terminal_can_be_resumed_as_it_says(endless: Machine) -> None:
    outcome = ended(endless, ctrl_c)
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith(advice("interrupted"))
    assert outcome.err.count("error:") == 1
    check_resumption(endless)


@pytest.mark.archs
def test_run_whose_terminal_was_closed_can_be_resumed(endless: Machine) -> None:
    outcome = ended(endless, hang_up)
    assert (outcome.code, outcome.out) == (129, "")
    assert outcome.err.endswith(advice("ended by SIGHUP"))
    assert outcome.err.count("error:") == 1
    check_resumption(endless)


@pytest.mark.archs
def test_run_that_another_process_writes_cannot_be_resumed(endless: Machine) -> None:
    first = endless.start("suite.yaml", "--output", "out", start_new_session=True)
    endless.wait_for("hang")
    second = endless.start("suite.yaml", "--resume", "out")
    out, err = second.communicate(timeout=PATIENCE)
    assert (second.returncode, out) == (3, "")
    assert "error: out is being written by another shflbench process\n" in err
    assert err.endswith("Wait until that run has ended, or end it, and try again\n")
    first.kill()  # which ends its lock
    endless.end(first)
    check_resumption(endless)


def advice(word: str) -> str:
    return f"error: {word}; the finished groups are in out\nResume it with: shflbench run suite.yaml --resume out\n"


def check_resumption(made: Machine) -> None:
    """Check that a run lacks its second group, until it is resumed."""
    assert {row.pattern for row in made.rows().values()} == {"neighbor"}
    assert made.call("suite.yaml", "--resume", "out").code == 0
    assert len(made.rows()) == CASES
    assert made.failures() == {}


@pytest.mark.archs
@pytest.mark.parametrize(("end", "code"), [(ctrl_c, 130), pytest.param(terminate, 143, marks=pytest.mark.archs)])
def test_run_that_is_ended_while_it_compiles_leaves_no_compiler_behind(
    make: Make, tmp_path: Path, end: End, code: int
) -> None:
    made = make(cache=tmp_path / "cold")
    process = made.start("suite.yaml", "--output", "out", start_new_session=True)
    made.wait_until(lambda: list(made.cache.rglob("*.kernel")))  # the first of nine kernels
    end(process)
    outcome = made.end(process)
    assert outcome.code == code
    assert "Resume it with: shflbench run suite.yaml --resume out\n" in outcome.err
    assert outcome.err.count("error:") == 1
    assert made.rows() == {}


IN_A_DESTRUCTOR = """
import os, signal, sys, time
from shflbench.cli import main

class Fragile:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        time.sleep(0.01)

def run(*_, **__):
    Fragile()
    time.sleep(10)

main.shflbench.main = run
main.entry()
"""


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "ended by SIGHUP")],
)
def test_signal_during_the_clean_up_of_an_object_is_not_lost(name: str, code: int, word: str) -> None:
    command = [sys.executable, "-c", IN_A_DESTRUCTOR.format(name=name)]
    outcome = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    assert (outcome.returncode, outcome.stdout, outcome.stderr.strip()) == (code, "", f"error: {word}")
