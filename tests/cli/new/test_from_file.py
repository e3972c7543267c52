"""`shflbench new --from FILE`: a pattern and a suite for kernels that exist."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.gate.runs import process
from tests.conftest import Command
from tests.fakes.backend import unplug

TILES = (Path(__file__).parent / "tiles.cu").read_text(encoding="utf-8")
PLANES = """
__global__ void planes(int* out) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
    out[(z * 8 + y) * 16 + x] = x + 100 * y + 10000 * z;
}
__global__ void planes_again(int* out) { NUMBER
    out[(z * 8 + y) * 16 + x] = 10000 * z + 100 * y + x;
}
int main() {
    int* out;
    cudaMalloc(&out, 16 * 8 * 6 * sizeof(int));
    planes<<<dim3(2, 2, 3), dim3(8, 4, 2)>>>(out);
    planes_again<<<dim3(2, 2, 3), dim3(8, 4, 2)>>>(out);
}
"""
SUMS = (Path(__file__).parents[1] / "bench" / "sums.cu").read_text(encoding="utf-8")


@pytest.fixture
def new(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, one_core: None) -> Command:
    """Call `shflbench new --from sums.cu` on a machine without a GPU."""
    del one_core
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    Path("sums.cu").write_text(SUMS, encoding="utf-8")
    return lambda *words: shflbench("new", "--from", "sums.cu", *words)


def test_pattern_and_suite_run_as_they_are(new: Command, shflbench: Command) -> None:
    outcome = new("sums_shfl", "sums_smem")
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines() == ["sums/kernels.cu", "sums/pattern.py", "sums.yaml"]
    ran = shflbench("run", "sums.yaml", "--output", "run")
    assert ran.code == 0, ran.err
    assert {(row.case_id, row.status.value, row.reference) for row in read_run(Path("run")).rows} == {
        ("sums/sums_shfl/f32/64x256/1", "verified", "sums_shfl"),
        ("sums/sums_smem/f32/64x256/1", "verified", "sums_shfl"),
    }


def test_check_uses_the_block_that_the_kernels_need(new: Command, shflbench: Command) -> None:
    """The loop of `sums_shfl` over the sums of eight warps, written for blocks of 256 threads."""
    eight = SUMS.replace("warp < blockDim.x / 32", "warp < 8")
    Path("sums.cu").write_text(eight, encoding="utf-8")
    assert new().code == 0
    assert shflbench("check", "./sums", "--variant", "sums_shfl").code == 0


def test_nothing_is_overwritten(new: Command) -> None:
    Path("sums.yaml").write_text("mine", encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert outcome.err.startswith("error: sums.yaml exists; nothing was written\n")
    assert not Path("sums").exists()


def of_tiles(shflbench: Command, *words: str) -> None:
    Path("tiles.cu").write_text(TILES, encoding="utf-8")
    outcome = shflbench("new", "--from", "tiles.cu", *words)
    assert outcome.code == 0, outcome.err


@pytest.mark.usefixtures("new")
def test_launches_of_two_dimensions_are_those_of_the_suite(shflbench: Command) -> None:
    of_tiles(shflbench)
    assert "    launch: [4x2:16x16]\n" in Path("tiles.yaml").read_text(encoding="utf-8")
    ran = shflbench("run", "tiles.yaml", "--output", "run")
    assert ran.code == 0, ran.err
    assert {(row.case_id, row.status.value, row.verified_launch) for row in read_run(Path("run")).rows} == {
        ("tiles/copy_rows/f32/4x2:16x16/1", "verified", "4x2:16x16"),
        ("tiles/copy_tiles/f32/4x2:16x16/1", "verified", "4x2:16x16"),
    }
    assert shflbench("check", "./tiles").code == 0
    source = Path("tiles/kernels.cu")
    source.write_text(source.read_text(encoding="utf-8").replace("__syncthreads();", ""), encoding="utf-8")
    assert shflbench("check", "./tiles").code == 1


@pytest.mark.usefixtures("new")
def test_launches_of_three_dimensions_are_those_of_the_suite(shflbench: Command) -> None:
    index = PLANES.partition("{")[2].partition("out")[0].strip()
    Path("planes.cu").write_text(PLANES.replace("NUMBER", index), encoding="utf-8")
    assert shflbench("new", "--from", "planes.cu").code == 0
    assert "    launch: [2x2x3:8x4x2]\n" in Path("planes.yaml").read_text(encoding="utf-8")
    ran = shflbench("run", "planes.yaml", "--output", "run")
    assert ran.code == 0, ran.err
    assert shflbench("new", "--from", "planes.cu", "--reference", "numpy", "--output", "numpy").code == 0
    text = Path("numpy/planes/pattern.py").read_text(encoding="utf-8")
    assert "def reference(at):" in text  # without inputs
    assert "import numpy as np" in text


@pytest.mark.usefixtures("new")
def test_reference_in_numpy_fails_with_a_sentence_until_it_is_written(shflbench: Command) -> None:
    of_tiles(shflbench, "--reference", "numpy")
    ran = shflbench("run", "tiles.yaml", "--output", "before")
    assert ran.code == 5
    sentence = (
        f"{Path('tiles/pattern.py').resolve()}: `reference` is not written yet: return what the kernels must write"
    )
    rows = read_run(Path("before")).rows
    assert [(row.status.value, (row.reason or "").startswith(sentence)) for row in rows] == [("failed", True)] * 2
    assert "Traceback" not in ran.err
    outcome = shflbench("check", "./tiles")
    assert (outcome.code, outcome.err.startswith(f"error: {sentence}")) == (3, True)
    write_reference("in_.reshape(32, 64).T")
    assert shflbench("run", "tiles.yaml", "--output", "after").code == 0
    assert {row.reference for row in read_run(Path("after")).rows} == {None}
    assert shflbench("check", "./tiles").code == 0


@pytest.mark.usefixtures("new")
def test_a_kernel_that_differs_from_the_reference_in_numpy_is_incorrect(shflbench: Command) -> None:
    of_tiles(shflbench, "--reference", "numpy")
    write_reference("in_.reshape(64, 32).T")
    assert shflbench("run", "tiles.yaml", "--output", "run").code == 5
    assert {row.status.value for row in read_run(Path("run")).rows} == {"incorrect"}


def write_reference(result: str) -> None:
    """Write the function `reference` of tiles/pattern.py."""
    path = Path("tiles/pattern.py")
    text = path.read_text(encoding="utf-8")
    stub = next(line for line in text.splitlines() if "NotImplementedError" in line)
    path.write_text(text.replace(stub, f"    return np.ascontiguousarray({result})"), encoding="utf-8")


def test_launches_that_a_suite_cannot_have_are_refused(new: Command) -> None:
    Path("sums.cu").write_text(SUMS.replace("sums_shfl<<<rows, 256>>>", "sums_shfl<<<rows, 64>>>"), encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert "the launch `own` of `sums_smem` cannot be that of a suite" in outcome.err


def test_missing_options_are_named(new: Command) -> None:
    Path("sums.cu").write_text(SUMS.partition("int main")[0], encoding="utf-8")
    outcome = new()
    assert outcome.code == 2
    assert "sums_smem: give --launch GRIDxBLOCK --arg out=f32[COUNT]" in outcome.err


def test_options_of_files_need_a_file(new: Command, shflbench: Command) -> None:
    del new  # for the machine
    assert shflbench("new", "my-swap", "--launch", "4x256").code == 2
    assert shflbench("new", "my-swap", "--reference", "numpy").code == 2


STRIDES = """
__global__ void plain(float *o, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i] * 2; }
__global__ void strided(float *o, const float *x, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) o[i] = x[i] * 2;
}
"""


@pytest.mark.archs
@pytest.mark.parametrize("launch", ["4x256", "20x256"])
def test_check_takes_the_launch_that_the_pattern_was_made_for(launch: str, tmp_path: Path) -> None:
    (tmp_path / "strides.cu").write_text(STRIDES)
    size = int(launch.partition("x")[0]) * 256
    arguments = (f"o=f32[{size}]", f"x=f32[{size}]", f"n={size}")
    words = [word for text in arguments for word in ("--arg", text)]
    created = process(
        "new",
        "--from",
        "strides.cu",
        "--kernel",
        "plain",
        "--kernel",
        "strided",
        "--launch",
        launch,
        *words,
        cwd=tmp_path,
    )
    assert created.code == 0, created.err
    assert f"launch: [{launch}]" in (tmp_path / "strides.yaml").read_text()
    if launch == "4x256":
        outcome = process("check", "./strides", cwd=tmp_path)
        assert (outcome.code, outcome.out.count("no hazard in 1 launch (4x256)")) == (0, 2)


@pytest.mark.usefixtures("new")
def test_a_name_of_no_kernel_is_said_to_be_none(new: Command) -> None:
    assert new("sum").err.startswith("error: sums.cu has no kernel `sum`; it has ")
