"""Blocks of a launch of the host code that is too large to run whole."""

from pathlib import Path

from shflbench.checker.files import FileOptions, check_file
from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.launches import fewer_blocks, plan
from shflbench.checker.inputs.sampled import counted_blocks, with_samples
from shflbench.checker.machine.threads import Shape
from shflbench.checker.report import KernelReport
from shflbench.checker.source_lines import SourceLine
from shflbench.checker.sources.kernel_file import HostLaunch, LaunchBounds
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
    options = FileOptions(toolchain=kernels.tools(), cache=cache, outputs=False)
    return {report.name: report for report in check_file(file, options).kernels}


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
    assert sampled.origin is Origin.HOST
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


def test_a_sampled_block_has_the_coordinates_of_its_number_in_the_grid() -> None:
    shape = Shape.of((100, 50, 1), (32, 1, 1), (0, 4999))
    assert shape.grid == 2
    assert shape.describe(33) == "thread (1, 0, 0) of block (99, 49, 0)"


def test_pairs_of_neighbors_stand_for_a_large_launch() -> None:
    assert counted_blocks(8000, 512) == (2000, 2001, 6000, 6001)
    assert counted_blocks(40_000, 1024) == (20_000, 20_001)


def test_a_small_launch_is_counted_whole() -> None:
    assert counted_blocks(64, 256) == counted_blocks(2, 1024) == ()
