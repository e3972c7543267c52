"""`shflbench bench` on kernels that agree only for some inputs, contents of outputs, numbers or rules of comparison."""

import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.store import Row, read_run
from tests.cli.bench.conftest import BenchCommand

pytestmark = pytest.mark.expensive

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
ALLOCATE = "float *x, *out; cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));"


def program(first: str, second: str, *, before: str = "", copied: str = "", more: str = "", passed: str = "") -> str:
    """Return a file with the kernels `first` and `second` of 64 threads, launched one after the other."""
    kernels = "".join(
        f"__global__ void {name}(float* out, const float* x, int n{more}) {{ {INDEX} if (i < n) {{ {body} }} }}\n"
        for name, body in (("f", first), ("g", second))
    )
    launches = "".join(f"{name}<<<2, 32>>>(out, x, n{passed});" for name in "fg")
    return f"{before}\n{kernels}int main() {{ int n = 64; {ALLOCATE} {copied} {launches} }}\n"


def rows() -> dict[str, Row]:
    return {row.variant: row for row in read_run(Path("run")).rows}


COPY = "cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);"
DIFFERENT = {
    "adds-to-an-output-that-began-as-zero": (program("out[i] = x[i];", "atomicAdd(&out[i], x[i]);"), "`out`, `x`"),
    "overwrites-its-input": (program("out[i] = x[i];", "out[i] = x[i]; ((float*)x)[i] = 0;"), "in `x`, element"),
    "result-in-a-variable": (
        program("out[i] = x[i]; G[i] = x[i];", "out[i] = x[i]; G[i] = 5;", before="__device__ float G[64];"),
        "in `G`, element",
    ),
    "ignores-numbers-of-1-and-0": (
        program("out[i] = a * x[i] + b * out[i];", "out[i] = x[i];", more=", float a, float b", passed=", 1.0f, 0.0f"),
        "with varied contents of `out`, `x` and a = 1.625 and b = 0.75, element",
    ),
    "square-and-double-of-2": (
        program("out[i] = a * a * x[i];", "out[i] = (a + a) * x[i];", more=", float a", passed=", 2.0f"),
        "with varied contents of `x` and a = 2.625, element",
    ),
    "numbers-that-are-equal": (
        program("out[i] = a * x[i] + b;", "out[i] = b * x[i] + b;", more=", float a, float b", passed=", 2.5f, 2.5f"),
        "with varied contents of `x` and a = 3.125 and b = 3.25, element",
    ),
    "term-that-is-tiny": (
        program("out[i] = x[i] / (9 + x[i] + e);", "out[i] = x[i] / (9 + x[i]);", more=", float e", passed=", 1e-5f"),
        "with varied contents of `x` and e = ",
    ),
    "bytes-above-127": (
        program("out[i] = x[i] / 2;", "out[i] = (signed char)x[i] / 2;").replace("float", "unsigned char"),
        "with varied contents of `x`, element",
    ),
    "words-above-32-bits": (
        program("out[i] = x[i] + n;", "out[i] = (unsigned)x[i] + n;").replace("float", "unsigned long long"),
        "with varied contents of `x`, element",
    ),
    "high-bits-of-a-word": (
        program("out[i] = x[i];", "out[i] = x[i] & 0xffffffu;").replace("float", "unsigned"),
        "with varied contents of `x`, element",
    ),
    "square-of-0-and-1": (
        program(
            "out[i] = x[i] * x[i];",
            "out[i] = x[i];",
            copied=f"float h[64]; for (int i = 0; i < n; i++) h[i] = i % 2; {COPY}",
        ),
        "with varied contents of `x`, element",
    ),
    "index-in-place-of-contents": (
        program("out[i] = x[i];", "out[i] = i;", copied=f"float h[64]; for (int i = 0; i < n; i++) h[i] = i; {COPY}"),
        "with varied contents of `x`, element",
    ),
    "infinity-and-zero": (program("out[i] = 1.0f / 0.0f;", "out[i] = 0.0f;"), "element 0 is 0.0, not inf"),
    "infinity-and-a-large-number": (
        program("out[i] = i % 8 ? x[i] : -1.0f / 0.0f;", "out[i] = i % 8 ? x[i] : -3.4e38f;"),
        "not -inf",
    ),
    "one-large-number": (
        program("out[i] = i == 0 ? 1e12f : x[i];", "out[i] = i == 0 ? 1e12f : -77.0f;"),
        "(63 of 64 are wrong)",
    ),
    "sum-in-half-precision": (
        program(
            "float s = 0; for (int k = 0; k < 32; k++) s += x[(i + k) % n] * x[(i + 2 * k) % n]; out[i] = s;",
            "__half s = 0; for (int k = 0; k < 32; k++)"
            " s = __hadd(s, __float2half(x[(i + k) % n] * x[(i + 2 * k) % n])); out[i] = s;",
            before="#include <cuda_fp16.h>",
        ),
        "with varied contents of `x`, element",
    ),
    "contents-of-a-constant": (
        program(
            "out[i] = x[i] * coef[0] + coef[1];",
            "out[i] = 3 * x[i] * coef[0] - coef[1];",
            before="__constant__ float coef[2];",
            copied="const float c[2] = {2, 5}; cudaMemcpyToSymbol(coef, c, sizeof(c));",
        ),
        "on input 0, element",
    ),
    "a-constant-that-nothing-sets": (
        program("out[i] = x[i] * coef;", "out[i] = 3 * x[i] * coef;", before="__constant__ float coef;"),
        "with varied contents of `x`, `coef`, element",
    ),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("text", "words"), DIFFERENT.values(), ids=DIFFERENT)
