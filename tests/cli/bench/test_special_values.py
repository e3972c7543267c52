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
LINE = "not compared: results for infinities and NaN in `in`, which differ: "
NO_NAN = "in[i] == in[i] ? 2 * in[i] : 0"
CLAMPED = "fminf(2 * in[i], 3.4e38f)"


def test_a_kernel_that_differs_for_nan_is_named(process: Command) -> None:
    Path("sums.cu").write_text(PROGRAM.format(value=NO_NAN), encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is 0.0, not nan (1 of 96 are wrong)" in outcome.err


def test_a_kernel_that_differs_for_infinities_is_named(bench: BenchCommand) -> None:
    outcome = bench(PROGRAM.format(value=CLAMPED))
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is 3.39" in outcome.err  # `fminf` takes the number that is not NaN, too


def test_kernels_that_agree_have_no_such_line(bench: BenchCommand) -> None:
    outcome = bench(PROGRAM.format(value="in[i] + in[i]"))
    assert outcome.code == 0, outcome.err
    assert "not compared" not in outcome.err


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
