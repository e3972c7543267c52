"""Name what the host code changes between the launches of a kernel, of which bench compares the first."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

PROGRAM = """\
__constant__ float coef[2];
__global__ void first(float *out, const float *in, float scale, bool flip) {{
    out[threadIdx.x] = scale * in[flip ? 31 - threadIdx.x : threadIdx.x] + coef[0];
}}
__global__ void second(float *out, const float *in, float scale, bool flip) {{
    out[threadIdx.x] = scale * in[flip ? 31 - threadIdx.x : threadIdx.x] + coef[0];
}}
template <class F> void often(F f) {{
    for (int i = 0; i < 3; i++) f();
}}
int main() {{
    float *a, *b, pair[2] = {{3, 4}};
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    cudaMemcpyToSymbol(coef, pair, sizeof pair);
    first<<<1, 32>>>(b, a, 0.5f, false);
    float scale = 0.5f;
    bool flip = false;
    often([&] {{
        second<<<1, 32>>>(b, a, scale, flip);
        {change}
    }});
}}
"""
LATER = "results of later launches, "


def not_compared(text: str) -> str:
    """Return the line on what was not compared; empty without one."""
    return next((line for line in text.splitlines() if line.strip().startswith("not compared:")), "")


@pytest.mark.archs
def test_a_number_that_changes_is_named(process: Command) -> None:
    Path("sums.cu").write_text(PROGRAM.format(change="scale *= 0.5f;"), encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert f"{LATER}for which the host code passes `scale` = 0.25 (line 20)" in not_compared(outcome.err)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ("flip = !flip;", "for which the host code passes `flip` = 1 (line 20)"),
        ("std::swap(a, b);", "for which the host code passes the buffer of `in` as `out` (line 20)"),
        (
            "pair[0] += 1; cudaMemcpyToSymbol(coef, pair, sizeof pair);",
            "before which the host code changes `coef` (line 20)",
        ),
    ],
)
def test_other_changes_are_named(bench: BenchCommand, change: str, clause: str) -> None:
    outcome = bench(PROGRAM.format(change=change))
    assert outcome.code == 0, outcome.err
    assert LATER + clause in not_compared(outcome.err)


COPY = "pair[{place}] = {value}; cudaMemcpy(a, pair, sizeof pair, cudaMemcpyHostToDevice);"


ZEROS, FIRST = "cudaMemset(a, 0, 128);", COPY.format(place=0, value=3)
IN_CHANGES = f"{LATER}before which the host code changes `in` (line "


def with_contents(before: str, change: str) -> str:
    """Return the program, which sets `in` before the first launch and again after each later one."""
    text = PROGRAM.replace("pair[2]", "pair[32]").replace("sizeof pair);\n    first", "8);\n    {before}\n    first")
    return text.format(before=before, change=change)


@pytest.mark.parametrize(
    ("before", "change"), [(FIRST, COPY.format(place=1, value=5)), (ZEROS, "cudaMemset(a, 1, 128);")]
)
def test_other_contents_of_a_buffer_are_named(bench: BenchCommand, before: str, change: str) -> None:
    outcome = bench(with_contents(before, change))
    assert outcome.code == 0, outcome.err
    assert IN_CHANGES in outcome.err


@pytest.mark.parametrize("contents", [FIRST, ZEROS])
def test_contents_that_are_set_again_are_not_named(bench: BenchCommand, contents: str) -> None:
    outcome = bench(with_contents(contents, contents))
    assert outcome.code == 0, outcome.err
    assert LATER not in outcome.err


def test_launches_that_are_equal_add_nothing(bench: BenchCommand) -> None:
    assert LATER not in bench(PROGRAM.format(change="")).err


@pytest.mark.archs
def test_a_number_that_the_user_gives_does_not_change(bench: BenchCommand) -> None:
    assert LATER not in bench(PROGRAM.format(change="scale *= 0.5f;"), "--arg", "scale=2").err
