"""`shflbench check` as a process, on kernels that no GPU would survive."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command, Outcome

pytestmark = pytest.mark.expensive

STORE = "    result[thread()] = x;"
PAST_THE_END = "    result[thread() + 1] = x;"
ENDLESS = f"    while (iterations >= 0) __syncthreads();\n{STORE}"
BOUNDS = "byte 1024 of the 1024 bytes of `result`"
WRITES = f"my_swap/kernels.cu:{{}} (thread 127 of block 1) writes memory out of bounds ({BOUNDS}; launch 2x128)"
STOPS = f"thread 127 of block 1 writes out of bounds: {BOUNDS} (my_swap/kernels.cu:{{}})"
RUNS_ON = "the loop at my_swap/kernels.cu:{} (thread 0 of block 0) does not terminate (launch 2x128)"
REFUSED = "there is nothing to compare with: `smem`, "


@pytest.fixture
def folder(tmp_path: Path, shflbench: Command) -> Path:
    """Return the current folder, with a first pattern, ./my_swap, whose reference is its variant `smem`."""
    shflbench("new", "my-swap")
    return tmp_path


def run(folder: Path, cache: Path, *words: str) -> Outcome:
    """Run `shflbench` in `folder`, as a shell would."""
    done = subprocess.run(
        [sys.executable, "-m", "shflbench", *words],
        cwd=folder,
        env={**os.environ, "SHFLBENCH_CACHE": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def plant(folder: Path, variant: str, fault: str) -> int:
    """Replace the store of a variant's kernel; return the line of the fault."""
    file = folder / "my_swap" / "kernels.cu"
    before, kernel, after = file.read_text(encoding="utf-8").partition(f" my_swap_{variant}(")
    assert STORE in after
    file.write_text(before + kernel + after.replace(STORE, fault, 1), encoding="utf-8")
    return (before + kernel + after.partition(STORE)[0]).count("\n") + 1


STOPPED = "1 finding: out of bounds (first in launch 2x128)"
RUNNING = "1 finding: endless loop (first in launch 2x128)"


@pytest.mark.archs
@pytest.mark.parametrize(
    ("variant", "fault", "sentence"),
    [
        pytest.param("smem", PAST_THE_END, STOPPED, id="smem writes past the end"),
        pytest.param("shfl", ENDLESS, RUNNING, id="shfl never ends"),
        pytest.param("shfl", PAST_THE_END, STOPPED, id="shfl writes past the end", marks=pytest.mark.archs),
        pytest.param("smem", ENDLESS, RUNNING, id="smem never ends", marks=pytest.mark.archs),
    ],
)
def test_a_kernel_that_stops_with_an_error_is_a_finding_at_its_line(
    folder: Path, kernel_cache: Path, variant: str, fault: str, sentence: str
) -> None:
    line = plant(folder, variant, fault)
    error = {PAST_THE_END: WRITES.format(line), ENDLESS: RUNS_ON.format(line)}[fault]
    outcome = run(folder, kernel_cache, "check", "./my_swap", "--dtype", "f32", "--variant", variant)
    assert outcome.code == 1
    assert outcome.out.splitlines()[1:] == [
        f"my-swap/{variant}  f32     broken   {sentence}",
        "",
        f"my-swap/{variant} (f32): broken",
        f"  {error}",
    ]


@pytest.mark.archs
def test_a_variant_is_not_checked_where_its_reference_stops_with_an_error(
    folder: Path, kernel_cache: Path, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = plant(folder, "smem", PAST_THE_END)
    words = ("check", "./my_swap", "--dtype", "f32")
    outcome = run(folder, kernel_cache, *words, "--variant", "shfl")
    assert outcome.code == 5
    assert f"  not checked  {REFUSED}{STOPS.format(line)}" in outcome.out
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    both = shflbench(*words)
    assert both.code == 1
    assert "1 broken, 1 not checked" in both.err


@pytest.mark.archs
def test_a_race_is_a_finding_although_there_is_nothing_to_compare_with(folder: Path, kernel_cache: Path) -> None:
    plant(folder, "smem", PAST_THE_END)
    plant(folder, "shfl", f"    volatile __shared__ T slots[1];\n    slots[0] = x;\n{STORE}\n    result[0] = slots[0];")
    outcome = run(folder, kernel_cache, "check", "./my_swap", "--dtype", "f32", "--variant", "shfl")
    assert outcome.code == 1
    assert "my-swap/shfl  f32     broken   4 findings: RAW, WAR and WAW (first in launch 2x128)" in outcome.out
