"""Patterns whose reference is a variant, checked from a user's folder."""

from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command

FIRST_BARRIER = "        __syncthreads();  // all threads have written: slots may be read\n"


@pytest.fixture
def check(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    shflbench("new", "my-swap")
    return lambda *words: shflbench("check", "./my_swap", "--dtype", "f32", *words)


def edit(file: str, was: str, now: str) -> None:
    path = Path("my_swap", file)
    text = path.read_text(encoding="utf-8")
    assert was in text
    path.write_text(text.replace(was, now), encoding="utf-8")


def test_the_reference_is_run_although_a_filter_leaves_it_out(check: Command) -> None:
    outcome = check("--variant", "shfl")
    assert outcome.code == 0
    assert "the same as `smem` under all 10 schedules; no hazard" in outcome.out
    assert "my-swap/smem" not in outcome.out


def test_a_variant_with_another_result_is_broken(check: Command) -> None:
    edit("kernels.cu", "mix(x, shfl(x, left))", "mix(x, shfl(x, (left + 1) % WARP))")
    outcome = check()
    assert outcome.code == 1
    assert "deterministic under all 10 schedules; no hazard" in outcome.out
    assert "wrong under all 10 schedules" in outcome.out


@pytest.mark.archs
def test_a_racy_reference_is_broken(check: Command) -> None:
    edit("kernels.cu", FIRST_BARRIER, "")
    edit("pattern.py", '"BAR": 2', '"BAR": 1')
    outcome = check("--variant", "smem")
    assert outcome.code == 1
    assert "RAW, WAR and uninitialized read: my_swap/kernels.cu:16 (thread " in outcome.out
    assert " reads what my_swap/kernels.cu:15 (thread " in outcome.out


def test_a_reference_that_does_not_compile_leaves_the_others_unchecked(check: Command) -> None:
    edit("kernels.cu", "slots[mine] = x;", "slots[mine] = y;")
    outcome = check("--variant", "shfl")
    assert outcome.code == 5
    assert "there is nothing to compare with: `smem`, my_swap_smem<float> for sm_90 does not compile" in outcome.out


def test_kernels_for_one_block_size_are_checked_with_it(check: Command) -> None:
    edit("pattern.py", "    variants=(", "    blocks=(256,),\n    variants=(")
    outcome = check("--variant", "shfl")
    assert outcome.code == 0
    assert "2x256 threads" in outcome.out + outcome.err
