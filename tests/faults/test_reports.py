"""Messages of a run while it works and at its end, and of a machine that lacks a package."""

import os
import pty
from pathlib import Path

import pytest

from tests.faults.conftest import PATIENCE, Make, shflbench

pytestmark = pytest.mark.expensive

WITHOUT_RICH = """\
from importlib import metadata
version = metadata.version
def without_rich(package):
    if package == "rich":
        raise metadata.PackageNotFoundError(package)
    return version(package)
metadata.version = without_rich
"""


@pytest.mark.archs
def test_steps_count_cases_and_rounds_per_process_and_advice_omits_what_was_done(make: Make) -> None:
    made = make(scripts={"reduce/shfl": {"offsets_us": [0.0, 0.64, 0.0]}})
    outcome = made.run("suite.yaml", "--output", "out", "--processes", "3", "--pattern", "reduce", "--verbose")
    lines = outcome.err.splitlines()
    for process in (1, 2, 3):
        steps = [line for line in lines if line.startswith(f"process {process} of 3: ")]
        assert steps[0] == f"process {process} of 3: verifying, 0 of 3 cases: reduce/smem/f32/2x64/256/width=32"
        assert steps[3] == f"process {process} of 3: timing 3 cases, round 1"
        assert steps[-1] == f"process {process} of 3: finished 3 of 3 cases: reduce/shfl/f32/2x64/256/width=32"
    (warning,) = (line for line in lines if "longer in process 1 than in process" in line)
    assert warning.endswith(
        "time more iterations, because the offset of a process is nearly constant, or measure in more processes"
    )
    assert "--processes" not in outcome.err


@pytest.mark.archs
def test_progress_bar_shows_the_remaining_time(make: Make) -> None:
    made = make(nap=0.002)
    controller, terminal = pty.openpty()
    process = made.start("suite.yaml", "--output", "out", stderr=terminal)
    os.close(terminal)
    printed = b""
    try:
        while block := os.read(controller, 65_536):
            printed += block
    except OSError:  # EIO: the run has closed the terminal
        pass
    os.close(controller)
    assert process.wait(PATIENCE) == 0
    assert b"timing 9 cases, round " in printed
    assert b" left" in printed


def test_doctor_reports_a_missing_required_package(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_RICH, encoding="utf-8")
    outcome = shflbench(tmp_path, "doctor", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == "error: required packages are not installed: rich\nRun: pip install 'rich>=13.7'\n"
