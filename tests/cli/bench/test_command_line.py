"""The command line of the program in the file: none, or the one of `--host-args`."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import KERNELS

MAIN = """
int main(int argc, char** argv) {
    LINES
    float *in, *out;
    cudaMalloc(&in, rows * n * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    sums_smem<<<rows, 256>>>(out, in, n);
    sums_shfl<<<rows, 256>>>(out, in, n);
}
"""
OPTIONAL = "int n = argc > 1 ? atoi(argv[1]) : {n}, rows = argc > 2 ? atoi(argv[2]) : 64;"


def program(lines: str) -> str:
    return KERNELS + MAIN.replace("LINES", lines)


QUICK = ("--device", "none", "--no-check")
REQUIRED = "if (argc < 2) return 1; int n = atoi(argv[1]), rows = 64;"


@pytest.mark.archs
@pytest.mark.parametrize("n", [256, 1 << 15])
def test_default_of_a_missing_word_is_the_size_whatever_its_size_is(bench: BenchCommand, n: int) -> None:
    outcome = bench(program(OPTIONAL.format(n=n)), *QUICK)
    assert outcome.code == 0, outcome.err
    assert f"out = f32[64], in = f32[{64 * n}], n = {n} (from the host code)" in outcome.err


def test_program_that_needs_words_is_not_timed_without_them(bench: BenchCommand) -> None:
    outcome = bench(program(REQUIRED), *QUICK)
    assert outcome.code == 2
    sentence = "give --host-args WORDS, the program's command line, such as --host-args '1024 100'"
    assert f"sums_smem and sums_shfl are not timed: {sentence}\n" in outcome.err


@pytest.mark.parametrize("words", [("--host-args", "1024"), ("--arg", "n=1024")])
def test_word_or_the_number_that_it_gives_is_enough(bench: BenchCommand, words: tuple[str, str]) -> None:
    outcome = bench(program(REQUIRED), *QUICK, *words)
    assert outcome.code == 0, outcome.err
    assert "in = f32[65536]" in outcome.err


def test_second_command_line_is_refused(bench: BenchCommand) -> None:
    outcome = bench(program(REQUIRED), *QUICK, "--host-args", "64", "--host-args", "128")
    assert outcome.code == 2
    assert "it is given twice" in outcome.err
    assert "several sizes by --arg" in outcome.err


def test_command_line_may_be_empty(bench: BenchCommand) -> None:
    Path("Makefile").write_text("run: sums\n\t./sums 256\nsums: sums.cu\n\tnvcc -o sums sums.cu\n", encoding="utf-8")
    text = program(OPTIONAL.format(n=512))
    assert "n = 256 (from the host code)" in bench(text, *QUICK).err
    outcome = bench(text, *QUICK, "--host-args", "", "--output", "other")
    assert "n = 512 (from the host code)" in outcome.err


def test_command_line_is_no_help_for_a_function_that_nothing_calls(bench: BenchCommand) -> None:
    text = KERNELS + "void sums(float* out, float* in, int n) { sums_smem<<<n, 256>>>(out, in, n); }"
    outcome = bench(text, *QUICK)
    assert (
        "sums_smem and sums_shfl are not timed: give --launch GRIDxBLOCK --arg out=f32[COUNT] --arg in=f32[COUNT]"
        in outcome.err
    )
    given = ("--launch", "4x256", "--arg", "out=f32[4]", "--arg", "in=f32[4000]", "--arg", "n=1000")
    outcome = bench(text, *QUICK, "--output", "other", *given)
    assert outcome.code == 0, outcome.err
