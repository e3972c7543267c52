"""Small runs to compare, each measured once and copied to where a test needs it, and `shflbench` as a process.

lay(tmp_path / "base")                              # three processes of four cases
lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})  # the same code, but for one case that is 10% slower
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shflbench.core.model import Case
from shflbench.store import Row, read_run
from shflbench.store.rows import ROWS
from shflbench.store.run_files import ROWS_FILE
from tests.conftest import Outcome
from tests.fakes.processes import Simulated, spread, write

CASES = spread(4, 20.0, 300.0)
SHFL, SYNCWARP, DOUBLE, SMEM = (case.id for case in CASES)  # of 20, 49, 122 and 300 µs
RUN = Simulated(cases=CASES, rounds=6)

_made: dict[str, Path] = {}


def lay(folder: Path, **changes: Any) -> Path:
    """Put a run into `folder`; `changes` are fields of `Simulated`."""
    run = replace(RUN, **changes)
    key = repr(run)
    if key not in _made:
        _made[key] = write(Path(_shelf().name) / str(len(_made)), run)
    shutil.copytree(_made[key], folder)
    return folder


def without(case_id: str) -> dict[Case, float]:
    """Return the cases of a run that lacks one."""
    return {case: time_us for case, time_us in CASES.items() if case.id != case_id}


def change_rows(folder: Path, **changes: object) -> None:
    """Change columns of every row in `folder`."""
    put_rows(folder, [replace(row, **changes) for row in read_run(folder).rows])  # type: ignore[arg-type]  # of any column


def put_rows(folder: Path, changed: Iterable[Row]) -> None:
    """Let the run in `folder` have these rows; its samples stay what they are."""
    (folder / ROWS_FILE).write_text(ROWS.header() + ROWS.encode(changed), encoding="utf-8")


def process(*words: str | Path, cwd: Path, **environment: str) -> Outcome:
    """Run `shflbench` in a process of its own."""
    ran = subprocess.run(
        command(*words), cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return Outcome(ran.returncode, ran.stdout, ran.stderr)


def unread(*words: str | Path, cwd: Path) -> tuple[int, str]:
    """Return the exit code and stderr of `shflbench` whose output nobody reads."""
    ran = subprocess.Popen(command(*words), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert ran.stdout is not None
    assert ran.stderr is not None
    ran.stdout.close()
    with ran.stderr:
        said = ran.stderr.read()
    return ran.wait(timeout=30), said


def command(*words: str | Path) -> list[str]:
    """Return what runs `shflbench` with these words."""
    return [sys.executable, "-m", "shflbench", *map(str, words)]


@cache
def _shelf() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="shflbench-")
