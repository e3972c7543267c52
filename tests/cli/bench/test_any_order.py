"""`shflbench bench --any-order`: kernels whose results come in different orders."""

from pathlib import Path

import pytest

from shflbench import bench as python_bench
from shflbench.errors import UsageError
from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand

KEEP = """
__global__ void keep(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
__global__ void keep_backwards(const int* in, int* out, int* count, int n) {
    int i = n - 1 - blockIdx.x * blockDim.x - threadIdx.x;
    if (i >= 0 && in[i] > 0) out[atomicAdd(count, 1)] = in[i] + WRONG;
}
int main() {
    int host[128], *in, *out, *count;
    for (int i = 0; i < 128; ++i) host[i] = i % 3 ? i : -i;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMalloc(&count, sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    keep<<<2, 64>>>(in, out, count, 128);
    keep_backwards<<<2, 64>>>(in, out, count, 128);
}
"""
IN_ANY_ORDER = ("--no-check", "--define", "WRONG=0", "--any-order", "out")


def statuses(folder: str = "run") -> list[str]:
    return [row.status.value for row in read_run(Path(folder)).rows]


@pytest.mark.archs
def test_results_in_another_order_agree_with_the_option_only(bench: BenchCommand) -> None:
    outcome = bench(KEEP, *IN_ANY_ORDER)
    assert outcome.code == 0, outcome.err
    assert statuses() == ["verified", "verified"]
    ordered = bench(KEEP, *IN_ANY_ORDER[:3], "--output", "ordered")
    assert ordered.code == 5
    assert "the reference gives another result the second time" in ordered.err
    assert "(`bench` has --any-order for that)" in ordered.err


def test_other_values_differ_in_any_order(bench: BenchCommand) -> None:
    outcome = bench(KEEP, "--no-check", "--define", "WRONG=(i == 50)", "--any-order", "out")
    assert outcome.code == 5
    assert statuses() == ["verified", "incorrect"]


@pytest.mark.parametrize("name", ["in", "result"])
def test_name_of_no_output_is_an_error_that_lists_them(bench: BenchCommand, name: str) -> None:
    outcome = bench(KEEP, *IN_ANY_ORDER[:3], "--any-order", name)
    assert outcome.code == 2
    assert f"the kernels write no buffer `{name}`" in outcome.err
    assert "The buffers that they write: out, count" in outcome.err


@pytest.mark.archs
def test_python_has_the_same_argument(bench: BenchCommand) -> None:
    del bench  # which unplugs every GPU
    kernels = {name: (KEEP, name) for name in ("keep", "keep_backwards")}
    assert python_bench(kernels, define=["WRONG=0"], any_order=["out"], check=False).agree
    assert not python_bench(kernels, define=["WRONG=0"], check=False).agree
    with pytest.raises(UsageError, match="no buffer `result`"):
        python_bench(kernels, define=["WRONG=0"], any_order=["result"], check=False)
