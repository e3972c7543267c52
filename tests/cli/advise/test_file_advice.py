"""`shflbench advise FILE.cu`: what a file's kernels exchange through shared memory, and which barriers they need."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Command

SUMS = Path(__file__).parents[1] / "bench" / "sums.cu"


@pytest.fixture
def file(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> str:
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("sums.cu").write_bytes(SUMS.read_bytes())
    return "sums.cu"


@pytest.mark.archs
def test_text_has_a_table_of_exchanges_and_one_of_barriers_per_kernel(file: str, shflbench: Command) -> None:
    outcome = shflbench("advise", file)
    assert outcome.code == 0, outcome.err
    text = outcome.out
    assert "sums_smem (sums.cu:4): exchanges through shared memory, in all launches with blocks of 256 threads" in text
    assert "sums_smem (sums.cu:4): barriers, in launch 64x256 (also with 16 blocks) of the host code" in text
    assert "__shfl_down_sync(mask, value, {16, 8, 4, 2, 1}) where it stays in a warp" in text
    assert "13       needed: it orders accesses of different warps" in text


def test_json_has_the_same_as_records(file: str, shflbench: Command) -> None:
    smem, shfl = json.loads(shflbench("advise", file, "--launch", "8x256", "--format", "json").out)["kernels"]
    assert (smem["kernel"], smem["verdict"], smem["launches"], smem["missing"]) == ("sums_smem", "clean", ["8x256"], "")
    assert [item["line"] for item in smem["barriers"]] == ["sums.cu:10", "sums.cu:13"]
    (exchange,) = shfl["exchanges"]
    assert (exchange["store"], exchange["load"], exchange["instead"]) == ("sums.cu:24", "sums.cu:28", "")


LANES = """
__global__ void lanes(const float* in, float* out) {
\t__shared__ float s[64];
\ts[threadIdx.x] = in[threadIdx.x];
\t__syncthreads();
\tout[threadIdx.x] = s[threadIdx.x ^ 1];
}
"""


SHUFFLED = """
__global__ void lanes(const float* in, float* out) {
\tfloat s_value = in[threadIdx.x];
\tout[threadIdx.x] = __shfl_xor_sync(0xffffffff, s_value, 1);
}
"""
TWO_LOADS = LANES.replace("^ 1];", "^ 1] + s[threadIdx.x];")
WEAKER = TWO_LOADS.replace("__syncthreads", "__syncwarp")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("text", "changed"), [(LANES, SHUFFLED), (TWO_LOADS, WEAKER)])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_patch_is_a_diff_that_git_applies(file: str, shflbench: Command, text: str, changed: str, end: str) -> None:
    del file
    text = text.replace("\n", end) if end == "\r\n" else text.removesuffix("\n") + end
    Path("lanes.cu").write_bytes(text.encode())
    outcome = shflbench("advise", "lanes.cu", "--launch", "1x64", "--patch")
    assert outcome.code == 0, outcome.err
    assert "The changed file computed the same in launch 1x64.\n" in outcome.err
    assert Path("lanes.cu").read_bytes() == text.encode()
    Path("lanes.diff").write_bytes(outcome.out.encode())
    subprocess.run(["git", "apply", "lanes.diff"], check=True)
    expected = changed.removesuffix("\n").replace("\n", "\r\n" if end == "\r\n" else "\n") + end
    assert Path("lanes.cu").read_bytes().decode() == expected
    again = shflbench("advise", "lanes.cu", "--launch", "1x64", "--patch")
    assert (again.code, again.out, bool(again.err)) == (0, "", True)


def test_a_patch_of_a_kernel_without_exchanges_is_a_sentence(file: str, shflbench: Command) -> None:
    del file
    Path("lanes.cu").write_text(SHUFFLED, encoding="utf-8")
    again = shflbench("advise", "lanes.cu", "--launch", "1x64", "--patch")
    assert "No exchange and no barrier of the file can be changed." in again.err


BARRIER_IN_CONDITION = SHUFFLED.replace("\tout[", "\tif (blockDim.x > 1)\n\t\t__syncthreads();\n\tout[")


@pytest.mark.parametrize(("text", "suggestion"), [(WEAKER, "could be"), (BARRIER_IN_CONDITION, "not needed")])
def test_advice_that_is_no_edit_of_the_text_is_not_denied(
    file: str, shflbench: Command, text: str, suggestion: str
) -> None:
    del file
    Path("lanes.cu").write_text(text, encoding="utf-8")
    assert suggestion in shflbench("advise", "lanes.cu", "--launch", "1x64").out
    outcome = shflbench("advise", "lanes.cu", "--launch", "1x64", "--patch")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.endswith("There is no change that can be written into the file.\n")


@pytest.mark.archs
def test_no_patch_where_another_kernel_needs_the_barrier_of_the_line(file: str, shflbench: Command) -> None:
    del file
    text = LANES.replace("__global__ void lanes(", "template <int D> __global__ void lanes(").replace("^ 1", "^ D")
    launches = "int main() { float* p; cudaMalloc(&p, 256); lanes<1><<<1, 64>>>(p, p); lanes<32><<<1, 64>>>(p, p); }"
    Path("lanes.cu").write_text(text + launches, encoding="utf-8")
    outcome = shflbench("advise", "lanes.cu")
    assert "__syncwarp() is enough" in outcome.out
    assert "needed: it orders accesses of different warps" in outcome.out
    assert shflbench("advise", "lanes.cu", "--patch").out == ""


def test_a_kernel_without_advice_is_a_sentence(file: str, shflbench: Command) -> None:
    del file
    plain = "__global__ void plain(float* out) { out[threadIdx.x] = 1; }\n"
    racy = LANES.replace("__syncthreads();", "").replace("lanes", "racy").replace("^ 1", "^ 32")
    Path("lanes.cu").write_text(plain + racy, encoding="utf-8")
    outcome = shflbench("advise", "lanes.cu", "--launch", "1x64")
    assert outcome.code == 0, outcome.err
    assert "plain (lanes.cu:1): no exchange through shared memory and no barrier of the block\n" in outcome.out
    assert "racy (lanes.cu:3): broken: 1 finding: RAW" in outcome.out


ROWS = """
#include <cstdlib>
__global__ void rows(const float* in, float* out, int width) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int first = threadIdx.x / width * width;
    out[threadIdx.x] = s[(first + (threadIdx.x + 1 - first) % width) % 256];
}
"""
MAIN = """
int main(int argc, char** argv) {
    float *in, *out;
    int width = atoi(argv[1]);
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 1024);
    cudaMemset(in, 0, 1024);
    rows<<<1, 256>>>(in, out, width);
}
"""
OTHER_NAME = "void run(float* in, float* out, int size) { rows<<<1, 256>>>(in, out, size); }\n"
CALLER = "void run(float* in, float* out, int width) { rows<<<1, 256>>>(in, out, width); }\n"


@pytest.mark.parametrize(
    ("main", "chosen", "words"),
    [
        (MAIN, "argv[1] = ", "--host-args, or --launch GRIDxBLOCK"),
        (CALLER, "width = ", "--launch GRIDxBLOCK --arg width=…"),
        (OTHER_NAME, "size = ", "--launch GRIDxBLOCK --arg width=…"),
    ],
)
def test_launches_for_numbers_that_nobody_gives_show_nothing(
    file: str, shflbench: Command, main: str, chosen: str, words: str
) -> None:
    del file
    Path("rows.cu").write_text(ROWS + main, encoding="utf-8")
    outcome = shflbench("advise", "rows.cu")
    assert outcome.code == 0, outcome.err
    assert f"rows (rows.cu:3): the launches follow from chosen {chosen}" in outcome.out
    assert f": give {words}\n" in outcome.out
    assert "__syncwarp" not in outcome.out


@pytest.mark.parametrize(("width", "need"), [("16", "__syncwarp() is enough"), ("128", "needed: it orders")])
@pytest.mark.parametrize("main", [MAIN, CALLER])
def test_numbers_that_somebody_gives_show_something(
    file: str, shflbench: Command, main: str, width: str, need: str
) -> None:
    del file
    Path("rows.cu").write_text(ROWS + main, encoding="utf-8")
    given = ("--host-args", width) if main == MAIN else ("--launch", "1x256", "--arg", f"width={width}")
    assert need in shflbench("advise", "rows.cu", *given).out


def test_a_given_launch_does_not_make_numbers_of_the_host_code_given(file: str, shflbench: Command) -> None:
    del file
    Path("rows.cu").write_text(ROWS + MAIN, encoding="utf-8")
    outcome = shflbench("advise", "rows.cu", "--launch", "1x256")
    assert "depends on width, which is chosen: give --arg width=…\n" in outcome.out


def test_kernel_chooses_one(file: str, shflbench: Command) -> None:
    assert "sums_smem" not in shflbench("advise", file, "--kernel", "sums_shfl").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kernel", "a"), "--kernel applies to .cu, .cuh and .ptx files, and no target is one"),
        (("--patch",), "--patch applies to .cu, .cuh and .ptx files, and no target is one"),
        (("--arg", "n=1"), "--arg applies to .cu, .cuh and .ptx files, and no target is one"),
        (("--launch", "1x32", "--launch", "2x32"), "--launch is given several times, and a pattern has one"),
    ],
)
def test_options_of_files_are_refused_for_patterns(shflbench: Command, words: tuple[str, ...], message: str) -> None:
    outcome = shflbench("advise", "reduce", *words)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_missing_file_is_named(shflbench: Command) -> None:
    outcome = shflbench("advise", "nothing.cu")
    assert outcome.code == 3
    assert "nothing.cu cannot be read" in outcome.err


def test_a_size_of_clusters_is_one_of_the_launches_and_cannot_be_measured(file: str, shflbench: Command) -> None:
    text = shflbench("advise", file, "--launch", "8x256", "--cluster", "2").out
    assert "barriers, in launch 8x256 in clusters of 2 given by --launch" in text
    outcome = shflbench("advise", file, "--launch", "8x256", "--cluster", "2", "--measure")
    assert outcome.code == 2
    assert "--measure cannot launch clusters" in outcome.err
    assert "--cluster applies to .cu" in shflbench("advise", "reduce", "--cluster", "2").err
