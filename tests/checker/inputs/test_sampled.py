"""Blocks of a launch of the host code that is too large to run whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES
from shflbench.checker.inputs.default_launches import fewer_blocks, plan
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.sampled import counted_blocks, with_samples
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.runs import budget, kernel_runs
from shflbench.cuda_sources.kernel_file import HostArgument, HostBuffer, HostLaunch, LaunchBounds
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.read_options import Compilers
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.races.hazards import HazardKind
from tests import kernels

INDEXES = {"threadIdx.x", "blockIdx.x", "threadIdx.y", "blockIdx.y"}
PLANE = """\
__global__ void NAME(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[INDEX] = in[y * width + x];
}
"""
COUNTER = """\
__global__ void turns(unsigned *next, unsigned *out) { if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(next, 1u); }
"""
HOST = """\
int main()
{
    const int width = 1000, height = 600;
    float *a, *b;
    unsigned *c, *d;
    cudaMalloc(&a, width * height * sizeof(float));
    cudaMalloc(&b, width * height * sizeof(float));
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4 * 4096);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    copy<<<grid, block>>>(a, b, width, height);
    swapped<<<grid, block>>>(a, b, width, height);
    turns<<<4096, 64>>>(c, d);
}
"""


def _reports(folder: Path, cache: Path) -> dict[str, KernelReport]:
    file = folder / "planes.cu"
    copies = {"copy": "y * width + x", "swapped": "x * width + y"}
    planes = (PLANE.replace("NAME", name).replace("INDEX", index) for name, index in copies.items())
    file.write_text("".join((*planes, COUNTER, HOST)), encoding="utf-8")
    options = FileOptions(compilers=Compilers(kernels.tools(), cache=cache), outputs=False)
    return {report.name: report for report in check_file(file, options).kernels}


@pytest.mark.archs
def test_blocks_of_the_real_grid_show_an_index_that_is_wrong_only_at_real_sizes(
    tmp_path: Path, kernel_cache: Path
) -> None:
    reports = _reports(tmp_path, kernel_cache)
    assert [launch.shape for launch in reports["copy"].launches] == ["63x38:16x16", "5x3:16x16"]
    assert reports["copy"].launches[0].note == "launch of the host code, of which 8 of 2394 blocks ran"
    assert reports["copy"].verdict == "clean"
    assert reports["swapped"].verdict == "broken"
    (finding,) = reports["swapped"].findings
    assert finding.launches == ("63x38:16x16",)
    assert finding.threads[0].endswith("of block (62, 0, 0)")
    assert [launch.shape for launch in reports["turns"].launches] == ["64x64"]  # its blocks may wait for one another


def test_the_corners_of_a_grid_come_first_and_fewer_of_them_are_left_where_all_are_too_many() -> None:
    host = HostLaunch((30, 20, 1), (32, 32, 1), 0, (), SourceLine(Path(__file__), 1))
    whole = plan([], [host], INDEXES, LaunchBounds())
    (sampled,) = with_samples(whole, (), INDEXES)[len(whole) :]
    assert sampled.basis is Origin.HOST
    assert sampled.shape.sample == (0, 599)
    assert fewer_blocks(sampled) is None
    wide = HostLaunch((30, 20, 1), (16, 16, 1), 0, (), SourceLine(Path(__file__), 1))
    (eight,) = with_samples(plan([], [wide], INDEXES, LaunchBounds()), (), INDEXES)[1:]
    fewer = fewer_blocks(eight)
    assert fewer is not None
    assert (eight.note.split(" which ")[1], fewer.note.split(" which ")[1]) == (
        "8 of 600 blocks ran",
        "4 of 600 blocks ran",
    )
    assert with_samples(whole, (), {"threadIdx.x"}) == whole  # no block knows which one it is


def test_a_grid_of_more_than_a_million_threads_is_left_out_where_contents_take_long_to_make() -> None:
    for blocks, size, of_any_size, samples in (
        (4096, MOST_TOTAL_BYTES + 1, False, 1),
        (4097, MOST_TOTAL_BYTES + 1, False, 0),
        (4097, MOST_TOTAL_BYTES, False, 1),
        (4097, MOST_TOTAL_BYTES + 1, True, 1),
    ):
        indices = HostArgument("indices", buffer=HostBuffer(0, size))
        host = HostLaunch((blocks, 1, 1), (256, 1, 1), 0, (indices,), SourceLine(Path(__file__), 1))
        whole = plan([], [host], INDEXES, LaunchBounds())
        assert len(with_samples(whole, (), INDEXES, of_any_size=of_any_size)) == len(whole) + samples


def test_a_launch_in_place_is_sampled_beside_one_with_two_buffers() -> None:
    pairs = [(0, 1), (2, 3), (4, 4), (5, 5)]
    place = SourceLine(Path(__file__), 1)
    hosts = [
        HostLaunch((64, 1, 1), (256, 1, 1), 0, tuple(HostArgument("a", buffer=HostBuffer(n, 4)) for n in pair), place)
        for pair in pairs
    ]
    whole = plan([], hosts, INDEXES, LaunchBounds())
    assert [item.host for item in with_samples(whole, (), INDEXES)[len(whole) :]] == [hosts[0], hosts[2]]


def test_a_sampled_block_has_the_coordinates_of_its_number_in_the_grid() -> None:
    shape = Shape.of((100, 50, 1), (32, 1, 1), (0, 4999))
    assert shape.grid == 2
    assert shape.describe(33) == "thread (1, 0, 0) of block (99, 49, 0)"


def test_only_launch_is_judged_where_its_blocks_do_not_end(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 1000)
    monkeypatch.setattr(budget, "MOST_PATIENT", 1000)
    source = tmp_path / "long.cu"
    source.write_text(
        "__global__ void total(const int *in, int count, int *out)\n"
        "{\n"
        "    int sum = 0;\n"
        "    for (int i = 0; i < count; ++i) sum ^= in[i & 31] + i;\n"
        "    out[blockIdx.x] = sum;\n"
        "}\n"
    )
    options = FileOptions(
        compilers=Compilers(kernels.tools(), cache=kernel_cache),
        given=LaunchOptions(
            launches=(replace(parse_shape("2x32"), sample=(0, 1)),), arguments=parse_arguments(["count=100000000"])
        ),
    )
    (report,) = check_file(source, options).kernels
    assert [launch.shape for launch in report.launches] == ["2x32"]
    assert report.verdict == "not checked"


# Buffers of 512 MB, of which the kernels access a few pages.
LARGE = """\
__global__ void moved(const float *x, float *y, int n, int off)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i + off] += x[i];
}
__global__ void looked_up(const float *table, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += table[i];
}
__global__ void last(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[n - 1] = i;
}
int main()
{
    const int n = (1 << 27) - 100, off = OFF;
    float *x, *y, *table;
    cudaMalloc(&table, 1 << 12);
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(table, 0, 1 << 12);
    cudaMemset(x, 0, n * sizeof(float));
    moved<<<(n + 255) / 256, 256>>>(x, y, n, off);
    looked_up<<<(n + 255) / 256, 256>>>(table, y, n);
    last<<<(n + 255) / 256, 256>>>(y, n);
}
"""


def _large(folder: Path, cache: Path, off: int) -> list[KernelReport]:
    file = folder / "large.cu"
    file.write_text(LARGE.replace("OFF", str(off)), encoding="utf-8")
    return list(check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=cache), outputs=False)).kernels)


def test_the_last_block_of_a_large_grid_tests_the_ends_of_large_buffers(tmp_path: Path, kernel_cache: Path) -> None:
    sound, _, _ = _large(tmp_path, kernel_cache, 0)
    assert (sound.verdict, sound.untested) == ("clean", ())
    assert sound.launches[0].note == "launch of the host code, of which 3 of 524288 blocks ran"
    moved, looked_up, last = _large(tmp_path, kernel_cache, 4)
    assert (moved.verdict, looked_up.verdict, last.verdict) == ("broken", "broken", "broken")
    assert moved.findings[0].threads == ("thread 152 of block 524287",)
    assert looked_up.findings[0].detail.endswith(" of the 4096 bytes of `table`")  # and not one of `y`
    assert last.findings[0].detail == "bytes 536870508–536870511 of `y`"


# In both dimensions, the last block has no work.
SPARE = """\
__global__ void next(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x + 1] = in[y * n + x];
}
int main()
{
    const int n = 1024;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    next<<<dim3(n / 16 + 1, n / 16 + 1), dim3(16, 16)>>>(in, out, n);
}
"""


def test_the_last_block_with_work_runs_where_the_last_one_has_none(tmp_path: Path, kernel_cache: Path) -> None:
    file = tmp_path / "spare.cu"
    file.write_text(SPARE, encoding="utf-8")
    (report,) = check_file(
        file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False)
    ).kernels
    (finding,) = report.findings
    assert (report.verdict, finding.kind, finding.threads) == (
        "broken",
        HazardKind.OUT_OF_BOUNDS,
        ("thread (15, 15, 0) of block (63, 63, 0)",),
    )


def test_blocks_at_the_real_sizes_run_beyond_the_budget_of_instructions(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MOST_WORK", 1)
    moved, *_ = _large(tmp_path, kernel_cache, 4)
    assert (moved.verdict, [launch.shape for launch in moved.launches]) == ("broken", ["524288x256", "16x256"])


def test_no_block_runs_at_the_real_sizes_where_a_smaller_launch_did_not_end(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 1000)
    monkeypatch.setattr(budget, "MOST_PATIENT", 1000)
    text = LARGE.replace("y[i + off] +=", "for (int k = 0; k < n; k++) y[i] +=").partition("__global__ void looked_up")[
        0
    ]
    main = LARGE.partition("int main")[2].partition("    looked_up")[0]
    file = tmp_path / "long.cu"
    file.write_text(f"{text}int main{main}}}\n", encoding="utf-8")
    (long,) = check_file(
        file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False)
    ).kernels
    assert "524288x256" not in [launch.shape for launch in long.launches]


def test_pairs_of_neighbors_stand_for_a_large_launch() -> None:
    assert counted_blocks(8000, 512) == (2000, 2001, 6000, 6001)
    assert counted_blocks(40_000, 1024) == (20_000, 20_001)


def test_a_small_launch_is_counted_whole() -> None:
    assert counted_blocks(64, 256) == counted_blocks(2, 1024) == ()


STEPS = """#include <cuda_runtime.h>
__global__ void voted(const unsigned char *in, unsigned *out, int n) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned alike = __match_any_sync(~0u, in[i]);
        if (threadIdx.x % 32 == __ffs(alike) - 1) atomicAdd(&counts[in[i]], __popc(alike));
    }
    BARRIER
    atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
int main() {
    int n = 1 << 21;
    unsigned char *h = new unsigned char[n], *in;
    unsigned *out;
    for (int i = 0; i < n; i++) h[i] = (i / 3) % 256;
    cudaMalloc(&in, n);
    cudaMalloc(&out, 256 * sizeof(unsigned));
    cudaMemset(out, 0, 256 * sizeof(unsigned));
    cudaMemcpy(in, h, n, cudaMemcpyHostToDevice);
    voted<<<256, 256>>>(in, out, n);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(
    ("barrier", "verdict"), [pytest.param("__syncthreads();", "clean", marks=pytest.mark.archs), ("", "broken")]
)
def test_loops_that_step_by_the_grid_run_in_some_blocks_at_real_size_in_place_of_fewer_blocks(
    tmp_path: Path, kernel_cache: Path, barrier: str, verdict: str
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(STEPS.replace("BARRIER", barrier), encoding="utf-8")
    report = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False))
    (kernel,) = report.kernels
    assert kernel.verdict == verdict
    assert {item.shape for item in kernel.launches} == {"256x256"}
