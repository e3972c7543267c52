"""Small whole programs, each with the verdict that its host code decides."""

from pathlib import Path

import pytest

from tests.cli.check.conftest import CheckText
from tests.conftest import Command

SMOOTH = """\
__global__ void smooth(const float *in, float *out, int n) {
    __shared__ float tile[128];
    for (int first = blockIdx.x * 128; first < n; first += gridDim.x * 128) {
        int i = first + threadIdx.x;
        tile[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        if (i < n) out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % 128];
        BARRIER
    }
}
"""
BUFFERS = """\
#include <cstdlib>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    LAUNCH
}
"""
ROWS = """\
#include <cstdlib>
__global__ void sums(const float *in, float *out, int rows, int columns) {
    __shared__ float part[128];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float sum = 0;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += in[row * columns + c];
        part[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < 32) {
            sum = part[threadIdx.x] + part[threadIdx.x + 32] + part[threadIdx.x + 64] + part[threadIdx.x + 96];
            for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
            if (threadIdx.x == 0) out[row] = sum;
        }
        BARRIER
    }
}
int main(int argc, char **argv) {
    int rows = atoi(argv[1]), columns = atoi(argv[2]);
    float *in, *out;
    cudaMalloc(&in, rows * columns * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    sums<<<rows / 4, 128>>>(in, out, rows, columns);
}
"""
PRODUCT = """\
#include <cstdlib>
#define TILE 8
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
        BARRIER
    }
    c[y * n + x] = sum;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    product<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}
"""
MEMBER = """\
struct Pool { unsigned *count; };
namespace trees { namespace kernels {
template <typename P> __global__ void root(unsigned *place, P pool) {
    unsigned id;
    if (threadIdx.x % 32 == 0) id = atomicAdd(pool.count, 1);
    *place = __shfl_sync(~0u, id, 0);
}
} }
namespace trees {
template <typename K> struct Map {
    Pool pool_;
    void begin(unsigned *&place, cudaStream_t stream = 0);
};
template <typename K> void Map<K>::begin(unsigned *&place, cudaStream_t stream) {
    kernels::root<<<1, 32, 0, stream>>>(place, pool_);
}
}
int main() { unsigned *place; trees::Map<int> map; map.begin(place); }
"""
NEIGHBOR = """\
#include <cstdlib>
#define N 128
#define Real double
__global__ void set(Real *large, Real *small) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, c = blockIdx.y + 1;
    large[c * (N + 2) + i] = c;
    if (threadIdx.x == 0) small[blockIdx.y + gridDim.y * blockIdx.x] = i;
}
int main(int argc, char **argv) {
    int size = SIZE;
    Real *large, *small;
    cudaMalloc((void **)&large, size * sizeof(Real));
    cudaMalloc((void **)&small, 256 * sizeof(Real));
    dim3 grid(N / 64, N), block(64, 1);
    set<<<grid, block>>>(large, small);
}
"""
SHIFTED = """\
__global__ void twice(const float *in, float *out) { out[threadIdx.x] = 2 * in[63 - threadIdx.x]; }
int main() { float *d; cudaMalloc(&d, 80 * sizeof(float)); LAUNCH }
"""
# The register of the address has that of `part[-threadIdx.x]`, to which loads add the rest.
DIAGONALS = """\
__global__ void diagonals(int *out) {
    __shared__ int part[16][16];
    for (int y = 0; y < 16; y++) part[y][threadIdx.x] = y;
    __syncthreads();
    for (int m = 0; m < 16; m++)
        if (threadIdx.x <= m + MORE) out[m * 16 + threadIdx.x] = part[m - (int)threadIdx.x][threadIdx.x];
}
int main() { int *out; cudaMalloc(&out, 1024); diagonals<<<1, 16>>>(out); }
"""
HANDED_ON = """\
#include <cstdlib>
__global__ void twice(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}
void run(int argc, char **argv) {
    if (argc != 4) exit(1);
    int n = atoi(argv[3]);
    float *data;
    cudaMalloc(&data, n * sizeof(float));
    twice<<<(n + 95) / 96, 96>>>(data, n);
}
int main(int argc, char **argv) { run(argc, argv); }
"""


