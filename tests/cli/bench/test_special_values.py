"""Compare results for NaN and infinities, which are a failure only where the inputs of the program contain them."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

PROGRAM = """\
#include <cmath>
__global__ void f(const float *in, float *out, int n) {{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}}
__global__ void g(const float *in, float *out, int n) {{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) out[i] = {value};
}}
int main() {{
    float host[96], *in, *a, *b;
    for (int i = 0; i < 96; i++) host[i] = i % 7 + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    f<<<3, 32>>>(in, a, 96);
    g<<<3, 32>>>(in, b, 96);
}}
"""
SIZE = "not compared: results with other values of `n` than 96"
DIFFERS = "results for infinities and NaN in `in`, which differ: "
LINE = f"{SIZE}; {DIFFERS}"
NO_NAN = "in[i] == in[i] ? 2 * in[i] : 0"
CLAMPED = "fminf(2 * in[i], 3.4e38f)"


@pytest.mark.archs
def test_a_kernel_that_differs_for_nan_is_named(process: Command) -> None:
    Path("sums.cu").write_text(PROGRAM.format(value=NO_NAN), encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is 0.0, not nan (5 of 96 are wrong)" in outcome.err


def test_a_kernel_that_differs_for_infinities_is_named(bench: BenchCommand) -> None:
    outcome = bench(PROGRAM.format(value=CLAMPED))
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is 3.39" in outcome.err  # `fminf` takes the number that is not NaN, too


def test_kernels_that_agree_have_no_such_line(bench: BenchCommand) -> None:
    outcome = bench(PROGRAM.format(value="in[i] + in[i]"))
    assert outcome.code == 0, outcome.err
    assert f"{SIZE}\n" in outcome.err


@pytest.mark.archs
def test_nan_of_one_input_does_not_hide_that_of_another_one(bench: BenchCommand) -> None:
    """Each result is NaN if `x` has one, whatever a kernel makes of NaN in `in`."""
    text = PROGRAM.replace("float *out", "const float *x, float *out").replace("*in, *a", "*in, *x, *a")
    text = text.replace("(in, ", "(in, x, ").replace("cudaMalloc(&a", "cudaMalloc(&x, sizeof host);\n    cudaMalloc(&a")
    text = text.replace("2 * in[i];", "2 * in[i] + x[0] + x[32] + x[48] + x[80];")
    outcome = bench(text.format(value=f"({NO_NAN}) + x[0] + x[32] + x[48] + x[80]"))
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is " in outcome.err
    assert "in `x`" not in outcome.err


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_it_is_a_failure_where_the_inputs_of_the_program_contain_it(bench: BenchCommand, special: float) -> None:
    contents = np.arange(96, dtype=np.float32)
    contents[5] = special
    np.save("in.npy", contents)
    value = "isfinite(in[i]) ? 2 * in[i] : 0"
    outcome = bench(PROGRAM.format(value=value), "--arg", "in=in.npy")
    assert outcome.code == 5, outcome.err
    assert "on input 0, element 5 is 0.0, not" in outcome.err


@pytest.mark.parametrize("nan", ["NAN", "std::numeric_limits<float>::quiet_NaN()"])
def test_nan_of_the_host_code_is_such_an_input(bench: BenchCommand, nan: str) -> None:
    text = PROGRAM.format(value=NO_NAN).replace("    cudaMalloc(&in", f"    host[95] = {nan};\n    cudaMalloc(&in")
    outcome = bench(text)
    assert outcome.code == 5, outcome.err
    assert "on input 0, element 95 is 0.0, not nan" in outcome.err


MAXIMUM = """\
#include <cmath>
__global__ void f(const float *in, float *out, float least) {
    for (int i = 0; i < 1024; i++) least = fmaxf(least, in[i]);
    out[threadIdx.x] = least;
}
__global__ void g(const float *in, float *out, float least) {
    for (int i = 0; i < 1024; i++) least = least > in[i] ? least : in[i];
    out[threadIdx.x] = least;
}
int main() {
    float *in, *a, *b;
    cudaMalloc(&in, 4096);
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    f<<<1, 32>>>(in, a, LEAST);
    g<<<1, 32>>>(in, b, LEAST);
}
"""


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize("least", ["-INFINITY", "-std::numeric_limits<float>::infinity()", 'nanf("")'])
def test_number_that_is_not_finite_is_passed(bench: BenchCommand, least: str) -> None:
    outcome = bench(MAXIMUM.replace("LEAST", least))
    assert outcome.code == 0, outcome.err
    assert f"least = {'nan' if 'nan' in least else '-inf'} (from the host code)" in outcome.err
    assert f"{DIFFERS}element 0 is nan, not inf" in outcome.err
    given = bench(MAXIMUM.replace("LEAST", "0.0f"), "--arg", "least=-inf", "--output", "given")
    assert given.code == 0, given.err


def test_two_numbers_without_an_end_are_passed(bench: BenchCommand) -> None:
    """They are equal, and hide one another as other equal numbers do, but there is no greater one."""
    signature = "(float *out, const float *in, float low, float high) { out[threadIdx.x] ="
    text = f"""
