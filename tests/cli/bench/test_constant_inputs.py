"""`shflbench bench` where the host code fills inputs with one number, for which many wrong kernels are right."""

import re

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import IN_PLACE, LARGE_SUMS, rows
from tests.cli.bench.test_cheats import ADDS

SUMS = LARGE_SUMS.replace("rows = 64, n = 1024", "rows = 4, n = 64")
FILL = "cudaMemset(in, 0, rows * n * sizeof(float));"
COPY = """float* host = (float*)malloc(rows * n * sizeof(float));
    for (int i = 0; i < rows * n; ++i) host[i] = 0;
    cudaMemcpy(in, host, rows * n * sizeof(float), cudaMemcpyHostToDevice);"""
WRONG_WITH_OTHERS = re.compile(r"with varied contents of `in`, element \d+ is \S+, not")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", ["float", "int", "__half"])
@pytest.mark.parametrize("fill", [FILL, COPY], ids=["memset", "copied"])
def test_wrong_sum_of_zeros_is_an_error(bench: BenchCommand, fill: str, element: str) -> None:
    text = "#include <cuda_fp16.h>\n" + SUMS.replace(FILL, fill).replace("float", element)
    outcome = bench(text.replace("offset > 0", "offset > 1"), "--no-check")
    assert outcome.code == 5, outcome.err
    assert WRONG_WITH_OTHERS.search(rows()["sums_shfl"].reason or "")


def test_right_sum_of_zeros_is_verified(bench: BenchCommand) -> None:
    assert bench(SUMS, "--no-check").code == 0
    assert {row.status.value for row in rows().values()} == {"verified"}


@pytest.mark.parametrize(("step", "code"), [("1", 0), ("x[i] + 1", 5)])
def test_array_of_zeros_that_kernels_work_on_in_place_is_replaced(bench: BenchCommand, step: str, code: int) -> None:
    zeros = IN_PLACE.replace("add_one<<<", "cudaMemset(x, 0, 1000 * sizeof(float));\n    add_one<<<", 1)
    assert bench(zeros, "-D", f"STEP={step}", "--no-check").code == code


LOGARITHMS = """
__global__ void plain(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = logf(in[i]);
}
__global__ void scaled(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * logf(FACTOR * in[i] * in[i]);
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 100 * sizeof(float));
    cudaMalloc(&out, 100 * sizeof(float));
    cudaMemset(in, 0, 100 * sizeof(float));
    plain<<<1, 128>>>(out, in, 100);
    scaled<<<1, 128>>>(out, in, 100);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(("factor", "code"), [("1", 0), ("2", 5)])
def test_inputs_without_finite_results_are_replaced_by_positive_ones(
    bench: BenchCommand, factor: str, code: int
) -> None:
    outcome = bench(LOGARITHMS, "-D", f"FACTOR={factor}", "--no-check")
    assert outcome.code == code, outcome.err


COUNTS = """
__global__ void count(int* bins, const int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1);
}
__global__ void count_zeros(int* bins, const int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[0 * data[i]], 1);
}
int main() {
    int *bins, *data;
    cudaMalloc(&bins, 4 * sizeof(int));
    cudaMalloc(&data, 100 * sizeof(int));
    cudaMemset(bins, 0, 4 * sizeof(int));
    cudaMemset(data, 0, 100 * sizeof(int));
    count<<<1, 128>>>(bins, data, 100);
    count_zeros<<<1, 128>>>(bins, data, 100);
}
"""


@pytest.mark.archs
def test_indices_keep_their_values_with_a_warning(bench: BenchCommand) -> None:
    outcome = bench(COUNTS, "--no-check")
    assert outcome.code == 0, outcome.err
    assert (
        "all elements of `data` are equal, and because of indices results cannot be compared for others" in outcome.err
    )
    assert "--arg data=FILE.npy" in outcome.err


GATHER = COUNTS.replace("int n)", "int n, const float* values, float* out)").replace("100);", "100, values, out);")
GATHER = re.sub(r"atomicAdd\(&bins\[(.*?)\], 1\)", r"out[i] = FACTOR * values[\1]", GATHER)
GATHER = GATHER.replace("int *bins", "float *values, *out; int *bins").replace("cudaMemset(bins", "cudaMemset(values")
GATHER = GATHER.replace(
    "cudaMalloc(&bins", "cudaMalloc(&values, 16); cudaMalloc(&out, 400);\n    cudaMalloc(&bins"
).replace("__global__ void count_zeros", "#undef FACTOR\n#define FACTOR 2\n__global__ void count_zeros")


@pytest.mark.archs
@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 5)])
def test_values_at_indices_are_replaced(bench: BenchCommand, factor: str, code: int) -> None:
    outcome = bench(GATHER, "-D", f"FACTOR={factor}")
    assert outcome.code == code, outcome.err
    assert "all elements of" not in outcome.err


@pytest.mark.archs
def test_sum_that_is_added_to_zeros_or_written_is_no_error(bench: BenchCommand) -> None:
    zeros = ADDS.replace("cudaMemset(out", "cudaMemset(in, 0, 1000 * sizeof(float));\n    cudaMemset(out")
    plain_sum = (
        "if (blockIdx.x == 0 && threadIdx.x == 0) { sum = 0; for (int i = 0; i < n; ++i) sum += in[i]; *out = sum; }"
    )
    assert bench(zeros.replace("atomicAdd(out, sum);", plain_sum), "--no-check").code == 0


SCATTER = """
__global__ void plain(float* out, const float* in, const int* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[to[i]] = FACTOR * in[i];
}
__global__ void reversed(float* out, const float* in, const int* to, int n) {
    int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= 0) out[to[i]] = 2 * in[i];
}
int main() {
    float *in, *out;
    int *to, host[100];
    cudaMalloc(&in, 100 * sizeof(float));
    cudaMalloc(&out, 100 * sizeof(float));
    cudaMalloc(&to, 100 * sizeof(int));
    cudaMemset(in, 0, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) host[i] = PLACE;
    cudaMemcpy(to, host, 100 * sizeof(int), cudaMemcpyHostToDevice);
    plain<<<4, 32>>>(out, in, to, 100);
    reversed<<<4, 32>>>(out, in, to, 100);
}
"""


@pytest.mark.parametrize(("factor", "code"), [("2", 0), ("3", 5)])
def test_values_at_distinct_places_are_replaced(bench: BenchCommand, factor: str, code: int) -> None:
    outcome = bench(SCATTER, "-D", f"FACTOR={factor}", "-D", "PLACE=i * 3 % 100", "--no-check")
    assert outcome.code == code, outcome.err
    assert "all elements of" not in outcome.err


@pytest.mark.parametrize("place", ["0", "i % 3"])
def test_values_of_which_the_last_one_stays_are_not_replaced(bench: BenchCommand, place: str) -> None:
    outcome = bench(SCATTER, "-D", "FACTOR=2", "-D", f"PLACE={place}", "--no-check")
    assert outcome.code == 0, outcome.err
    assert "all elements of `in` are equal, and because of indices" in outcome.err