@pytest.mark.archs
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (SMOOTH + BUFFERS.replace("LAUNCH", "smooth<<<16, 128>>>(in, out, n);"), "broken"),
        (SMOOTH + BUFFERS.replace("LAUNCH", "smooth<<<128, 128>>>(in, out, n);"), "broken"),
        (SMOOTH + BUFFERS.replace("LAUNCH", "smooth<<<(n + 127) / 128 / 4, 128>>>(in, out, n);"), "broken"),
        (ROWS, "broken"),
        (PRODUCT, "broken"),
    ],
    ids=["constant grid", "grid larger than emulated whole", "grid of the size", "rows", "tiles"],
)
def test_a_missing_barrier_in_a_loop_shows_at_numbers_of_the_command_line(
    check_text: CheckText, text: str, verdict: str
) -> None:
    report = check_text(text.replace("BARRIER", ""))
    assert (report.code, report.verdict) == (1, verdict)
    assert check_text(text.replace("BARRIER", "__syncthreads();")).verdict != verdict


def test_a_launch_in_a_member_function_of_a_class_template_counts(check_text: CheckText) -> None:
    report = check_text(MEMBER)
    assert report.verdict == "doubtful"  # all lanes store one value
    assert [launch["launch"] for launch in report.kernel["launches"]] == ["1x32"]


def test_a_launch_that_the_user_gives_decides_where_the_host_code_does_not_perform_it(check_text: CheckText) -> None:
    text = (
        "__global__ void k(float *p, int kind) { p[threadIdx.x / 2] += kind; }\n"
        "int main() { float *p; int kind = 0; cudaMalloc(&p, 256); if (kind == 1) k<<<1, 64>>>(p, kind); }\n"
    )
    report = check_text(text)
    assert (report.verdict, report.kernel["needs"]) == ("needs arguments", ["--launch"])
    assert check_text(text, "--launch", "1x64", "--arg", "kind=3", "--arg", "p=f32[64]").verdict == "broken"


def test_an_allocation_whose_size_is_read_decides_only_with_the_number(check_text: CheckText) -> None:
    read = NEIGHBOR.replace("SIZE", "atoi(argv[1])")
    report = check_text(read)
    assert (report.verdict, report.kernel["needs"]) == ("needs arguments", ["--host-args"])
    assert "with chosen argv[1] = " in report.kernel["sentence"]
    assert "for chosen argv[1] = " in report.kernel["launches"][0]["note"]
    assert check_text(read, "--host-args", "16900").verdict == "clean"
    assert check_text(read, "--host-args", "9000").verdict == "broken"
    assert check_text(NEIGHBOR.replace("SIZE", "(N + 2) * (N + 2)")).verdict == "clean"


@pytest.mark.parametrize(
    "launch",
    [
        "float *e = d; twice<<<1, 64>>>(d, e);",
        "twice<<<1, 64>>>(&d[1], d);",
        "twice<<<1, 64>>>(d, d + 1);",
        "float *e; e = d + 8; twice<<<1, 64>>>(e, d);",
    ],
)
def test_two_pointers_into_one_allocation_are_one_buffer(check_text: CheckText, launch: str) -> None:
    assert check_text(SHIFTED.replace("LAUNCH", launch)).verdict == "broken"
    apart = f"float *o; cudaMalloc(&o, 80 * sizeof(float)); {launch.replace('d)', 'o)').replace(', e)', ', o)')}"
    assert check_text(SHIFTED.replace("LAUNCH", apart.replace("d + 1)", "o + 1)"))).verdict == "clean"


def test_a_null_pointer_stays_null(check_text: CheckText) -> None:
    report = check_text(
        "__global__ void set(int *o) { o[threadIdx.x] = 1; }\nint main() { set<<<1, 32>>>(nullptr); }\n"
    )
    assert (report.code, report.verdict) == (1, "broken")
    guarded = "__global__ void set(int *o) { if (o) o[threadIdx.x] = 1; }\nint main() { set<<<1, 32>>>(NULL); }\n"
    assert check_text(guarded).verdict == "clean"


def test_a_quote_that_does_not_end_is_refused(shflbench: Command) -> None:
    Path("k.cu").write_text(PRODUCT, encoding="utf-8")
    outcome = shflbench("check", "k.cu", "--host-args", "'64")
    assert (outcome.code, "a quote in it does not end" in outcome.err) == (2, True)


def test_an_address_in_shared_memory_may_be_negative_before_its_offset_is_added(check_text: CheckText) -> None:
    assert check_text(DIAGONALS.replace("MORE", "0")).verdict == "clean"
    report = check_text(DIAGONALS.replace("MORE", "1"))
    assert report.verdict == "broken"
    assert any("byte -60 of the 1024 bytes of `part`" in finding["sentence"] for finding in report.kernel["findings"])


def test_a_function_that_main_hands_the_command_line_to_may_count_its_words(check_text: CheckText) -> None:
    report = check_text(HANDED_ON)
    assert report.verdict == "clean"
    assert {launch["launch"].partition("x")[2] for launch in report.kernel["launches"]} == {"96"}
    assert all("argv[3] = " in launch["note"] for launch in report.kernel["launches"])