__global__ void first{signature} fminf(in[threadIdx.x], low) + fminf(in[threadIdx.x], high); }}
__global__ void second{signature} fminf(in[threadIdx.x], high) + fminf(in[threadIdx.x], low); }}
"""
    given = ("--arg", "out=f32[32]", "--arg", "in=f32[32]", "--arg", "low=inf", "--arg", "high=inf")
    outcome = bench(text, "--no-check", "--launch", "1x32", *given)
    assert outcome.code == 0, outcome.err
    assert "not compared: results with other values of `low` than inf, `high` than inf" in outcome.err


def test_vectors_have_them_in_each_component(bench: BenchCommand) -> None:
    text = """
__global__ void f(const float4 *in, float4 *out) { float4 v = in[threadIdx.x]; v.y = 0; out[threadIdx.x] = v; }
__global__ void g(const float4 *in, float4 *out) { float4 v = in[threadIdx.x]; v.y *= 0; out[threadIdx.x] = v; }
int main() {
    float4 *in, *a, *b;
    cudaMalloc(&in, 512);
    cudaMalloc(&a, 512);
    cudaMalloc(&b, 512);
    f<<<1, 32>>>(in, a);
    g<<<1, 32>>>(in, b);
}
"""
    outcome = bench(text)
    assert outcome.code == 0, outcome.err
    assert f"not compared: {DIFFERS}element 45 is nan, not 0.0 (3 of 128 are wrong)" in outcome.err


MATRIX = """\
__global__ void whole(const float *a, const float *in, float *out, int n) {
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i < n) out[i] = a[i] * in[threadIdx.x];
}
__global__ void some(const float *a, const float *in, float *out, int n) {
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i < n) out[i] = a[i] == 0 ? a[i] : a[i] * in[threadIdx.x];
}
int main() {
    float *a, *in, *out;
    const int n = 64 * 96;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&in, 96 * 4);
    cudaMalloc(&out, n * 4);
    whole<<<64, 96>>>(a, in, out, n);
    some<<<64, 96>>>(a, in, out, n);
}
"""


@pytest.mark.archs
def test_a_kernel_that_leaves_out_zeros_is_named(bench: BenchCommand) -> None:
    outcome = bench(MATRIX)
    assert outcome.code == 0, outcome.err
    assert DIFFERS in outcome.err


@pytest.mark.archs
def test_a_size_that_has_several_values_is_compared_for_each(bench: BenchCommand) -> None:
    one = bench(MATRIX, "--no-check")
    several = bench(MATRIX, "--no-check", "--arg", "n=6144,6143", "--output", "several")
    assert (one.code, several.code) == (0, 0), several.err
    assert "other values of `n`" in one.err
    assert "other values of `n`" not in several.err


SUMS = """\
__global__ void whole(const float *a, const float *in, float *out) {
    float sum = 0;
    for (int i = 0; i < 96; i++) sum += a[FACTOR] * in[i];
    out[threadIdx.x] = sum;
}
__global__ void some(const float *a, const float *in, float *out) {
    float sum = 0;
    for (int i = 0; i < 96; i++) {
        float product = a[FACTOR] * in[i];
        if (CONDITION) sum += product;
    }
    out[threadIdx.x] = sum;
}
int main() {
    float *a, *in, *out;
    cudaMalloc(&a, 96 * 96 * 4);
    cudaMalloc(&in, 96 * 4);
    cudaMalloc(&out, 96 * 4);
    whole<<<1, 96>>>(a, in, out);
    some<<<1, 96>>>(a, in, out);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(
    ("factor", "condition"),
    [("1", "product == product"), ("threadIdx.x * 96 + i", "a[threadIdx.x * 96 + i] != 0")],
)
def test_infinities_do_not_hide_a_nan_that_a_sum_leaves_out(bench: BenchCommand, factor: str, condition: str) -> None:
    """Infinities of both signs make each sum NaN, whatever a kernel makes of NaN itself or of zeros beside it."""
    outcome = bench(SUMS.replace("FACTOR", factor).replace("CONDITION", condition))
    assert outcome.code == 0, outcome.err
    assert "results for infinities and NaN in `in`, which differ: " in outcome.err
