"""`shflbench check` on kernels that macros define."""

from pathlib import Path

import pytest

from tests.conftest import Command

SHIFT = """
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
KERNEL(shift, float *x, int n) { x[threadIdx.x + 1] = n; }
int main() {
    float *x;
    cudaMalloc(&x, 256);
    shift<<<1, 64>>>(x, 5);
}
"""


@pytest.mark.archs
def test_launch_of_such_a_kernel_is_checked(process: Command) -> None:
    Path("shift.cu").write_text(SHIFT, encoding="utf-8")
    outcome = process("check", "shift.cu")
    assert outcome.code == 1, outcome.err
    assert "writes memory out of bounds (byte 256 of the 256 bytes of `x`; launch 1x64)" in outcome.out
