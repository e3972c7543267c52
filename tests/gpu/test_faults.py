"""Faults that only a real GPU shows, through the real command line: each costs its own row."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Machine
from tests.gpu.conftest import PATTERNS

pytestmark = pytest.mark.gpu

FAULTY = PATTERNS / "faulty"
ENDLESS = f"""\
schema: 1
name: endless
defaults: {{launch: 26x1024, iterations: 1024, dtypes: f64}}
experiments:
  - {{pattern: {FAULTY}, variants: [right, endless-when-timed]}}
"""
# 4.6 GiB in two buffers, where another process leaves 3 GiB free.
LARGE = """\
schema: 1
name: large
defaults: {iterations: 256, dtypes: f64}
measure: {precision: 5%, min_seconds: 0.05, max_seconds: 0.1}
experiments:
  - {pattern: neighbor, variants: [shfl], launch: [300000x1024, 26x1024]}
"""
OCCUPY = """
import time, cupy
free, _ = cupy.cuda.runtime.memGetInfo()
held = cupy.cuda.alloc(free - (3 << 30))
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def machine(tmp_path: Path, kernel_cache: Path) -> Iterator[Machine]:
    """Return the real one."""
    made = Machine(tmp_path, kernel_cache, {}, module="shflbench", grace=20.0)
    yield made
    made.clear()


def test_kernels_that_crash_or_hang_fail_only_their_own_rows(machine: Machine) -> None:
    outcome = machine.run(str(FAULTY / "suite.yaml"), "--device", "cuda", "--output", "out")
    assert (outcome.code, outcome.out) == (5, "out\n"), outcome.err
    failures = machine.failures()
    assert failures.keys() == {f"faulty/{name}" for name in ("illegal", "misaligned", "endless", "endless-when-timed")}
    assert "illegal memory access" in failures["faulty/illegal"]
    assert "misaligned memory access" in failures["faulty/misaligned"]
    assert failures["faulty/endless"] == failures["faulty/endless-when-timed"] == "it did not end within 5 s"
    assert outcome.err.endswith("warning: 4 of 7 cases failed or computed a wrong result\n")


def test_case_that_needs_memory_held_by_another_process_fails(machine: Machine) -> None:
    (machine.folder / "large.yaml").write_text(LARGE, encoding="utf-8")
    with subprocess.Popen([sys.executable, "-c", OCCUPY], stdout=subprocess.PIPE, text=True) as occupant:
        try:
            assert occupant.stdout is not None
            assert occupant.stdout.readline() == "held\n"
            outcome = machine.run("large.yaml", "--device", "cuda", "--output", "out")
        finally:
            occupant.kill()
    assert outcome.code == 5, outcome.err
    large, small = sorted(machine.all_rows(), key=lambda row: row.launch != "300000x1024")
    assert "out of device memory: its buffers take 4.58 GiB" in (large.reason or "")
    assert small.time_us is not None


def test_run_that_is_killed_leaves_nothing_on_the_gpu(machine: Machine) -> None:
    (machine.folder / "endless.yaml").write_text(ENDLESS, encoding="utf-8")
    process = machine.start("endless.yaml", "--device", "cuda", "--output", "out")
    assert process.stderr is not None
    assert any("SM clock when warm" in line for line in iter(process.stderr.readline, ""))
    time.sleep(3)  # by then the kernel that does not end has been launched
    assert any("shflbench.measure.worker" in command for command in machine.processes())
    process.kill()
    assert machine.end(process).code == -9  # and all its processes are gone
    again = machine.run("endless.yaml", "--device", "cuda", "--output", "again", "--variant", "right")
    assert again.code == 0, again.err
