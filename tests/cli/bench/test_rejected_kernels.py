"""`shflbench bench` on files with a kernel that leaves its work to kernels that it launches."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import SUMS, rows
from tests.conftest import Command

PARENT = """__global__ void parent(float* out, const float* in, int n) {
    sums_smem<<<gridDim.x, blockDim.x>>>(out, in, n);
}
int main() {"""
KERNELS = SUMS.replace("int main() {", PARENT)
SENTENCE = (
    "parent is not timed: sums.cu:34: device code launches a kernel: what `parent` leaves to it is neither checked"
)


def test_other_kernels_are_compared(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--no-check")
    assert outcome.code == 1
    assert SENTENCE in outcome.err
    assert {name: row.status.value for name, row in rows().items()} == {
        "sums_smem": "verified",
        "sums_shfl": "verified",
    }


@pytest.mark.parametrize(
    "words", [("--kernel", "parent"), ("--kernel", "parent", "--arg", "n=5"), ("--reference", "parent")]
)
def test_such_a_kernel_that_is_named_is_refused(bench: BenchCommand, words: tuple[str, ...]) -> None:
    outcome = bench(KERNELS, "--no-check", *words)
    assert outcome.code == 1, outcome.err
    assert SENTENCE in outcome.err
    assert Path("run").exists() == (words[0] == "--reference")


@pytest.mark.archs
def test_such_a_kernel_of_the_new_file_is_refused(bench: BenchCommand, shflbench: Command) -> None:
    del bench  # for the machine
    Path("before.cu").write_text(KERNELS.replace("sums_smem<<<gridDim.x, blockDim.x>>>(out, in, n);", ""))
    Path("sums.cu").write_text(KERNELS)
    outcome = shflbench("bench", "before.cu", "sums.cu", "--output", "run", "--no-check")
    assert outcome.code == 1
    assert SENTENCE in outcome.err
    assert "only in before.cu" not in outcome.err


def test_new_refuses_such_a_kernel_by_its_name(bench: BenchCommand, shflbench: Command) -> None:
    del bench
    Path("sums.cu").write_text(KERNELS)
    outcome = shflbench("new", "--from", "sums.cu", "sums_smem", "parent")
    assert outcome.code == 2
    assert "what `parent` leaves to it is neither checked nor timed" in outcome.err
    assert not Path("sums.yaml").exists()
    assert shflbench("new", "--from", "sums.cu").code == 0
