"""`check` as a process on a machine where everything takes as long as a clock says that counts how often it is read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checker.test_clock import LONG
from tests.conftest import Outcome

# Python runs it before the command. `LONG` takes more looks at the clock than fit a minute at a hundredth of a second.
CLOCK = """\
import time
from itertools import count

looks = count()
time.monotonic = lambda: next(looks) * {seconds}
"""


def check(folder: Path, seconds: float) -> Outcome:
    """Check the file of the folder by a clock that advances by so many seconds at each look."""
    own = folder / f"clock-{seconds}"
    own.mkdir()
    (own / "sitecustomize.py").write_text(CLOCK.format(seconds=seconds), encoding="utf-8")
    places = [str(own), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "SHFLBENCH_CACHE": str(own)}
    command = [sys.executable, "-m", "shflbench", "check", "k.cu", "--compiler", "nvrtc"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.archs
def test_a_long_loop_has_one_report_by_any_clock(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(LONG, encoding="utf-8")
    slow = check(tmp_path, 0.01)
    assert slow == check(tmp_path, 0.001)
    assert (slow.code, "no hazard in 1 launch (1x64)" in slow.out) == (0, True)
