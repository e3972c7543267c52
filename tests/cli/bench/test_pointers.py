"""`shflbench bench` on kernels whose host code passes pointers into buffers, or one buffer twice."""

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import rows

DOUBLES = """
__global__ void plain(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = FACTOR * in[i];
}
__global__ void strided(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];
}
int main() {
    float* x;
    cudaMalloc(&x, 2000 * sizeof(float));
    plain<<<4, 256>>>(OUT, IN, 1000);
    strided<<<2, 256>>>(OUT, IN, 1000);
}
"""


def doubles(out: str, in_: str) -> str:
    """Return the text with these pointers as arguments of both launches."""
    return DOUBLES.replace("OUT", out).replace("IN", in_)


@pytest.mark.parametrize(
    ("out", "in_", "where"),
    [
        ("x", "x + 1000", "`in` points into the middle of the buffer of `out`; give --arg in=f32[COUNT]"),
        ("x + 1000", "x", "`out` points into the middle of its buffer; give --arg out=f32[COUNT]"),
    ],
)
def test_pointer_into_a_buffer_is_refused_with_the_parameter(
    bench: BenchCommand, out: str, in_: str, where: str
) -> None:
    outcome = bench(doubles(out, in_), "-D", "FACTOR=2")
    assert outcome.code == 2
    assert f"plain is not timed: its parameter {where}" in outcome.err


def test_buffer_that_the_user_gives_replaces_such_a_pointer(bench: BenchCommand) -> None:
    assert bench(doubles("x", "x + 1000"), "-D", "FACTOR=2", "--arg", "in=f32[1000]").code == 0
    assert {row.status.value for row in rows().values()} == {"verified"}


@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 5)])
def test_buffer_that_one_pointer_reads_and_another_writes_is_compared(
    bench: BenchCommand, factor: str, code: int
) -> None:
    assert bench(doubles("x", "x"), "-D", f"FACTOR={factor}").code == code
    assert rows()["strided"].status.value == ("verified" if code == 0 else "incorrect")
