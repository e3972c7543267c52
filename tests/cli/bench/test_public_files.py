"""`shflbench bench FILE` on files as public repositories have them: their headers, builds, and sizes of blocks."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import LARGE_SUMS, rows


@pytest.mark.archs
@pytest.mark.parametrize("header", ["cuda.h", "cuda_occupancy.h"])
def test_file_may_include_headers_of_cuda_that_include_those_of_the_host(bench: BenchCommand, header: str) -> None:
    outcome = bench(f"#include <{header}>\n{LARGE_SUMS}", "--no-check")
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"verified"}


BLOCK_SIZES = """
__global__ void by_thread(float* out, const float* in) {
    extern __shared__ float part[];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}
__global__ void by_row(float* out, const float* in) {
    int thread = threadIdx.y * 32 + threadIdx.x, first = blockIdx.x * blockDim.y * 32;
    out[first + thread] = in[first + blockDim.y * 32 - 1 - thread];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 2048 * sizeof(float));
    cudaMalloc(&out, 2048 * sizeof(float));
    cudaMemset(in, 1, 2048 * sizeof(float));
    for (int size = 64; size <= 256; size *= 4) {
        by_thread<<<2048 / size, size, size * sizeof(float)>>>(out, in);
        by_row<<<2048 / size, dim3(32, size / 32)>>>(out, in);
    }
}
"""


@pytest.mark.archs
def test_block_sizes_are_groups_also_if_shared_memory_and_dimensions_differ(bench: BenchCommand) -> None:
    outcome = bench(BLOCK_SIZES)
    assert outcome.code == 0, outcome.err
    assert {
        (row.launch, row.variant, row.grid, row.shared_bytes, row.status.value) for row in read_run(Path("run")).rows
    } == {
        ("own:dims x 64", "by_thread", 32, 256, "verified"),
        ("own:dims x 64", "by_row", 32, 0, "verified"),
        ("own:dims x 256", "by_thread", 8, 1024, "verified"),
        ("own:dims x 256", "by_row", 8, 0, "verified"),
    }


@pytest.mark.archs
def test_program_gets_the_command_line_of_its_makefile_in_full(bench: BenchCommand) -> None:
    large = 1 << 15  # rows, more than the check alone takes of a Makefile
    text = LARGE_SUMS.replace("int main() {", "int main(int argc, char** argv) {").replace(
        "rows = 64", "rows = atoi(argv[1])"
    )
    assert "atoi" in text
    Path("Makefile").write_text(f"run: sums\n\t./sums {large}\n", encoding="utf-8")
    outcome = bench(text, "--no-check", "--device", "none")
    assert outcome.code == 0, outcome.err
    assert f"sums.cu: its Makefile runs the program with `{large}`." in outcome.err
    assert {row.grid for row in rows().values()} == {large}
    assert bench(text, "--no-check", "--device", "none", "--host-args", "8", "--output", "given").code == 0
    assert {row.grid for row in read_run(Path("given")).rows} == {8}


def test_kernel_that_the_short_check_did_not_finish_is_timed_and_named(bench: BenchCommand) -> None:
    outcome = bench(LARGE_SUMS, "--device", "none", "--budget", "0")
    assert outcome.code == 0, outcome.err
    reached = "sums_smem: not checked, the budget of 0 million instructions was reached before it ran"
    assert f"{reached}; give more with --budget, or choose kernels with --kernel\n" in outcome.err


EXACT_SINE = 16  # registers, at least: it reduces large arguments
SINES = """
__global__ void sines(float* out, const float* in) { out[threadIdx.x] = sinf(in[threadIdx.x]); }
int main() {
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float));
    sines<<<1, 32>>>(out, in);
}
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("recipe", "words", "is_fast"),
    [
        ("", ("--use-fast-math",), True),
        ("", (), False),
        ("FLAGS = -O3 --use_fast_math\n%: %.cu\n\tnvcc $(FLAGS) $< -o $@\n", (), True),
        ("%: %.cu\n\tnvcc -use_fast_math $< -o $@\n", (), True),
        ("%: %.cu\n\tnvcc -use_fast_math $< -o $@\n", ("--no-use-fast-math",), False),
        ("FLAGS = -O3 --use_fast_math\n%: %.cu\n\tnvcc $< -o $@\n", (), False),
    ],
)
def test_fast_math_is_that_of_nvcc(bench: BenchCommand, recipe: str, words: tuple[str, ...], *, is_fast: bool) -> None:
    Path("Makefile").write_text(recipe, encoding="utf-8")
    outcome = bench(SINES, *words, "--device", "none")
    assert outcome.code == 0, outcome.err
    (row,) = read_run(Path("run")).rows
    assert ((row.registers or 0) < EXACT_SINE) == is_fast
    assert ("sums.cu: its Makefile compiles it with --use_fast_math." in outcome.err) == (is_fast and not words)


GATHER = """
__global__ void gather(float* out, const float* table, const int* index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[index[i]];
}
int main() {
    float *table, *out;
    int* index;
    cudaMalloc(&table, 4096 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    cudaMalloc(&index, 64 * sizeof(int));
    gather<<<2, 32>>>(out, table, index);
}
"""


@pytest.mark.archs
def test_chosen_indices_are_a_warning_because_times_depend_on_them(bench: BenchCommand) -> None:
    outcome = bench(GATHER, "--device", "none")
    assert outcome.code == 0, outcome.err
    warnings = [line for line in outcome.err.splitlines() if "times depend" in line]
    assert len(warnings) == 1
    assert "contents of `index` are indices" in warnings[0]
    assert "--arg index=FILE.npy" in warnings[0]
    assert "times depend" not in bench(GATHER, "--device", "none", "--arg", "index=i32[64]:index", "--output", "a").err
    of_floats = GATHER.replace("const int* index", "const float* index").replace("int* index", "float* index")
    of_floats = of_floats.replace("table[index[i]]", "table[(int)index[i]]")
    assert "times depend" not in bench(of_floats, "--device", "none", "--no-check", "--output", "b").err
