"""`bench --arg n=1e3,1e4`, where `n` is a variable of the host code and no parameter of a kernel."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_two_sizes import ONE, TWO, copies

QUICK = ("--device", "none", "--no-check")


def sizes(bench: BenchCommand, text: str, *words: str) -> tuple[list[str], list[str]]:
    """Return the sizes of the run as the case ids end, and the buffer sizes."""
    outcome = bench(text, *QUICK, *words)
    assert outcome.code == 0, outcome.err
    cases = [row.case_id.rpartition("/")[2] for row in read_run(Path("run")).rows]
    lines = [line.partition(",")[0].partition("= ")[2] for line in outcome.err.splitlines() if "out = " in line]
    return list(dict.fromkeys(cases)), lines


@pytest.mark.parametrize(
    ("begin", "name"),
    [
        ("int n = 512;", "n"),
        ("const int n = argc > 1 ? atoi(argv[1]) : 512;", "n"),
        ("int n = SIDE;", "SIDE"),
        ("int n = SQUARE;", "SQUARE"),
    ],
)
def test_variables_constants_and_macros_of_the_host_code_are_sizes(bench: BenchCommand, begin: str, name: str) -> None:
    text = "constexpr int SIDE = 512;\n#define SQUARE 512\n" + copies(f"{begin} int w = n, h = n;")
    expected = ([f"{name.lower()}={n}" for n in (64, 128)], ["f32[4096]", "f32[16384]"])
    assert sizes(bench, text, "--arg", f"{name}=64,128") == expected


def test_variable_with_a_word_of_its_own_is_a_size(bench: BenchCommand) -> None:
    assert sizes(bench, copies(TWO), "--arg", "h=64,80") == (["h=64", "h=80"], ["f32[32768]", "f32[40960]"])


@pytest.mark.archs
def test_each_number_of_a_loop_is_a_size(bench: BenchCommand) -> None:
    loop = copies("for (int n : {32, 64, 128}) { int w = n, h = n;") + "}"
    expected = (["n=32", "n=64", "n=128"], ["f32[1024]", "f32[4096]", "f32[16384]"])
    assert sizes(bench, loop) == expected
    one = bench(loop, *QUICK, "--arg", "n=256", "--output", "other")
    assert "out = f32[65536]" in one.err


def test_loop_that_counts_runs_once_for_a_given_number(bench: BenchCommand) -> None:
    loop = copies("for (int n = 32; n < 100; n *= 2) { int w = n, h = n;") + "}"
    assert sizes(bench, loop, "--arg", "n=256,512") == (["n=256", "n=512"], ["f32[65536]", "f32[262144]"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("m=64", "no kernel has a parameter `m`; allowed: out, in, w, h, n\n"),
        ("repetitions=64", "no launch depends on `repetitions` (sums.cu:11)\n"),
        ("n=0", "with n=0 (sums.cu:11), the host code does not launch copy\n"),
    ],
)
def test_name_from_which_nothing_is_computed_is_refused(bench: BenchCommand, given: str, sentence: str) -> None:
    outcome = bench(copies(ONE + " int repetitions = 50;"), *QUICK, "--arg", given)
    assert outcome.code == 2
    assert f"--arg: {sentence}" in outcome.err


def test_parameter_and_the_variable_that_it_is_computed_from_must_agree(bench: BenchCommand) -> None:
    outcome = bench(copies(ONE), *QUICK, "--arg", "w=64", "--arg", "n=128")
    assert outcome.code == 2
    assert "--arg: w is computed from `n` (sums.cu:11)\nGive one of them, or w=128 with n=128\n" in outcome.err
