"""Two kernels of a file that do the same: `shflbench advise FILE` says which one is faster, and why."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

pytestmark = pytest.mark.expensive

MAIN = """
int main() {{
    float *in, *out;
    cudaMalloc(&in, {elements} * sizeof(float));
    cudaMalloc(&out, {elements} * sizeof(float));
    cudaMemset(in, 0, {elements} * sizeof(float));
    {first}<<<{launch}>>>(in, out);
    {second}<<<{launch}>>>(in, out);
}}
"""
COPY = """
__global__ void direct(const float* in, float* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + 1;
}
"""
STAGED = """
__global__ void staged(const float* in, float* out) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x] + 1;
}
"""
TRANSPOSED = """
__global__ void strided(const float* in, float* out) {
    int i = blockIdx.x * 256 + threadIdx.x, j = i % 4096 * 4096 + i / 4096;
    out[j] = in[j] + 1;
}
"""
DOUBLED = STAGED.replace("staged", "doubled").replace("+ 1", "* 3 + 2")
RACE = (
    STAGED.replace("staged", "racing")
    .replace("    __syncthreads();\n", "")
    .replace("s[threadIdx.x] + 1", "s[255 - threadIdx.x] + 1")
)
MANY = {"elements": "(4096 * 4096)", "launch": "65536, 256"}
FEW = {"elements": "1024", "launch": "4, 256"}


@pytest.fixture(autouse=True)
def _cache(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> None:
    del shflbench  # for its folder, which has no results
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))


def write(kernels: str, first: str, second: str, sizes: dict[str, str]) -> str:
    """Write a file of two kernels that the host code passes the same buffers."""
    Path("pair.cu").write_text(kernels + MAIN.format(first=first, second=second, **sizes), encoding="utf-8")
    return "pair.cu"


def comparisons(shflbench: Command, file: str) -> list[dict[str, Any]]:
    outcome = shflbench("advise", file, "--format", "json")
    assert outcome.code == 0, outcome.err
    known: list[dict[str, Any]] = json.loads(outcome.out)["comparisons"]
    return known


def test_staging_in_shared_memory_saves_nothing_where_memory_limits_both(shflbench: Command) -> None:
    file = write(COPY + STAGED, "direct", "staged", MANY)
    (pair,) = comparisons(shflbench, file)
    assert pair["kernels"] == ["direct", "staged"]
    assert pair["results"] == "equal where counted"
    assert pair["faster"] == "same"
    assert pair["ratio"] < 1.1
    assert pair["predicted_us"]["dram"] == [pytest.approx(34.1, rel=0.01)] * 2
    assert pair["different_amounts"]["requests of warps to shared memory"] == [0.0, 2 * 65536 * 8]
    text = " ".join(shflbench("advise", file).out.split())
    assert "direct and staged: which one is faster, and why? (predicted)" in text
    assert "Expect about the same time: " in text
    assert "A warp of staged executes 2 requests to shared memory and 1 barrier, one of direct none of these." in text
    assert text.endswith(".")


def test_requests_that_are_not_coalesced_are_why_a_kernel_is_slower(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, write(COPY + TRANSPOSED, "direct", "strided", MANY))
    assert pair["faster"] == "first"
    assert pair["ratio"] > 1.5
    assert "a load of a warp touches 32 sectors of 32 bytes in strided, 4 in direct" in " ".join(pair["reasons"])
    assert f"Expect strided to take {pair['ratio']:.2g}× the time of direct" in pair["sentence"]


def test_small_launches_are_both_launch_overhead(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, write(COPY + STAGED, "direct", "staged", FEW))
    assert pair["results"] == "equal"
    assert pair["limited_by"] == ["launch overhead", "launch overhead"]
    assert pair["faster"] == "same"
    assert "The launch overhead is more than the work of both" in pair["sentence"]


@pytest.mark.parametrize("sizes", [MANY, FEW])
def test_kernels_with_other_results_are_not_compared(shflbench: Command, sizes: dict[str, str]) -> None:
    assert comparisons(shflbench, write(COPY + DOUBLED, "direct", "doubled", sizes)) == []


def test_a_kernel_without_advice_is_not_compared(shflbench: Command) -> None:
    file = write(COPY + RACE, "direct", "racing", FEW)
    assert comparisons(shflbench, file) == []
    outcome = shflbench("advise", file)
    assert (outcome.code, "which one is faster" in outcome.out) == (0, False)


def test_bank_conflicts_are_why_a_transposition_is_slower(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, str(Path(__file__).parent / "worth" / "transpose.cu"))
    assert pair["kernels"] == ["conflicts", "padded"]
    assert pair["faster"] == "second"
    assert pair["limited_by"] == ["exchange", "dram"]
    assert any("conflicts has 32-way bank conflicts in line 9, so that" in reason for reason in pair["reasons"])
