"""A fault after another one is reported where it does not depend on what the first access should have returned."""

import pytest

from tests.cli.check.conftest import Checked, CheckText

SIZES = ("--launch", "1x128", "--arg", "x=f32[64]:0", "--arg", "y=f32[64]", "--arg", "n=64")


def kernel(statements: str) -> str:
    return f"""\
__global__ void shift(const float *x, float *y, int n) {{
    int i = threadIdx.x;
    {statements}
}}
"""


def faults(report: Checked) -> list[str]:
    return [finding["detail"] for finding in report.kernel["findings"] if finding["level"] == "error"]


@pytest.mark.parametrize("statement", ["if (i <= n) y[i] = x[i];", "if (i <= n) y[i] =\n        x[i] * 2;"])
def test_the_read_and_the_write_past_the_end_are_two_findings(check_text: CheckText, statement: str) -> None:
    report = check_text(kernel(statement), *SIZES)
    assert (report.code, report.verdict, report.kinds) == (1, "broken", ["out of bounds", "out of bounds"])
    assert faults(report) == ["byte 256 of the 256 bytes of `x`", "byte 256 of the 256 bytes of `y`"]
    read, write = report.kernel["findings"]
    assert ("reads memory" in read["sentence"], "writes memory" in write["sentence"]) == (True, True)
    assert write["after_fault"]["line"] == read["line"]


@pytest.mark.parametrize(
    "statement",
    [
        "if (i <= n) y[(int)x[i] + 64 * (i == n)] = 1;",
        "if (i <= n && x[i] != 1e30f) y[i] = 1;",
    ],
)
def test_what_depends_on_the_missing_value_is_not_reported(check_text: CheckText, statement: str) -> None:
    assert faults(check_text(kernel(statement), *SIZES)) == ["byte 256 of the 256 bytes of `x`"]


def test_a_fault_counts_although_the_one_before_it_needs_arguments(check_text: CheckText) -> None:
    text = kernel("if (i <= n) y[i] = x[-1 - (int)index[i]];").replace("int n)", "int n, const unsigned char *index)")
    report = check_text(text, *SIZES)
    assert (report.code, faults(report)) == (1, ["byte 256 of the 256 bytes of `y`"])
    assert report.kernel["findings"][0]["needs"] == ["index"]
