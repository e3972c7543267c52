"""Sizes of sequences that follow numbers of the host code: `--kernel partial+final --arg size=1e6,1e7`."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_sequences import FUNCTION, TWO_STEPS
from tests.conftest import Command

QUICK = ("--device", "none", "--no-check")
SEQUENCES = pytest.mark.parametrize("sequence", ["partial+final", FUNCTION])
OF_VARIABLE = TWO_STEPS.replace("const int n = 10000;", "const int size = 10000, n = size;")
IN_LOOP = TWO_STEPS.replace("const int n = 10000;", "for (int n : {1000, 5000}) {").replace(
    "    cudaDev", "    } cudaDev"
)
OF_WORD = TWO_STEPS.replace("main()", "main(int argc, char** argv)").replace(
    "n = 10000;", "n = argc > 1 ? atoi(argv[1]) : 1000000;"
)
ONE_NAME = TWO_STEPS.replace("int count)", "int n)").replace("i < count;", "i < n;")  # of different numbers
LOOP_OF_STEPS = """
__global__ void add(float* x, int step) { x[threadIdx.x] += step; }
void add_all(float* x) {
    for (int step : {1, 2, 4}) add<<<1, 32>>>(x, step);
}
int main() {
    float* x;
    cudaMalloc(&x, 128);
    add_all(x);
}
"""


def timed(bench: BenchCommand, text: str, sequence: str, *words: str) -> tuple[list[str], list[str]]:
    """Return the ends of the case ids of a sequence, and the inputs of the kernels at each size."""
    outcome = bench(text, *QUICK, "--kernel", sequence, "--kernel", "single", *words)
    assert outcome.code == 0, outcome.err
    variant = "partial-final" if "+" in sequence else FUNCTION
    cases = [row.case_id.rpartition("/")[2] for row in read_run(Path("run")).rows if row.variant == variant]
    inputs = [line.partition("in = ")[2].partition(",")[0] for line in outcome.err.splitlines() if " in = " in line]
    return cases, inputs


@pytest.mark.archs
@SEQUENCES
def test_variable_of_the_host_code_is_a_size(bench: BenchCommand, sequence: str) -> None:
    expected = (["size=1000", "size=5000"], ["f32[1000]", "f32[5000]"])
    assert timed(bench, OF_VARIABLE, sequence, "--arg", "size=1000,5000") == expected


@SEQUENCES
def test_each_number_of_a_loop_is_a_size(bench: BenchCommand, sequence: str) -> None:
    assert timed(bench, IN_LOOP, sequence) == (["n=1000", "n=5000"], ["f32[1000]", "f32[5000]"])


def test_loop_inside_the_function_is_part_of_the_sequence(bench: BenchCommand) -> None:
    outcome = bench(LOOP_OF_STEPS, *QUICK, "--kernel", "add_all")
    assert outcome.code == 0, outcome.err
    assert {row.case_id.rpartition("/")[2] for row in read_run(Path("run")).rows} == {"1"}


@pytest.mark.archs
@SEQUENCES
def test_program_with_an_optional_word_has_its_default(bench: BenchCommand, sequence: str) -> None:
    assert timed(bench, OF_WORD, sequence) == (["1"], ["f32[1000000]"])


@pytest.mark.archs
@SEQUENCES
def test_given_number_is_not_that_of_a_kernel_which_gets_another(bench: BenchCommand, sequence: str) -> None:
    outcome = bench(ONE_NAME, "--kernel", sequence, "--kernel", "single", "--arg", "n=1000")
    assert outcome.code == 0, outcome.err
    assert "n_of_final = 16 (from the host code)" in outcome.err


@pytest.mark.archs
def test_sequences_with_other_instances_are_compared(bench: BenchCommand, shflbench: Command) -> None:
    del bench  # for the machine
    kernels, host = TWO_STEPS.split("__global__ void final")
    template = kernels.replace("__global__", "template <int N> __global__").replace("256", "N")
    for name, count in (("old.cu", 256), ("new.cu", 128)):
        text = host.replace("partial<<<blocks, 256>>>", f"partial<{count}><<<blocks, {count}>>>")
        Path(name).write_text(f"{template}__global__ void final{text}", encoding="utf-8")
    outcome = shflbench("bench", "old.cu", "new.cu", *QUICK, "--output", "run", "--kernel", "partial+final")
    assert outcome.code == 0, outcome.err
    assert "new: old is partial<256>+final, new is partial<128>+final.\n" in outcome.err
