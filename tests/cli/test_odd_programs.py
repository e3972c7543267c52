"""Commands as processes on programs that nobody would write on purpose: none ends in a fault of shflbench."""

from pathlib import Path

import pytest

from tests.conftest import Command

# A loop of launches, each of which gets what the one before it wrote, through a function that takes a structure.
TIMED_STRUCTURE = """
struct View { const float *data; int rows, columns; };
__global__ void sums(View a, float *y) {
    float sum = 0;
    for (int column = 0; column < a.columns; column++) sum += a.data[threadIdx.x * a.columns + column];
    y[threadIdx.x] = sum;
}
__global__ void copies(View a, float *y) { y[threadIdx.x] = a.data[threadIdx.x]; }
static void measure(void (*kernel)(View, float *), View a, float *y) {
    for (int round = 0; round < 30; round++)
        for (int launch = 0; launch < 30; launch++) kernel<<<1, a.rows>>>(a, y);
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 32 * 4 * sizeof(float));
    cudaMalloc(&y, 32 * sizeof(float));
    View view{x, 32, 4};
    measure(sums, view, y);
    measure(copies, view, y);
}
"""
# `rows * columns` of large words is more than an `int` holds, and the difference negative.
NEGATIVE = """
#include <cstdlib>
__global__ void add_rows(const int *rest, int *out, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (column >= columns) return;
    for (int row = 0; row < rows - 1; row++) sum += rest[row * columns + column];
    out[column] = sum;
}
int main(int argc, char **argv) {
    int rows = atoi(argv[1]), columns = atoi(argv[2]), size = rows * columns, *rest, *out;
    cudaMalloc(&out, sizeof(int) * columns);
    cudaMalloc(&rest, sizeof(int) * (size - columns));
    add_rows<<<(columns + 255) / 256, 256>>>(rest, out, rows, columns);
}
"""
STORE = "__global__ void store(double *p) { if (threadIdx.x == 0) *p = 1; }\n"
BELOW_ZERO = f"{STORE}int main() {{ double *p; cudaMalloc(&p, -5); store<<<1, 32>>>(p); }}"
TWO_BYTES = f"{STORE}int main() {{ double *p; cudaMalloc(&p, 2); store<<<1, 32>>>(p); }}"


@pytest.mark.archs
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("text", "words", "code", "sentence"),
    [
        (TIMED_STRUCTURE, "bench", 5, "copies   10         INCORRECT"),
        (NEGATIVE, "check --compiler nvrtc", 0, "1 clean"),
        (BELOW_ZERO, "check --compiler nvrtc", 0, "1 clean"),
        (BELOW_ZERO, "bench", 2, "give --arg p=f64[COUNT]"),
        (TWO_BYTES, "check --compiler nvrtc", 1, "byte 0 of the 2 bytes of `p`"),
    ],
    ids=["launches", "wrapped", "negative", "negative-bench", "less-than-an-element"],
)
def test_the_outcome_is_a_sentence(process: Command, text: str, words: str, code: int, sentence: str) -> None:
    Path("program.cu").write_text(text, encoding="utf-8")
    command, *options = words.split()
    outcome = process(command, "program.cu", *options)
    assert outcome.code == code, outcome.err
    assert sentence in outcome.out + outcome.err
