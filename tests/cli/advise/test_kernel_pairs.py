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
WIDE = """
__global__ void wide(const float* in, float* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i % 4 == 0) {
        float4 v = ((const float4*)in)[i / 4];
        ((float4*)out)[i / 4] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    }
}
"""
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


@pytest.mark.archs
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


@pytest.mark.archs
def test_requests_that_are_not_coalesced_are_why_a_kernel_is_slower(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, write(COPY + TRANSPOSED, "direct", "strided", MANY))
    assert pair["faster"] == "first"
    assert pair["ratio"] > 1.5
    assert "a load of a warp touches 32 sectors of 32 bytes in strided, 4 in direct" in " ".join(pair["reasons"])
    assert f"Expect strided to take {pair['ratio']:.2g}× the time of direct" in pair["sentence"]


@pytest.mark.archs
def test_small_launches_are_both_launch_overhead(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, write(COPY + STAGED, "direct", "staged", FEW))
    assert pair["results"] == "equal"
    assert pair["limited_by"] == ["launch overhead", "launch overhead"]
    assert pair["faster"] == "same"
    assert "The launch overhead is more than the work of both" in pair["sentence"]


@pytest.mark.archs
@pytest.mark.parametrize("sizes", [MANY, FEW])
def test_kernels_with_other_results_are_not_compared(shflbench: Command, sizes: dict[str, str]) -> None:
    assert comparisons(shflbench, write(COPY + DOUBLED, "direct", "doubled", sizes)) == []


def test_a_kernel_without_advice_is_not_compared(shflbench: Command) -> None:
    file = write(COPY + RACE, "direct", "racing", FEW)
    assert comparisons(shflbench, file) == []
    outcome = shflbench("advise", file)
    assert (outcome.code, "which one is faster" in outcome.out) == (0, False)


@pytest.mark.archs
def test_bank_conflicts_are_why_a_transposition_is_slower(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, str(Path(__file__).parent / "worth" / "transpose.cu"))
    assert pair["kernels"] == ["conflicts", "padded"]
    assert pair["faster"] == "second"
    assert pair["limited_by"] == ["exchange", "dram"]
    assert any("conflicts has 32-way bank conflicts in line 9, so that" in reason for reason in pair["reasons"])


@pytest.mark.archs
def test_wider_loads_are_not_said_to_find_their_bytes_in_a_cache(shflbench: Command) -> None:
    (pair,) = comparisons(shflbench, write(COPY + WIDE, "direct", "wide", MANY))
    assert not any("cache" in reason for reason in pair["reasons"])


@pytest.mark.archs
def test_a_launch_that_leaves_multiprocessors_empty_has_no_known_order(shflbench: Command) -> None:
    loop = "    for (int k = 0; k < 4096; ++k) x = x * x + 1;\n"
    kernels = [
        COPY.replace("direct", name).replace("    out[i] = in[i] + 1;", f"    float x = in[i];\n{loop}    out[i] = x;")
        for name in ("one", "other")
    ]
    (pair,) = comparisons(shflbench, write("".join(kernels), "one", "other", FEW))
    assert pair["faster"] == "unknown"
    assert "Which one is faster is not known" in pair["sentence"]


def test_a_kernel_with_one_more_buffer_does_not_do_the_same(shflbench: Command) -> None:
    counting = COPY.replace("direct(const float* in, float* out)", "counting(const float* in, float* out, int* count)")
    counting = counting.replace("in[i] + 1;", "in[i] + 1;\n    if (in[i] > 5) atomicAdd(count, 1);")
    file = Path(write(COPY + counting, "direct", "counting", FEW))
    text = file.read_text(encoding="utf-8")
    text = text.replace("counting<<<4, 256>>>(in, out)", "counting<<<4, 256>>>(in, out, count)")
    text = text.replace("float *in, *out;", "int* count;\n    float *in, *out;\n    cudaMalloc(&count, 4);")
    file.write_text(text, encoding="utf-8")
    assert comparisons(shflbench, file.name) == []