def test_kernels_that_differ_are_not_the_same(bench: BenchCommand, text: str, words: str) -> None:
    outcome = bench(text, "--no-check")
    assert outcome.code == 5, outcome.err
    assert words in (rows()["g"].reason or "")


EQUAL = {
    "sums-in-another-order": program(
        "float s = 0; for (int k = 0; k < n; k++) s += x[k] * x[(i + k) % n]; out[i] = s;",
        "float s = 0; for (int k = n - 1; k >= 0; k--) s += x[k] * x[(i + k) % n]; out[i] = s;",
    ),
    "loop-up-to-a-constant-of-the-host-code": program(
        "for (int k = 0; k < N; k++) out[i] = x[i] + k;",
        "out[i] = x[i] + 99;",
        before="__constant__ int N;",
        copied="int c = 100; cudaMemcpyToSymbol(N, &c, sizeof(int));",
    ),
    "variable-with-contents-and-a-part-by-offset": program(
        "out[i] = x[i] * w[1] + w[0] / w[2];",
        "out[i] = w[0] / w[2] + w[1] * x[i];",
        before="__device__ float w[3] = {7, 0, 2};",
        copied="float c = 3; cudaMemcpyToSymbol(w, &c, sizeof(c), sizeof(c));",
    ),
    "logarithms-of-varied-inputs": program("out[i] = logf(x[i]);", "float y = x[i]; out[i] = logf(y);"),
    "accumulators-that-all-add-to": program("atomicAdd(&out[i], x[i]);", "out[i] += x[i];"),
    "inverse-of-a-size": program(
        "out[i] = x[i] * r;", "out[i] = x[i] / n;", more=", float r", passed=", 1 / 640.0f"
    ).replace("n = 64;", "n = 640;"),
    "size-as-a-float": program("out[i] = x[i] / s;", "out[i] = x[i] / n;", more=", float s", passed=", 64.0f"),
    "last-block-with-a-counter": program(
        "out[i] = x[i];",
        "out[i] = x[i]; if (threadIdx.x == 0 && atomicAdd(&blocks, 1) == gridDim.x - 1) blocks = 0;",
        before="__device__ unsigned blocks;",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", EQUAL.values(), ids=EQUAL)
def test_kernels_that_agree_are_the_same(bench: BenchCommand, text: str) -> None:
    outcome = bench(text, "--no-check")
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"verified"}
    assert "floating-point results may differ by 0.0001 of their magnitude (--rtol)" in outcome.err


def test_zeros_of_another_sign_are_counted(bench: BenchCommand) -> None:
    outcome = bench(program("out[i] = 0.0f;", "out[i] = -0.0f;"), "--no-check")
    assert outcome.code == 0
    assert "g: 64 zeros have another sign than in f" in outcome.err


def test_results_that_only_the_median_allows_are_counted(bench: BenchCommand) -> None:
    text = program("out[i] = i ? x[i] + 20 : 1e-9f;", "out[i] = i ? x[i] + 20 : 2e-9f;")
    outcome = bench(text, "--no-check")
    assert outcome.code == 0
    assert "g: 1 result differs by more, and by less than that share of the median magnitude" in outcome.err


def test_wrong_bytes_that_equal_the_contents_before_are_no_missing_stores(bench: BenchCommand) -> None:
    text = program("out[i] = i * 3;", "out[i] = i * 3 + 1;").replace("float", "unsigned char")
    outcome = bench(text, "--no-check")
    assert outcome.code == 5
    assert "is 1, not 0 (64 of 64 are wrong)" in (rows()["g"].reason or "")


def test_what_is_not_compared_is_said(bench: BenchCommand) -> None:
    text = program("out[i] = x[idx[0]];", "out[i] = x[idx[0]] + 0;", more=", const int* idx")
    text = text.replace("int n = 64;", "int n = 64; int* d; cudaMalloc(&d, 4);").replace(
        "(out, x, n)", "(out, x, n, d)"
    )
    outcome = bench(text, "--no-check")
    assert outcome.code == 0, outcome.err
    assert (
        "not compared: results with other contents of `idx`; results with other values of `n` than 64\n" in outcome.err
    )


def test_equal_numbers_that_lead_to_addresses_are_named(bench: BenchCommand) -> None:
    index = "out[i % n * pitch / pitch]"
    text = program(f"{index} = x[i];", f"{index} = x[i] + 0;", more=", int pitch", passed=", 64")
    outcome = bench(text, "--no-check")
    assert outcome.code == 0, outcome.err
    assert "not compared: results with other values of `n` than 64, `pitch` than 64\n" in outcome.err


def test_numbers_that_keep_their_value_are_named(bench: BenchCommand) -> None:
    outcome = bench(
        program("out[i] = a * x[i];", "out[i] = 3.5f * x[i];", more=", float a", passed=", 3.5f"), "--no-check"
    )
    assert outcome.code == 0, outcome.err
    assert "not compared: results with other values of `n` than 64, `a` than 3.5\n" in outcome.err


def test_a_variable_that_nothing_sets_is_a_warning_with_the_option_that_gives_it(bench: BenchCommand) -> None:
    text = program("out[i] = x[i] * coef[1];", "out[i] = coef[1] * x[i];", before="__constant__ float coef[2];")
    outcome = bench(text, "--no-check")
    assert outcome.code == 0
    given = "--arg 'coef=f32[2]:VALUES'"
    assert f"the variable `coef` contains zeros, because nothing sets it; give its contents by {given}" in outcome.err
    given_contents = bench(text, "--no-check", "--output", "other", "--arg", "coef=f32[2]:1,2")
    assert given_contents.code == 0, given_contents.err
    assert "nothing sets it" not in given_contents.err
    assert "coef = 8 bytes (given)" in given_contents.err


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("coef=f32[3]:1", "--arg coef: it has 8 bytes, and 12 are given"),
        ("coef=1", "--arg coef: it is an array of 8 bytes"),
    ],
)
def test_contents_that_do_not_fit_a_variable_are_refused(bench: BenchCommand, given: str, sentence: str) -> None:
    text = program("out[i] = x[i] * coef[1];", "out[i] = coef[1] * x[i];", before="__constant__ float coef[2];")
    outcome = bench(text, "--no-check", "--arg", given)
    assert outcome.code == 2
    assert sentence in outcome.err


@pytest.mark.archs
def test_the_command_finds_another_use_of_a_constant(tmp_path: Path) -> None:
    text, _ = DIFFERENT["contents-of-a-constant"]
    (tmp_path / "constant.cu").write_text(text, encoding="utf-8")
    words = ("bench", "constant.cu", "--device", "emulator", "--output", "run")
    done = subprocess.run(
        [sys.executable, "-m", "shflbench", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 5, done.stderr
    assert "INCORRECT, 0 of 2 inputs matched" in done.stderr
