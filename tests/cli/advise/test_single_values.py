"""Suggestions for values that had no others in the launches say so, and are not written into a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checker.inputs.test_last_blocks import TICKETS
from tests.checker.inputs.test_last_blocks import text_of as last_block_text
from tests.conftest import Command

pytestmark = pytest.mark.expensive

ROWS = """
#include <cstdlib>
__global__ void rows(const float* in, float* out, const int* next, int n, int w) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = READ;
}
int main() {
    int n = 8192, *h = (int*)calloc(n, 4), *next;
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMalloc(&next, n * 4);
    CONTENTS
    LAUNCHES
}
"""
ONE = "rows<<<32, 256>>>(in, out, next, n, 32);"
ZEROS = "cudaMemcpy(next, h, n * 4, cudaMemcpyHostToDevice);"


def text_of(read: str, launches: str = ONE, contents: str = "") -> str:
    return ROWS.replace("READ", read).replace("LAUNCHES", launches).replace("CONTENTS", contents)


@pytest.fixture
def file(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> Path:
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    return Path("rows.cu")


# What a thread reads, and what the suggestion holds for.
SINGLE = {
    "a number": ("s[t / w * w + (t + 1) % w]", "w = 32"),
    "a shift": ("s[t / 32 * 32 + (t + w) % 32]", "w = 32"),
    "the number of blocks": ("s[t ^ (gridDim.x == 1000 ? 32 : 1)]", ""),
    "a condition": ("w > 31 ? s[t ^ 1] : s[t ^ 32]", "w = 32"),
    "a bound of a loop": ("s[t]; for (int k = 1; k < w / 32; k++) out[i] += s[t ^ k]", "w = 32"),
    "the number of a block": ("s[t ^ (blockIdx.x & 63)]", "4 and 16 blocks of the grid"),
}


@pytest.mark.archs
@pytest.mark.parametrize(("read", "only"), SINGLE.values(), ids=SINGLE)
def test_a_suggestion_for_one_value_says_so_and_is_not_written(
    file: Path, shflbench: Command, read: str, only: str
) -> None:
    file.write_text(text_of(read), encoding="utf-8")
    (kernel,) = json.loads(shflbench("advise", file, "--format", "json").out)["kernels"]
    assert kernel["only_for"] == ([only] if only else [])
    outcome = shflbench("advise", file, "--patch")
    assert bool(outcome.out) is not bool(only), outcome.err


@pytest.mark.archs
def test_the_title_of_the_table_has_the_value(file: Path, shflbench: Command) -> None:
    file.write_text(text_of(SINGLE["a number"][0]), encoding="utf-8")
    output = shflbench("advise", file).out
    assert "shared memory, in launch 32x256 (also with 16 blocks) of the host code, for w = 32 only\n" in output
    assert "barriers, in launch 32x256 (also with 16 blocks) of the host code\n" in output
    assert (
        "7        needed: without it, a launch with w = 64 has a fault; __syncwarp() is enough for w = 32\n" in output
    )


@pytest.mark.archs
def test_a_suggestion_for_two_values_is_written(file: Path, shflbench: Command) -> None:
    launches = f"{ONE} {ONE.replace('32);', '16);')}"
    file.write_text(text_of(SINGLE["a number"][0], launches), encoding="utf-8")
    assert "__shfl_sync" in shflbench("advise", file, "--patch").out


@pytest.mark.archs
@pytest.mark.parametrize("read", ["s[t ^ (next[i] & 255)]", "next[i] ? s[t ^ 32] : s[t]"])
def test_contents_of_one_value_do_not_show_that_a_barrier_is_not_needed(
    file: Path, shflbench: Command, read: str
) -> None:
    file.write_text(text_of(read, contents=ZEROS), encoding="utf-8")
    outcome = shflbench("advise", file)
    assert "7        needed: without it, a launch with other contents of next has a fault" in outcome.out
    assert shflbench("advise", file, "--patch").out == ""


def test_numbers_that_decide_nothing_do_not_matter(file: Path, shflbench: Command) -> None:
    file.write_text(text_of("s[t ^ 1] * w + n", contents=ZEROS), encoding="utf-8")
    assert "__shfl_xor_sync" in shflbench("advise", file, "--patch").out


@pytest.mark.archs
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("the number of a block", "No change is written: rows was tried for 4 and 16 blocks of the grid only."),
        ("a number", "No exchange and no barrier of the file can be changed."),  # w = 64 shows it
    ],
)
def test_the_command_says_that_no_change_is_written(
    tmp_path: Path, kernel_cache: Path, name: str, sentence: str
) -> None:
    (tmp_path / "rows.cu").write_text(text_of(SINGLE[name][0]), encoding="utf-8")
    environment = {**os.environ, "SHFLBENCH_CACHE": str(kernel_cache)}
    words = [sys.executable, "-m", "shflbench", "advise", "rows.cu", "--patch"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert sentence in done.stderr


@pytest.mark.archs
def test_barriers_of_the_last_block_are_needed(file: Path, shflbench: Command) -> None:
    file.write_text(last_block_text(*TICKETS["a pointer"], "__syncthreads()"), encoding="utf-8")
    (kernel,) = json.loads(shflbench("advise", file, "--format", "json").out)["kernels"]
    assert {barrier["need"] for barrier in kernel["barriers"]} == {"needed"}


BLOCK_OF_THE_SIZE = """
#include <cstdlib>
__global__ void rows(const float* in, float* out, int n) {
    __shared__ float s[64];
    int lane = threadIdx.x;
    float v = 0;
    for (int i = lane; i < n; i += blockDim.x) v += in[blockIdx.x * n + i];
    s[lane] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (lane < d) s[lane] += s[lane + d];
        __syncthreads();
    }
    if (lane == 0) out[blockIdx.x] = s[0];
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100, rows_of_all = 64, threads = n <= 128 ? 32 : 64;
    float *in, *out;
    cudaMalloc(&in, rows_of_all * n * 4);
    cudaMalloc(&out, rows_of_all * 4);
    rows<<<rows_of_all, threads>>>(in, out, n);
}
"""


@pytest.mark.archs
def test_blocks_of_other_words_of_the_command_line_count(file: Path, shflbench: Command) -> None:
    file.write_text(BLOCK_OF_THE_SIZE, encoding="utf-8")
    (kernel,) = json.loads(shflbench("advise", file, "--format", "json").out)["kernels"]
    first, second = kernel["barriers"]
    assert first["need"] == "needed"
    assert first["reason"].endswith("has a fault; __syncwarp() is enough for blocks of 32 threads")
    # Only the threads of the first warp go on in blocks of two. Nothing is known of larger ones, such as of 4 warps.
    assert (second["need"], second["reason"]) == ("__syncwarp() is enough", "for blocks of 32 and 64 threads only")
    assert not second["proved"]
    assert {one["instead"] for one in kernel["exchanges"]} == {""}


ONE_BUFFER_FOR_ODD_NUMBERS = """
#include <cstdlib>
__global__ void reverse(const int* from, int* to) {
    int t = threadIdx.x, mine = from[blockIdx.x * 128 + 127 - t];
    __syncthreads();
    to[blockIdx.x * 128 + t] = mine;
}
int main(int argc, char** argv) {
    int seed = argc > 1 ? atoi(argv[1]) : 2, *a, *b;
    cudaMalloc(&a, 8 * 128 * 4);
    cudaMalloc(&b, 8 * 128 * 4);
    reverse<<<8, 128>>>(a, SECOND);
}
"""


@pytest.mark.parametrize(("second", "need"), [("b", "not needed"), ("seed % 2 ? a : b", "needed")])
def test_one_buffer_for_two_pointers_with_other_words_counts(
    file: Path, shflbench: Command, second: str, need: str
) -> None:
    file.write_text(ONE_BUFFER_FOR_ODD_NUMBERS.replace("SECOND", second), encoding="utf-8")
    (kernel,) = json.loads(shflbench("advise", file, "--format", "json").out)["kernels"]
    assert [barrier["need"] for barrier in kernel["barriers"]] == [need]


RINGS = """
#include <cstdlib>
__global__ void rings(const int* in, int* out, int ring) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[(t & ~(ring - 1)) | ((t + 1) & (ring - 1))];
}
int main(int argc, char** argv) {
    int seed = argc > 1 ? atoi(argv[1]) : 2, *in, *out;
    cudaMalloc(&in, 128 * 4);
    cudaMalloc(&out, 128 * 4);
    rings<<<1, 128>>>(in, out, RING);
}
"""


@pytest.mark.parametrize(
    ("ring", "need", "reason"),
    [
        (
            "8 << seed % 3",
            "__syncwarp() is enough",
            "for the command lines that were tried only, with ring = 16 and 32; others may need it",
        ),
        ("16 << (seed + 1) % 3", "needed", "without it, a launch with ring = "),  # 64 for some
        ("32", "needed", "without it, a launch with ring = 33 has a fault; __syncwarp() is enough for ring = 32"),
    ],
)
def test_numbers_that_command_lines_give_are_those_that_count(
    file: Path, shflbench: Command, ring: str, need: str, reason: str
) -> None:
    file.write_text(RINGS.replace("RING", ring), encoding="utf-8")
    (kernel,) = json.loads(shflbench("advise", file, "--format", "json").out)["kernels"]
    (barrier,) = kernel["barriers"]
    assert (barrier["need"], barrier["proved"]) == (need, False)
    assert barrier["reason"].startswith(reason)
    assert shflbench("advise", file, "--patch").out == ""
