"""`budget=` and `time_limit=` of the functions that check kernels."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shflbench
from shflbench.errors import TimeLimitError

LOOP = """
__global__ void sums(float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += i % 7;
    x[threadIdx.x] = sum;
}
"""
REACHED = "the budget of 0.01 million instructions was reached, no launch ended; give more with `budget=`"


def loop() -> list[object]:
    return [np.zeros(64, np.float32), 2000]


def test_a_check_ends_at_its_budget() -> None:
    result = shflbench.check(LOOP, launch="1x64", args=loop(), budget=0.01)
    assert (result.verdict, result.sentence) == ("not checked", REACHED)
    assert shflbench.check(LOOP, launch="1x64", args=loop()).verdict == "clean"


def test_a_check_ends_at_its_time_limit() -> None:
    result = shflbench.check(LOOP, launch="1x64", args=loop(), time_limit=0)
    sentence = "the time limit of 0 s was reached. Give more with `time_limit=`"
    assert (result.verdict, result.sentence) == ("not checked", sentence)


@pytest.mark.archs
def test_the_check_of_a_bench_ends_at_its_limits(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    result = shflbench.bench({"sums": LOOP}, *loop(), grid=1, block=64, device="emulator", budget=0.01)
    assert f"sums: not checked, {REACHED}." in result.text()
    with pytest.raises(TimeLimitError) as raised:
        shflbench.bench({"sums": LOOP}, *loop(), grid=1, block=64, device="emulator", time_limit=0)
    assert (raised.value.message, raised.value.option) == ("the time limit of 0 s was reached", "`time_limit=`")


@pytest.mark.archs
def test_a_program_gives_the_limits() -> None:
    call = f"shflbench.check({LOOP!r}, launch='1x64', args={{'n': 2000}}, budget=0.01, time_limit=300)"
    program = f"import shflbench; print({call}.sentence)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{REACHED}\n"
