"""`shflbench bench` on kernels whose host code passes pointers into buffers, or one buffer twice."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import rows
from tests.conftest import Command

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


@pytest.mark.parametrize(("out", "in_"), [("x", "x + 1000"), ("x + 1000", "x")])
@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 5)])
def test_pointer_into_a_buffer_is_passed_as_the_host_code_has_it(
    bench: BenchCommand, out: str, in_: str, factor: str, code: int
) -> None:
    outcome = bench(doubles(out, in_), "-D", f"FACTOR={factor}")
    assert outcome.code == code, outcome.err
    assert rows()["strided"].status.value == ("verified" if code == 0 else "incorrect")


def test_kernel_that_gets_another_part_of_the_buffer_is_not_accused(bench: BenchCommand) -> None:
    """With halves swapped, it writes what the other reads, and leaves what that writes."""
    launch = "strided<<<2, 256>>>"
    text = doubles("x", "x + 1000").replace(f"{launch}(x, x + 1000,", f"{launch}(x + 1000, x,")
    outcome = bench(text, "-D", "FACTOR=2")
    assert "strided is not timed: arguments differ from those of `plain`" in outcome.err
    assert outcome.code == 0
    assert set(rows()) == {"plain"}


def test_launch_beyond_the_end_of_a_buffer_is_still_broken(bench: BenchCommand) -> None:
    """The pointer is one element further than the kernels have room for."""
    outcome = bench(doubles("x", "x + 1001"), "-D", "FACTOR=2")
    assert outcome.code == 1
    assert "plain is not timed: broken" in outcome.err


@pytest.mark.archs
def test_kernel_that_writes_beside_its_part_is_found(bench: BenchCommand) -> None:
    """Whole buffers are compared, and not only what is behind the pointer."""
    text = doubles("x + 1000", "x").replace(", 1000);", ", 900);")
    end = "blockDim.x) out[i] = 2 * in[i];"
    beside = "blockDim.x) { out[i] = 2 * in[i]; if (i == 0) out[-1] = 0; }"
    assert bench(text.replace(end, beside), "-D", "FACTOR=2").code == 5
    assert rows()["strided"].status.value == "incorrect"


def test_pattern_written_from_a_file_has_the_pointer(bench: BenchCommand, shflbench: Command) -> None:
    bench(doubles("x", "x + 1000"), "-D", "FACTOR=2")
    outcome = shflbench("new", "--from", "sums.cu", "plain", "strided", "--launch", "4x256", "-D", "FACTOR=2")
    assert outcome.code == 0, outcome.err
    (text,) = (path.read_text(encoding="utf-8") for path in Path().glob("sums*/pattern.py"))
    assert "arguments=('out', PointerInto('out', lambda at: 4000), 'n',)" in text


def test_buffer_that_the_user_gives_replaces_such_a_pointer(bench: BenchCommand) -> None:
    assert bench(doubles("x", "x + 1000"), "-D", "FACTOR=2", "--arg", "in=f32[1000]").code == 0
    assert {row.status.value for row in rows().values()} == {"verified"}


@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 5)])
def test_buffer_that_one_pointer_reads_and_another_writes_is_compared(
    bench: BenchCommand, factor: str, code: int
) -> None:
    assert bench(doubles("x", "x"), "-D", f"FACTOR={factor}").code == code
    assert rows()["strided"].status.value == ("verified" if code == 0 else "incorrect")
