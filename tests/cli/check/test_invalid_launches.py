"""Launches that no GPU accepts: an error with the reason, and nothing runs for them."""

from pathlib import Path

import pytest

from shflbench.checker.inputs.launch_rules import COOPERATIVE, RAISE_LIMIT
from tests.cli.check.conftest import CheckText
from tests.conftest import Command

KERNELS = """\
__global__ void plain(int *out) { out[threadIdx.x] = 1; }
__global__ void __launch_bounds__(96) bounded(int *out) { out[threadIdx.y * blockDim.x + threadIdx.x] = 1; }
__global__ void tile(int *out) {
    __shared__ int a[1024];
    extern __shared__ int b[];
    a[threadIdx.x] = b[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = a[63 - threadIdx.x] + b[63 - threadIdx.x];
}
"""
# Apart, because the header takes a second to compile.
KERNELS_OF_A_GRID = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void waits(int *out) {
    auto grid = cg::this_grid();
    out[grid.thread_rank()] = 1;
    grid.sync();
    if (blockIdx.x == 0) out[threadIdx.x] = out[threadIdx.x + blockDim.x];
}
__global__ void ranks(int *out) { out[cg::this_grid().thread_rank()] = 1; }
"""
HOST = "int main(int argc, char **argv) { int *d; cudaMalloc(&d, 4096 * sizeof(int)); LAUNCH }\n"
RAISED = "cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000); "
BY_CONFIGURATION = (
    "cudaLaunchAttribute a = {cudaLaunchAttributeCooperative, {.cooperative = VALUE}}; "
    "cudaLaunchConfig_t config = {2, 64, 0, 0, &a, 1}; cudaLaunchKernelEx(&config, waits, d);"
)


def with_launch(launch: str) -> str:
    kernels = KERNELS_OF_A_GRID if "waits" in launch or "ranks" in launch else KERNELS
    return kernels + HOST.replace("LAUNCH", launch)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        ("plain<<<1, 2000>>>(d);", "2000 threads per block exceed the limit of 1024"),
        ("plain<<<argc, 2000>>>(d);", "2000 threads per block exceed the limit of 1024"),
        ("bounded<<<1, 97>>>(d);", "97 threads per block exceed the 96 of the kernel's `__launch_bounds__`"),
        ("plain<<<1, dim3(1, 1, 65)>>>(d);", "65 threads of a block along z exceed the limit of 64"),
        ("plain<<<1, 0>>>(d);", "a block has no threads"),
        ("plain<<<0, 64>>>(d);", "the grid has no blocks"),
        ("const int n = 100; plain<<<n / 256, 64>>>(d);", "the grid has no blocks"),
        ("plain<<<dim3(1, 65536), 64>>>(d);", "65536 blocks along y exceed the limit of 65535"),
        ("tile<<<1, 64, 300000>>>(d);", "304096 bytes of shared memory per block exceed the 232448 of sm_90"),
        (RAISED + "tile<<<1, 64, 229000>>>(d);", "233096 bytes of shared memory per block exceed the 232448 of sm_90"),
        (
            "tile<<<1, 64, 45060>>>(d);",
            f"49156 bytes of shared memory per block exceed the 49152 that are allowed without {RAISE_LIMIT}",
        ),
        (f"/* {RAISED} */ tile<<<1, 64, 45060>>>(d);", "49156 bytes of shared memory"),
        ("waits<<<2, 64>>>(d);", f"`grid.sync()` needs a launch by {COOPERATIVE}"),
        ("plain<<<0, 2000>>>(d);", "the grid has no blocks and 2000 threads per block exceed the limit of 1024"),
    ],
)
def test_a_launch_that_no_gpu_accepts_is_an_error_with_its_line_and_reason(
    check_text: CheckText, launch: str, reason: str
) -> None:
    name = launch.removeprefix("/* ").removesuffix(";").rpartition("<<<")[0].split()[-1]
    text = with_launch(launch)
    report = check_text(text, "--kernel", name)
    assert (report.code, report.verdict, report.kinds) == (1, "broken", ["invalid launch"])
    (finding,) = report.kernel["findings"]
    assert finding["line"] == text.count("\n")
    assert finding["detail"].startswith(reason)
    assert f"k.cu:{finding['line']}: {reason}" in report.sentence
    assert not report.kernel["launches"]


@pytest.mark.parametrize(
    ("kernel", "launch"),
    [
        ("bounded", "bounded<<<1, dim3(48, 2)>>>(d);"),
        ("plain", "plain<<<(argc + 255) / 256, 64>>>(d);"),
        ("plain", "int n = 0; if (argc > 1) n = 1; plain<<<n, 64>>>(d);"),
        ("plain", "int n = 0; cudaGetDeviceCount(&n); plain<<<n, 64>>>(d);"),
        ("tile", "tile<<<1, 64, 45056>>>(d);"),
        ("tile", RAISED + "tile<<<1, 64, 50000>>>(d);"),
        ("waits", "void *a[] = {&d}; cudaLaunchCooperativeKernel((void *)waits, dim3(2), dim3(64), a);"),
        ("waits", BY_CONFIGURATION.replace("VALUE", "1")),
        ("waits", BY_CONFIGURATION.replace("VALUE", "argc")),
        ("ranks", "ranks<<<2, 64>>>(d);"),
    ],
)
def test_launches_within_the_limits_run(check_text: CheckText, kernel: str, launch: str) -> None:
    report = check_text(with_launch(launch), "--kernel", kernel)
    assert (report.code, report.verdict) == (0, "clean")
    assert report.kernel["launches"]


def test_valid_launches_of_the_same_kernel_still_run(check_text: CheckText) -> None:
    racing = "__global__ void f(int *out) { out[0] = threadIdx.x; }\n"
    report = check_text(racing + HOST.replace("LAUNCH", "f<<<1, 64>>>(d); f<<<1, 2000>>>(d);"))
    assert (report.code, report.kinds) == (1, ["invalid launch", "WAW"])
    assert [launch["launch"] for launch in report.kernel["launches"]] == ["1x64"]
    assert report.sentence.startswith("2 findings: invalid launch (k.cu:2: 2000 threads per block")
    assert report.sentence.endswith("; WAW (first in launch 1x64)")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--launch", "1x97"), "97 threads per block exceed the 96 of the kernel's `__launch_bounds__`"),
        (("--launch", "1x64", "--shared", "300000"), "300000 bytes of shared memory per block exceed"),
    ],
)
def test_a_given_launch_that_no_gpu_accepts_is_a_usage_error(
    shflbench: Command, words: tuple[str, ...], reason: str
) -> None:
    Path("k.cu").write_text(KERNELS, encoding="utf-8")
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "--kernel", "bounded", *words)
    assert outcome.code == 2
    assert reason in outcome.err


def test_a_block_that_the_kernel_does_not_require_is_invalid(shflbench: Command) -> None:
    body = "{ ret; }"
    Path("k.ptx").write_text(
        f".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() .reqntid 32, 2, 1 {body}\n",
        encoding="utf-8",
    )
    outcome = shflbench("check", "k.ptx", "--launch", "1x64")
    assert outcome.code == 2
    assert "the kernel requires blocks of 32x2 threads, not 64" in outcome.err


def test_a_launch_that_is_not_cooperative_by_its_attribute_cannot_wait_for_its_grid(check_text: CheckText) -> None:
    report = check_text(with_launch(BY_CONFIGURATION.replace("VALUE", "0")), "--kernel", "waits")
    assert (report.code, report.kinds) == (1, ["invalid launch"])
    assert f"`grid.sync()` needs a launch by {COOPERATIVE}" in report.sentence
