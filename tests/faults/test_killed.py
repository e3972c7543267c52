"""Runs that are killed without time to clean up."""

import random
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_run
from shflbench.store.kernel_archive import StoredKernel
from tests.faults.conftest import Machine, Make, fault

pytestmark = pytest.mark.expensive

# Twenty kills of a run of 32 groups wait for `make test-archs`.
KILLS = [(1, 3), pytest.param(20, 16, marks=pytest.mark.archs)]  # and the number of launches: two groups each
# Each group is a window of its own. Its nine rounds of 14 bursts that nap 0.5 ms take 60 ms at least, so that the
# kills, after 0.07 s on average, do not outlast the run. Half of them wait for a window, on machines of any speed.
LONGEST = 0.15  # seconds from the warm-up in a worker process, or from the end of a window, to the kill
NAP = 0.0005
SUITE = """\
schema: 1
name: killed
defaults: {iterations: 256, dtypes: f32, launch: LAUNCHES}
measure: {min_seconds: 0.001, precision: 5%}
experiments:
  - {pattern: neighbor, variants: [smem, shfl]}
  - {pattern: reduce, variants: [smem, shfl]}
"""


@pytest.mark.archs
def test_worker_that_hangs_does_not_outlive_a_run_that_is_killed(make: Make) -> None:
    made = make(fault("neighbor/shfl", "time", "hang", 4))
    process = made.start("suite.yaml", "--output", "out")
    made.wait_for("hang")
    assert any("shflbench.measure.worker" in command for command in made.processes())
    process.kill()
    assert made.end(process).code == -9  # end() waits two seconds for all processes to end


@pytest.mark.archs
def test_compilers_do_not_outlive_a_run_that_is_killed(make: Make, tmp_path: Path) -> None:
    made = make(cache=tmp_path / "cold")
    process = made.start("suite.yaml", "--output", "out")
    made.wait_until(lambda: list(made.cache.rglob("*.kernel")))  # the first of nine kernels
    process.kill()
    assert made.end(process).code == -9


@pytest.mark.archs
@pytest.mark.parametrize(("kills", "launches"), KILLS)
def test_run_that_is_killed_at_random_moments_and_resumed_equals_an_uninterrupted_one(
    make: Make, kills: int, launches: int
) -> None:
    made = make(fault("device", "warm", "nothing", 0), nap=NAP, cases_per_window=1)
    suite = SUITE.replace("LAUNCHES", str([f"{blocks}x64" for blocks in range(1, launches + 1)]))
    (made.folder / "suite.yaml").write_text(suite, encoding="utf-8")
    assert made.call("suite.yaml", "--output", "whole").code == 0
    moments, finished = random.Random(5), []  # noqa: S311
    for _ in range(kills):
        before = made.happened().count("warm")
        process = made.start("suite.yaml", "--resume" if started(made) else "--output", "out")
        if moments.random() < 0.2:
            time.sleep(moments.uniform(0.0, 1.0))  # mostly while it starts and repairs the folder
        else:
            made.wait_for("warm", already=before)
            if moments.random() < 0.5:
                wait_for_window(made)
            time.sleep(moments.uniform(0.0, LONGEST))
        process.kill()
        assert made.end(process).code == -9
        finished.append(len(read_run(made.folder / "out").rows) if started(made) else 0)
    assert finished == sorted(finished)  # none was lost
    assert len(set(finished)) > kills // 5
    assert made.run("suite.yaml", "--resume", "out").code == 0
    assert_equal(made, "out", "whole")


def wait_for_window(made: Machine) -> None:
    """Wait until the results of the run have more lines."""
    results = made.folder / "out" / "results.csv"

    def lines() -> int:
        return results.read_bytes().count(b"\n") if results.exists() else 0

    before = lines()
    made.wait_until(lambda: lines() > before)


def started(made: Machine) -> bool:
    """Whether there is a run to resume; if the process was killed before, remove its folder."""
    if (made.folder / "out" / "run.json").exists():
        return True
    shutil.rmtree(made.folder / "out", ignore_errors=True)
    return False


def assert_equal(made: Machine, run: str, whole: str) -> None:
    """Check that a run has the same contents as an uninterrupted one."""
    resumed, expected = read_run(made.folder / run), read_run(made.folder / whole)
    assert resumed.info.finished is not None
    assert [(row.case_id, row.status) for row in resumed.rows] == [(row.case_id, row.status) for row in expected.rows]
    assert sorted(path.name for path in (made.folder / run).iterdir()) == [
        "kernels.zip",
        "results.csv",
        "run.json",
        "samples.csv.gz",
    ]
    assert kernels(made.folder / run) == kernels(made.folder / whole)
    samples = made.samples(run)
    keys = [(s.case_id, s.process, s.round, s.sample, s.iterations) for s in samples]
    assert len(keys) == len(set(keys))
    own = {(s.case_id, s.process) for s in samples if not s.is_sentinel}
    assert own == {(row.case_id, *row.processes) for row in resumed.rows}
    kept = {(s.process, s.round) for s in samples if not s.is_sentinel}
    assert {(s.process, s.round) for s in samples if s.is_sentinel} == kept
    assert [row.time_us for row in resumed.rows] == [row.time_us for row in expected.rows]


def kernels(folder: Path) -> list[StoredKernel]:
    """Return the kernels that a run kept, without their cubins: a run that ends while it compiles leaves a part.

    The other kernels of the file are then compiled into a cubin of their own; the machine code is the same.
    """
    archive = read_run(folder).kernels()
    assert archive is not None
    return [replace(kernel, cubin="") for kernel in archive.index.kernels]
