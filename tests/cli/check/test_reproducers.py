"""Kernels that earlier versions judged wrongly, each beside its sound or broken twin."""

import pytest

from tests.cli.check.conftest import CheckText

HEAD = """\
__global__ void k(const int *in, int *out) {
    __shared__ int s[256];
    const int t = threadIdx.x, lane = t & 31, g = blockIdx.x * blockDim.x + t;
"""
TAIL = "\n    if (lane > 64) s[0] = 0;\n}\n"

NUMBERED_IN_A_REGISTER = """
    const int id = 1 + (t >> 6);
    s[t] = in[g];
    asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory");
    out[g] = s[t ^ {distance}];"""
TWO_PLACES = """
    s[t] = in[g];
    if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory"); else asm volatile("bar.sync 2, 64;" ::: "memory");
    out[g] = s[t ^ {distance}];"""
ODD_LANES_FIRST = """
    s[t] = in[g];
    if (lane & 1) __syncwarp(0xaaaaaaaa);
    {meeting}
    out[g] = s[t ^ 1];"""
VOTES = """
    int sum = 0;
    if (blockIdx.x == 0) __syncthreads();
    for (int i = 0; i < 3; i++) { sum += __syncthreads_count(in[g] > 100 * i); __syncthreads(); }
    out[g] = sum;"""
TWO_KINDS_OF_VOTE = """
    if (blockIdx.x == 0) out[g] = __syncthreads_or(in[g] > 3);
    else out[g] = __syncthreads_count(in[g] > 3);"""
EARLY_RETURN = """
    if (t >= 16) return;
    s[t] = in[g];
    __syncthreads();
    out[g] = s[t ^ 1];"""
ABSENT_LANE = """
    int v = in[g];
    if (lane < 16) v = __shfl_sync(0xffffffff, v, 31);
    out[g] = v;"""
RACY = ["RAW", "WAR", "uninitialized read"]  # under one order of the halves or the other
EVERY_BLOCK_WRITES = "out[256] = blockIdx.x;"
FIRST_BLOCK_WRITES = "if (g == 0) out[256] = blockIdx.x;"


@pytest.mark.every_schedule
@pytest.mark.parametrize(
    ("body", "verdict", "kinds"),
    [
        pytest.param(
            NUMBERED_IN_A_REGISTER.replace("{distance}", "63"), "clean", [], id="barrier-number-in-a-register"
        ),
        pytest.param(
            NUMBERED_IN_A_REGISTER.replace("{distance}", "127"),
            "broken",
            RACY,
            id="barrier-number-of-the-other-half",
        ),
        pytest.param(TWO_PLACES.replace("{distance}", "63"), "clean", [], id="barriers-of-two-halves"),
        pytest.param(TWO_PLACES.replace("{distance}", "127"), "broken", RACY, id="barriers-of-two-halves-that-mix"),
        pytest.param(
            ODD_LANES_FIRST.replace("{meeting}", "__syncwarp();"), "clean", [], id="masks-that-differ-meet-apart"
        ),
        pytest.param(VOTES, "clean", [], id="votes-after-a-barrier-of-one-block"),
        pytest.param(TWO_KINDS_OF_VOTE, "clean", [], id="votes-of-two-kinds"),
        pytest.param(
            EARLY_RETURN,
            "doubtful",
            ["barrier skipped by threads that ended"],
            id="threads-that-return-before-a-barrier",
        ),
        pytest.param(EVERY_BLOCK_WRITES, "broken", ["WAW", "WAW of equal values"], id="all-blocks-write-one-place"),
        pytest.param(FIRST_BLOCK_WRITES, "clean", [], id="one-thread-writes-one-place"),
    ],
)
def test_a_reproducer_gets_its_verdict(check_text: CheckText, body: str, verdict: str, kinds: list[str]) -> None:
    report = check_text(HEAD + body + TAIL, "--launch", "2x128")
    assert (report.verdict, sorted(report.kinds)) == (verdict, sorted(kinds))
    assert report.code == (1 if verdict == "broken" else 0)


def test_a_value_from_a_lane_that_does_not_execute_the_shuffle_is_broken_if_it_is_stored(check_text: CheckText) -> None:
    report = check_text(HEAD + ABSENT_LANE + TAIL, "--launch", "2x128")
    assert report.verdict == "broken"
    assert "shuffle from an inactive lane" in report.kinds


def test_static_shared_memory_before_dynamic_memory_leaves_it_aligned(check_text: CheckText) -> None:
    text = """\
extern __shared__ int s[];
__global__ void k(const int *in, int *out) {
    __shared__ bool b;
    const int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) b = in[blockIdx.x] > 0;
    s[t] = in[g];
    __syncthreads();
    out[g] = b ? s[blockDim.x - 1 - t] : 0;
}
"""
    report = check_text(text)
    assert report.verdict == "clean", report.kernel


def test_the_tiles_of_cooperative_groups_meet_by_themselves(check_text: CheckText) -> None:
    text = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int SIZE> __device__ void sum(const int *in, int *out, int *s) {
    const int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    const int r = tile.thread_rank();
    s[t] = in[g];
    tile.sync();
    for (int d = SIZE / 2; d; d /= 2) {
        if (r < d) s[t] += s[t + d];
        tile.sync();
    }
    out[g] = s[t];
}
__global__ void k(const int *in, int *of_four, int *of_eight, int *of_sixteen) {
    __shared__ int four[64], eight[64], sixteen[64];
    sum<4>(in, of_four, four);
    sum<8>(in, of_eight, eight);
    sum<16>(in, of_sixteen, sixteen);
}
"""
    assert check_text(text, "--launch", "2x64").verdict == "clean"


def test_a_kernel_that_uses_y_is_launched_in_two_dimensions(check_text: CheckText) -> None:
    text = """\
__global__ void k(float *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[{place}] = y;
}
"""
    sound = check_text(text.replace("{place}", "y * width + x"))
    assert sound.verdict == "clean"
    assert [launch["launch"] for launch in sound.kernel["launches"]] == ["1:8x4", "2x2:16x16", "2:10x5", "3:8x8"]
    broken = check_text(text.replace("{place}", "x"))
    assert broken.verdict == "broken"
    assert "thread (0, 1, 0) of block (0, 0, 0)" in broken.kernel["findings"][0]["threads"]
