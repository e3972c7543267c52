"""The last block of a grid, which adds what all others leave, runs as if these had run before it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.file_reading import read_file
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.linked import linked_kernel
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.ptx.parse import parse
from tests import kernels

pytestmark = pytest.mark.expensive

KERNEL = """\
__device__ unsigned retired;
__global__ void total(const int *in, int *part, int *out, unsigned *count, int blocks)
{
    __shared__ int sum;
    __shared__ bool last;
    int t = threadIdx.x, block = blockIdx.x + gridDim.x * blockIdx.y;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[block * 128 + t]);
    __syncthreads();
    if (t == 0) {
        part[block] = sum;
        __threadfence();
        last = TICKET;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        if (t == 0) sum = 0;
        BARRIER;
        for (int i = t; i < BLOCKS; i += 128) atomicAdd(&sum, __ldcg(&part[block - block % (BLOCKS) + i]));
        BARRIER;
        if (t == 0) out[blockIdx.y] = sum;
    }
}
"""
HOST = """
int main()
{
    int *in, *part, *out;
    unsigned *count;
    dim3 grid(GRID);
    int blocks = grid.x * grid.y;
    cudaMalloc(&in, blocks * 128 * sizeof(int));
    cudaMalloc(&part, blocks * sizeof(int));
    cudaMalloc(&out, grid.y * sizeof(int));
    cudaMalloc(&count, grid.y * sizeof(unsigned));
    cudaMemset(count, 0, grid.y * sizeof(unsigned));
    total<<<grid, 128>>>(in, part, out, count, blocks);
}
"""
TICKETS = {
    "a pointer": ("atomicAdd(count, 1) == gridDim.x - 1", "gridDim.x", "1024"),
    "a variable": ("atomicInc(&retired, gridDim.x) == gridDim.x - 1", "gridDim.x", "1024"),
    "a parameter": ("atomicAdd(count, 1u) + 1 == blocks", "blocks", "1024"),
    "the whole of a plane": ("atomicAdd(count, 1) == gridDim.x * gridDim.y - 1", "gridDim.x * gridDim.y", "64, 32"),
    "a count per row": ("atomicAdd(&count[blockIdx.y], 1) == gridDim.x - 1", "gridDim.x", "512, 3"),
}


def text_of(ticket: str, blocks: str, grid: str, barrier: str) -> str:
    text = KERNEL.replace("TICKET", ticket).replace("BLOCKS", blocks).replace("BARRIER", barrier)
    return text + HOST.replace("GRID", grid)


def report_of(folder: Path, cache: Path, text: str, *launches: str) -> KernelReport:
    file = folder / "total.cu"
    file.write_text(text, encoding="utf-8")
    shapes = tuple(map(parse_shape, launches))
    options = FileOptions(
        compilers=Compilers(kernels.tools(), cache=cache), given=LaunchOptions(launches=shapes), outputs=False
    )
    (report,) = check_file(file, options).kernels
    return report


OFTEN = {"a pointer"}  # tickets without a barrier that are checked in each run
BARRIERS = [
    pytest.param(ticket, barrier, verdict, id=f"{name}-{verdict}", marks=marks)
    for barrier, verdict in (("__syncthreads()", "clean"), ("__syncwarp()", "broken"))
    for name, ticket in TICKETS.items()
    for marks in [[] if verdict == "clean" or name in OFTEN else [pytest.mark.archs]]
]


@pytest.mark.archs
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("ticket", "barrier", "verdict"), BARRIERS)
def test_all_threads_of_the_last_block_take_part(
    tmp_path: Path, kernel_cache: Path, ticket: tuple[str, str, str], barrier: str, verdict: str
) -> None:
    report = report_of(tmp_path, kernel_cache, text_of(*ticket, barrier))
    assert report.verdict == verdict, report.sentence
    last = report.launches[0]
    assert ", of which the last 16 of " in last.note
    if verdict == "broken":
        assert all(finding.launches[0] == last.shape for finding in report.findings)


@pytest.mark.archs
@pytest.mark.parametrize(
    ("barrier", "code"), [pytest.param("__syncthreads()", 0, marks=pytest.mark.archs), ("__syncwarp()", 1)]
)
def test_a_given_launch_of_many_threads_runs_its_last_blocks(tmp_path: Path, barrier: str, code: int) -> None:
    (tmp_path / "total.cu").write_text(text_of(*TICKETS["a pointer"], barrier), encoding="utf-8")
    words = [sys.executable, "-m", "shflbench", "check", "total.cu", "--launch", "600x128"]
    environment = {**os.environ, "SHFLBENCH_CACHE": str(kernels.CACHE)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "600x128: given launch, of which the last 16 of 600 blocks ran" in done.stdout
    assert "contents of count = 584" in done.stdout
    assert ("race with an atomic" in done.stdout) == bool(code)


@pytest.mark.parametrize(
    "ticket",
    [
        "atomicAdd(count, 2) == 2 * gridDim.x - 2",  # no count of blocks
        "atomicAdd(count, 1) == gridDim.x * 4 - 1",  # of which four parts count each
        "atomicAdd(count, 1) == 15",  # of some blocks
        "atomicAdd(count, 1) == gridDim.x - 1; while (atomicAdd(count, 0) < gridDim.x);",  # they wait for one another
    ],
)
def test_no_part_of_the_blocks_runs_by_another_count(tmp_path: Path, kernel_cache: Path, ticket: str) -> None:
    launches = launches_of(tmp_path, kernel_cache, text_of(ticket, "gridDim.x", "1024", "__syncthreads()"))
    assert [str(launch.shape) for launch in launches if not launch.origin.is_scaled_down] == []


def launches_of(folder: Path, cache: Path, text: str) -> list[PlannedLaunch]:
    file = folder / "total.cu"
    file.write_text(text, encoding="utf-8")
    read = read_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=cache)))
    linked = linked_kernel(read, parse(read.ptx), read.kernels[0], arch="sm_90", shared_bytes=None)
    return plan_runs(linked, (), (), None).launches


COOPERATIVE = """\
#include <cooperative_groups.h>
__global__ void total(const int *in, int *part, int *out)
{
    __shared__ int sums[96];
    int t = threadIdx.x;
    if (t == 0) part[blockIdx.x] = in[blockIdx.x];
    cooperative_groups::this_grid().sync();
    if (blockIdx.x > 0) return;
    int sum = 0;
    for (int i = t; i < gridDim.x; i += 96) sum += part[i];
    sums[t] = sum;
    __syncwarp();
    if (t == 0) for (int i = 0; i < min(96, gridDim.x); i++) *out += sums[i];
}
int main()
{
    int *in, *part, *out;
    cudaMalloc(&in, 512 * 4);
    cudaMalloc(&part, 512 * 4);
    cudaMalloc(&out, 4);
    void *arguments[] = {&in, &part, &out};
    cudaLaunchCooperativeKernel((void *)total, dim3(512), dim3(96), arguments);
}
"""


@pytest.mark.parametrize(("blocks", "shapes"), [("gridDim.x", ["42x96", "96x96"]), ("42", ["42x96"])])
def test_a_grid_whose_size_the_threads_use_has_as_many_blocks_as_a_block_has_threads(
    tmp_path: Path, kernel_cache: Path, blocks: str, shapes: list[str]
) -> None:
    launches = launches_of(tmp_path, kernel_cache, COOPERATIVE.replace("gridDim.x", blocks))
    assert [str(launch.shape) for launch in launches] == shapes
