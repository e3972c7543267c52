"""Two numbers of a kernel that the host code computes from one variable, or from two."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

ONE = "int n = argc > 1 ? atoi(argv[1]) : 512; int w = n, h = n;"
HALF = ONE.replace("h = n;", "h = n / 2;")
TWO = "int w = argc > 1 ? atoi(argv[1]) : 512, h = argc > 2 ? atoi(argv[2]) : w;"
COPIES = """
__global__ void copy(float* out, const float* in, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void copy_again(float* out, const float* in, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 1 * in[y * w + x];
}
int main(int argc, char** argv) {
    SIZES
    float *in, *out;
    cudaMalloc(&in, w * h * sizeof(float));
    cudaMalloc(&out, w * h * sizeof(float));
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    copy<<<grid, block>>>(out, in, w, h);
    copy_again<<<grid, block>>>(out, in, w, h);
}
"""
BUFFERS = ("--arg", "in=f32[8192]", "--arg", "out=f32[8192]")


def copies(sizes: str) -> str:
    return COPIES.replace("SIZES", sizes)


def numbers(w: int, h: int) -> tuple[str, ...]:
    return ("--arg", f"w={w}", "--arg", f"h={h}", "--device", "none", "--no-check")


@pytest.mark.parametrize(
    ("sizes", "given", "computed"),
    [
        (ONE, (128, 64), "h=128 with w=128"),
        (ONE, (512, 64), "h=512 with w=512"),
        (ONE, (64, 512), "h=64 with w=64"),
        (HALF, (128, 48), "h=64 with w=128"),
    ],
)
def test_numbers_of_one_variable_that_contradict_each_other_are_refused(
    bench: BenchCommand, sizes: str, given: tuple[int, int], computed: str
) -> None:
    for buffers in ((), BUFFERS):
        outcome = bench(copies(sizes), *numbers(*given), *buffers)
        assert outcome.code == 2
        assert "--arg: w and h are both computed from `n` (sums.cu:11)\n" in outcome.err
        assert f"Give one of them, or {computed}\n" in outcome.err


@pytest.mark.parametrize(("sizes", "given"), [(ONE, (128, 128)), (HALF, (128, 64)), (TWO, (128, 64)), (TWO, (64, 512))])
def test_numbers_that_agree_are_passed_together(bench: BenchCommand, sizes: str, given: tuple[int, int]) -> None:
    outcome = bench(copies(sizes), *numbers(*given))
    assert outcome.code == 0, outcome.err
    assert f"out = f32[{given[0] * given[1]}]" in outcome.err
    assert f"{given[0] // 32}x{given[1] // 8}:32x8" in outcome.err


def test_number_that_another_one_changes_is_restored_by_its_own_variable(bench: BenchCommand) -> None:
    outcome = bench(copies(TWO), "--arg", "h=512", "--arg", "w=64", "--device", "none", "--no-check")
    assert outcome.code == 0, outcome.err
    assert "out = f32[32768]" in outcome.err


def test_what_the_host_code_does_not_compute_cannot_contradict_it(bench: BenchCommand) -> None:
    outcome = bench(copies(ONE), *numbers(128, 64), *BUFFERS, "--launch", "4x8:32x8")
    assert outcome.code == 0, outcome.err


@pytest.mark.archs
def test_check_passes_numbers_as_the_host_code_does(
    bench: BenchCommand, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    del bench  # for the machine
    monkeypatch.setenv("PATH", "")
    Path("copies.cu").write_text(copies(ONE), encoding="utf-8")
    words = ("check", "copies.cu", "--kernel", "copy", "--kernel", "copy_again")
    larger = shflbench(*words, "--arg", "w=1024")
    assert larger.code == 0, larger.out
    assert "clean" in larger.out
    contradiction = shflbench(*words, "--arg", "w=64", "--arg", "h=48")
    assert contradiction.code == 2
    assert "w and h are both computed from `n` (copies.cu:11)" in contradiction.err
