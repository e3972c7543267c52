"""`shflbench bench --arg n=1e3,1e4`: sizes are an axis, as launches are."""

import json
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import KERNELS, LARGE_SUMS
from tests.cli.bench.test_timed import EmulatedGpu, gpu
from tests.conftest import Command

__all__ = ["gpu"]  # a fixture
SIZES = ("--launch", "4x128", "--arg", "out=f32[4]", "--arg", "in=f32[4e2],f32[8e2]", "--arg", "n=1e2,2e2")
VARYING = LARGE_SUMS.replace("cudaMemset(in, 0", "cudaMemset(in, 64")


def results() -> set[tuple[str, str]]:
    return {(row.case_id, row.status.value) for row in read_run(Path("run")).rows}


@pytest.mark.archs
def test_values_of_several_arguments_go_together(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, *SIZES)
    assert outcome.code == 0, outcome.err
    assert results() == {
        (f"sums/{kernel}/f32/4x128/1/n={n}", "verified") for kernel in ("sums_smem", "sums_shfl") for n in (100, 200)
    }
    assert "in = f32[400], n = 100 (given).\n" in outcome.err
    assert "in = f32[800], n = 200 (given).\n" in outcome.err


@pytest.mark.archs
def test_sizes_and_launches_are_axes_of_one_run(bench: BenchCommand, gpu: EmulatedGpu, shflbench: Command) -> None:
    outcome = bench(KERNELS, *SIZES, "--launch", "4x64", "--format", "json", "--precision", "5%")
    assert outcome.code == 0, outcome.err
    assert gpu.opened
    groups = json.loads(outcome.out)["groups"]
    assert {(group["launch"], group["options"]["n"]) for group in groups} == {
        (launch, n) for launch in ("4x128", "4x64") for n in ("100", "200")
    }
    assert {item["status"] for group in groups for item in group["kernels"]} == {"timed"}
    for command in ("plot", "report"):
        outcome = shflbench(command, "run")
        assert outcome.code == 0, outcome.err
    limits = shflbench("limits", "run").out
    assert {f"n={n}" in limits for n in (100, 200)} == {True}
    assert shflbench("show", "run").out.count("one pass  n=200\n") == 2  # launches
    assert {str(call.arguments[-1]) for call in gpu.opened if len(call.arguments) == 3} == {"100", "200"}


@pytest.mark.archs
@pytest.mark.parametrize("n", ["2048,512", "2048"])
def test_sizes_of_the_host_code_follow_a_number_that_it_begins_with(bench: BenchCommand, n: str) -> None:
    outcome = bench(VARYING, "--arg", f"n={n}")
    assert outcome.code == 0, outcome.err
    for value in map(int, n.split(",")):
        assert f"in = f32[{64 * value}] (from the host code); n = {value} (given)" in outcome.err
    assert {status for _, status in results()} == {"verified"}


@pytest.mark.archs
@pytest.mark.parametrize("begin", ["count = 1024", "count = 1 << 10", "count = argc > 1 ? atoi(argv[1]) : 1024"])
def test_variable_that_is_passed_on_is_recognized(bench: BenchCommand, begin: str) -> None:
    text = VARYING.replace("int main()", "int main(int argc, char** argv)")
    text = text.replace("rows = 64, n = 1024;", f"rows = 64, {begin}, n = count;").replace(
        "rows * n *", "rows * count *"
    )
    outcome = bench(text, "--arg", "n=512,256")
    assert outcome.code == 0, outcome.err
    assert "in = f32[32768] (from the host code); n = 512 (given)" in outcome.err
    assert "in = f32[16384] (from the host code); n = 256 (given)" in outcome.err


def test_constant_of_the_same_value_is_tried_before_others(bench: BenchCommand) -> None:
    others = " ".join(f"int number{place} = {place};" for place in range(20))
    text = VARYING.replace("rows = 64, n = 1024;", "rows = 64, count = 1024, n = count;")
    text = text.replace("rows * n *", "rows * count *").replace("int main", f"void unused() {{ {others} }}\nint main")
    outcome = bench(text, "--arg", "n=512")
    assert "in = f32[32768] (from the host code); n = 512 (given)" in outcome.err


MACRO = VARYING.replace("n = 1024;", "n = COUNT;").replace("rows * n *", "rows * COUNT *")


@pytest.mark.archs
def test_macro_is_recognized(bench: BenchCommand) -> None:
    outcome = bench(f"#define COUNT (1 << 10)\n{MACRO}", "--arg", "n=512")
    assert outcome.code == 0, outcome.err
    assert "in = f32[32768] (from the host code); n = 512 (given)" in outcome.err


@pytest.mark.parametrize("constant", ["#define COUNT 1024", "constexpr int COUNT = 1024;"])
def test_constant_that_device_code_uses_stays(bench: BenchCommand, constant: str) -> None:
    text = MACRO.replace("float sum = 0;", "float sum = n > COUNT ? 1 : 0;")
    outcome = bench(f"{constant}\n{text}", "--arg", "n=512,256")
    assert outcome.code == 2
    assert "does not compute its sizes from a constant `n`" in outcome.err


def test_sizes_that_do_not_follow_must_be_given(bench: BenchCommand) -> None:
    text = VARYING.replace("n = 1024;", "n = 2 * COUNT;").replace("int main", "#define COUNT 512\nint main")
    outcome = bench(text, "--arg", "n=512,256")
    assert outcome.code == 2
    assert "does not compute its sizes from a constant `n`" in outcome.err
    assert "--arg 'in=f32[COUNT],…'" in outcome.err


def test_different_numbers_of_values_are_refused(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--arg", "n=1,2,3", "--arg", "in=f32[10],f32[20]")
    assert outcome.code == 2
    assert "--arg gives 2 values of `in` and 3 of `n`" in outcome.err


def test_equal_values_are_refused(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--arg", "n=1e3,1000")
    assert outcome.code == 2
    assert "two values of `n` that are equal" in outcome.err


@pytest.mark.archs
def test_kernel_without_the_number_is_left_out(bench: BenchCommand) -> None:
    other = "__global__ void clear(float* out) { out[blockIdx.x] = 0; }\n"
    text = other + VARYING.replace("cudaDeviceSynchronize", "clear<<<rows, 1>>>(out); cudaDeviceSynchronize")
    outcome = bench(text, "--arg", "n=512,256", "--kernel", "sums_smem", "--kernel", "clear")
    assert "clear is not timed: no parameter is called `n`, which has several values" in outcome.err
    assert {case.split("/")[1] for case, _ in results()} == {"sums_smem"}


@pytest.mark.archs
def test_elements_that_a_loop_computes_are_no_sizes(bench: BenchCommand) -> None:
    text = """
#include <vector>
__global__ void f(float *o, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i] * 2; }
__global__ void g(float *o, const float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i] + x[i]; }
void run(int m) {
    std::vector<float> h(m);
    for (auto &v : h) v = 1.5f;
    float *o, *x; cudaMalloc(&o, 4 * m); cudaMalloc(&x, 4 * m);
    cudaMemcpy(x, h.data(), 4 * m, cudaMemcpyHostToDevice);
    f<<<m / 256, 256>>>(o, x, m); g<<<m / 256, 256>>>(o, x, m);
}
int main() { run(512); run(1024); }
"""
    outcome = bench(text)
    assert outcome.code == 0
    assert "v=" not in outcome.err
