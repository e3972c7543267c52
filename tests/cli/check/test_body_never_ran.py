"""A kernel none of whose accesses to memory ran is not clean, as far as chosen values kept it from them."""

import pytest

from tests.cli.check.conftest import CheckText

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def kernel(parameters: str, statements: str) -> str:
    return f"__global__ void idle(float *out, {parameters}) {{\n    {INDEX}\n    {statements}\n}}\n"


@pytest.mark.parametrize(
    ("parameters", "statements", "needs", "inputs"),
    [
        ("int mode", "if (mode != 77345) return; out[i] = 1;", ["mode"], "mode = 0"),
        (
            "int n, int mode",
            "if (mode != 77345) return; __syncthreads(); if (i < n) out[i] = out[i] + 1;",
            ["mode"],
            "mode = 0",
        ),
        ("const int *flag", "if (*flag == 123456789) out[i] = out[i] + 1;", ["flag"], "values of `flag`"),
        (
            "const int *flag",
            "__shared__ float s[256]; if (*flag != 7654321) return; s[i] = i; __syncthreads(); out[i] = s[255 - i];",
            ["flag"],
            "values of `flag`",
        ),
    ],
)
def test_a_body_that_never_ran_needs_arguments(
    check_text: CheckText, parameters: str, statements: str, needs: list[str], inputs: str
) -> None:
    report = check_text(kernel(parameters, statements))
    assert (report.code, report.verdict, report.kernel["needs"]) == (0, "needs arguments", needs)
    assert f"no thread executed the body of the kernel with chosen {inputs}; to check it, give" in report.sentence
    assert check_text(kernel(parameters, statements), "--strict").code == 6


@pytest.mark.parametrize(
    ("parameters", "statements", "words"),
    [
        ("int mode", "if (mode != 77345) return; out[i] = 1;", ("--arg", "mode=0")),
        ("const int *in", "if (in[i] == 123456789) out[0] = 1;", ()),  # it looks for errors in its input
        ("int n", "if (i < n) out[i] = 1;", ()),
        ("int n, int mode", "if (i < n) out[i] = 1; if (mode == 77345) out[i] = 2;", ()),
    ],
)
def test_a_kernel_that_ran_or_that_given_values_keep_idle_is_clean(
    check_text: CheckText, parameters: str, statements: str, words: tuple[str, ...]
) -> None:
    assert check_text(kernel(parameters, statements), *words).verdict == "clean"


def test_a_size_that_the_body_divides_by_is_tried_with_several_units(check_text: CheckText) -> None:
    report = check_text(kernel("unsigned long bytes", "if (i < bytes / (1 << 16)) out[i << 14] = i;"))
    assert report.verdict == "clean"
    wrong = "if (i < bytes / (1 << 16)) { out[i << 14] = i; out[0] = out[(i ^ 1) << 14]; }"
    assert check_text(kernel("unsigned long bytes", wrong)).verdict != "clean"


def test_loads_from_the_tables_of_a_function_are_no_body(check_text: CheckText) -> None:
    text = (
        "typedef double (*Function)(double);\n__device__ double first(double x) { return sin(x); }\n"
        "__global__ void call(double x, int i) { Function f = i == 0 ? first : (Function)cos; f(x); }\n"
    )
    assert check_text(text).verdict == "clean"
