"""`shflbench bench --kernel partial+final`: several kernels that follow one another as one candidate."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shflbench.store import Row, read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_timed import EmulatedGpu
from tests.conftest import Command
from tests.fakes.backend import plug_in

pytestmark = pytest.mark.expensive

TWO_STEPS = Path(__file__).with_name("two_steps.cu").read_text(encoding="utf-8")
KERNELS = TWO_STEPS.split("void sum_in_two_steps")[0]
BOTH = ("--kernel", "single", "--kernel", "partial+final")
FUNCTION = "sum_in_two_steps"


def rows() -> dict[str, Row]:
    return {row.variant: row for row in read_run(Path("run")).rows}


def statuses() -> dict[str, str]:
    return {name: row.status.value for name, row in rows().items()}


@pytest.mark.parametrize("sequence", ["partial+final", f"{FUNCTION}()", FUNCTION])
@pytest.mark.parametrize("is_reference", [True, False])
def test_sequence_is_compared_with_a_single_kernel(bench: BenchCommand, sequence: str, *, is_reference: bool) -> None:
    named = [sequence, "single"] if is_reference else ["single", sequence]
    outcome = bench(TWO_STEPS, *(word for name in named for word in ("--kernel", name)))
    assert outcome.code == 0, outcome.err
    variant = "partial-final" if "+" in sequence else FUNCTION
    assert statuses() == {"single": "verified", variant: "verified"}
    assert {row.reference for row in rows().values()} == {variant if is_reference else "single"}
    assert {row.launch for row in rows().values()} == {"own"}


@pytest.mark.archs
@pytest.mark.parametrize(
    ("right", "wrong"),
    [("sum += sums[i];", "sum += 2 * sums[i];"), ("sums[blockIdx.x] = part[0];", "sums[blockIdx.x] = part[1];")],
    ids=["second", "first"],
)
def test_wrong_result_of_either_kernel_is_found(bench: BenchCommand, right: str, wrong: str) -> None:
    assert bench(TWO_STEPS.replace(right, wrong), *BOTH).code == 5
    assert statuses() == {"single": "verified", "partial-final": "incorrect"}


MORE_BLOCKS = """
void sum_in_more(float* out, float* sums, const float* in, int n) {
    partial<<<8, 128>>>(sums, in, n);
    final<<<1, 32>>>(out, sums, 8);
}
int main() {"""


@pytest.mark.archs
def test_intermediate_buffer_is_not_compared(bench: BenchCommand) -> None:
    """The two sequences have other partial sums, in one buffer."""
    text = TWO_STEPS.replace("int main() {", MORE_BLOCKS).replace(
        "    single<", "    sum_in_more(out, sums, in, n); single<"
    )
    outcome = bench(text, "--kernel", f"{FUNCTION}()", "--kernel", "sum_in_more()", "--kernel", "single")
    assert outcome.code == 0, outcome.err
    assert statuses() == {FUNCTION: "verified", "sum_in_more": "verified", "single": "verified"}


def test_json_has_the_launch_of_each_kernel(bench: BenchCommand) -> None:
    (group,) = json.loads(bench(TWO_STEPS, *BOTH, "--format", "json").out)["groups"]
    later = {item["kernel"]: item["later"] for item in group["kernels"]}
    assert later == {"single": [], "partial+final": [{"kernel": "final", "grid": [1, 1, 1], "block": [32, 1, 1]}]}


@pytest.mark.archs
def test_element_that_no_kernel_wrote_before_is_named(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("partial<<<blocks, 256>>>", "partial<<<blocks - 1, 256>>>")
    assert bench(text, *BOTH).code == 5
    assert "reads elements of a buffer that no kernel wrote before" in (rows()["partial-final"].reason or "")


@pytest.mark.archs
def test_kernels_share_device_variables(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("__global__ void partial", "__device__ float kept[16];\n\n__global__ void partial")
    text = text.replace("sums[blockIdx.x] = part[0];", "{ sums[blockIdx.x] = 1; kept[blockIdx.x] = part[0]; }")
    outcome = bench(text.replace("sum += sums[i];", "sum += sums[i] * kept[i];"), *BOTH)
    assert outcome.code == 0, outcome.err
    assert statuses() == {"single": "verified", "partial-final": "verified"}


PING_PONG = """
__global__ void halve(float* to, const float* from, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i] / 2;
}
__global__ void quarter(float* to, const float* from, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i] / FACTOR;
}
int main() {
    float *a, *b;
    cudaMalloc(&a, 1000 * sizeof(float));
    cudaMalloc(&b, 1000 * sizeof(float));
    halve<<<4, 256>>>(b, a, 1000);
    halve<<<2, 256>>>(a, b, 1000);
    quarter<<<2, 256>>>(a, a, 1000);
}
"""


@pytest.mark.parametrize(("factor", "code"), [("4", 0), ("5", 5)])
def test_kernel_may_follow_itself_and_work_in_place(bench: BenchCommand, factor: str, code: int) -> None:
    named = ("--kernel", "quarter", "--kernel", "halve+halve", "-D", f"FACTOR={factor}")
    outcome = bench(PING_PONG, *named)
    assert outcome.code == code, outcome.err
    assert statuses() == {"quarter": "verified", "halve-halve": "verified" if code == 0 else "incorrect"}


SCAN = """
template <int BLOCK> __global__ void scan_blocks(const int* in, int* out, int* totals, int n) {
    __shared__ int sums[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        int before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    if (i < n) out[i] = sums[threadIdx.x];
    if (threadIdx.x == BLOCK - 1) totals[blockIdx.x] = sums[threadIdx.x];
}
__global__ void scan_totals(int* totals, int blocks) {
    for (int i = 0, sum = 0; i < blocks; ++i) { int total = totals[i]; totals[i] = sum; sum += total; }
}
template <int BLOCK> __global__ void add_totals(int* out, const int* totals, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] += totals[blockIdx.x];
}
__global__ void scan_serially(const int* in, int* out, int n) {
    for (int i = 0, sum = 0; i < n; ++i) out[i] = sum += in[i];
}
void scan(const int* in, int* out, int n) {
    int *totals, blocks = (n + 63) / 64;
    cudaMalloc(&totals, blocks * sizeof(int));
    scan_blocks<64><<<blocks, 64>>>(in, out, totals, n);
    scan_totals<<<1, 1>>>(totals, blocks);
    add_totals<64><<<blocks, 64>>>(out, totals, n);
    cudaFree(totals);
}
int main() {
    int *in, *out, *other, n = 500;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&other, n * sizeof(int));
    for (int i = 0; i < 10; ++i) scan(in, out, n);
    scan_serially<<<1, 1>>>(in, other, n);
}
"""


@pytest.mark.archs
def test_a_later_kernel_may_change_what_an_earlier_one_wrote(bench: BenchCommand) -> None:
    sequence = "scan_blocks<64>+scan_totals+add_totals<64>"
    named = ("--kernel", "scan_serially", "--kernel", sequence, "--kernel", "scan()")
    outcome = bench(SCAN, *named, "--no-check")
    assert outcome.code == 0, outcome.err
    assert set(statuses().values()) == {"verified"}
    assert len(statuses()) == 3


def test_without_host_code_kernels_share_parameters_of_one_name(bench: BenchCommand) -> None:
    launches = ("--launch", "partial=8x256", "--launch", "final=1x32", "--launch", "single=1x128")
    buffers = ("--arg", "out=f32[1]", "--arg", "sums=f32[8]", "--arg", "in=f32[1000]")
    outcome = bench(KERNELS, *BOTH, *launches, *buffers, "--arg", "n=1000", "--arg", "count=8")
    assert outcome.code == 0, outcome.err
    assert statuses() == {"single": "verified", "partial-final": "verified"}


@pytest.mark.archs
def test_launch_of_one_kernel_of_a_sequence_is_replaced(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("int i = threadIdx.x; i < count; i += 32", "int i = threadIdx.x; i < 16; i += blockDim.x")
    outcome = bench(text, *BOTH, "--launch", "partial=16x128")
    assert outcome.code == 0, outcome.err
    row = rows()["partial-final"]
    assert (row.grid, row.block, row.status.value) == (16, 128, "verified")


@pytest.mark.parametrize("name", [FUNCTION, f"{FUNCTION}()", "partial+final"])
def test_sequence_may_be_the_reference(bench: BenchCommand, name: str) -> None:
    outcome = bench(TWO_STEPS, "--kernel", "single", "--reference", name)
    assert outcome.code == 0, outcome.err
    assert {row.reference for row in rows().values()} == {"partial-final" if "+" in name else FUNCTION}


@pytest.mark.archs
def test_later_kernel_has_dynamic_shared_memory(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace(
        "    float sum = 0;\n    for (int i = threadIdx.x; i < count; i += 32) sum += sums[i];", SHARED
    )
    outcome = bench(text.replace("final<<<1, 32>>>", "final<<<1, 32, 32 * sizeof(float)>>>"), *BOTH)
    assert outcome.code == 0, outcome.err
    assert statuses() == {"single": "verified", "partial-final": "verified"}


SHARED = """
    extern __shared__ float mine[];
    mine[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < count; i += 32) mine[threadIdx.x] += sums[i];
    float sum = mine[threadIdx.x];"""


@pytest.mark.archs
def test_several_sizes_are_several_groups(bench: BenchCommand) -> None:
    outcome = bench(TWO_STEPS, *BOTH, "--arg", "n=1000,5000")
    assert outcome.code == 0, outcome.err
    assert {(row.options, row.status.value) for row in read_run(Path("run")).rows} == {
        ((("n", "1000"),), "verified"),
        ((("n", "5000"),), "verified"),
    }


# ---- what cannot be compared


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("partial+finale", "has no kernel `finale`"),
        ("two_step()", "has no function `two_step` that launches kernels; it has main, sum_in_two_steps"),
        ("two_step", "has no kernel `two_step`"),
    ],
)
def test_unknown_name_is_refused(bench: BenchCommand, named: str, sentence: str) -> None:
    outcome = bench(TWO_STEPS, "--kernel", named)
    assert outcome.code == 2
    assert sentence in outcome.err


def test_missing_options_of_a_kernel_are_named(bench: BenchCommand) -> None:
    outcome = bench(KERNELS, "--kernel", "partial+final", "--launch", "partial=8x256")
    assert outcome.code == 2
    assert "partial+final is not timed: give " in outcome.err
    assert "--launch final=GRIDxBLOCK" in outcome.err


def test_kernels_that_share_no_buffer_are_refused(bench: BenchCommand) -> None:
    launches = ("--launch", "final=1x32", "--launch", "single=1x128")
    buffers = ("--arg", "out=f32[1]", "--arg", "sums=f32[8]", "--arg", "in=f32[1000]", "--arg", "n=1000")
    outcome = bench(KERNELS, "--kernel", "final+single", *launches, *buffers, "--arg", "count=8")
    assert outcome.code == 2
    assert "final+single is not timed: `single` reads no buffer that `final` writes" in outcome.err


def test_several_launches_of_one_kernel_are_refused(bench: BenchCommand) -> None:
    outcome = bench(TWO_STEPS, *BOTH, "--launch", "partial=16x128", "--launch", "partial=16x64")
    assert outcome.code == 2
    assert "--launch gives `partial` 2 launches, and it is part of `partial+final`" in outcome.err


@pytest.mark.archs
def test_broken_kernel_of_a_sequence_is_named(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace(
        "    part[threadIdx.x] = sum;\n    __syncthreads();\n", "    part[threadIdx.x] = sum;\n", 1
    )
    outcome = bench(text, *BOTH)
    assert outcome.code == 1
    assert "partial+final is not timed: its kernel `partial` is broken, " in outcome.err
    assert set(rows()) == {"single"}


def test_function_whose_launches_only_a_run_knows_is_refused(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("    final<<<", "    if (getchar() > 0) final<<<")
    outcome = bench(text, "--kernel", "single", "--kernel", f"{FUNCTION}()")
    assert f"{FUNCTION}() is not timed: its launches depend on what only a run of the program knows" in outcome.err


def test_function_that_nothing_calls_is_refused(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("    sum_in_two_steps(out, sums, in, n);\n", "")
    outcome = bench(text, "--kernel", "single", "--kernel", f"{FUNCTION}()")
    assert f"{FUNCTION}() is not timed: nothing in the file calls it" in outcome.err


@pytest.mark.parametrize("count", ["64", "32"])
def test_copy_between_the_launches_is_named(bench: BenchCommand, count: str) -> None:
    text = TWO_STEPS.replace(
        "float* sums, const float* in, int n) {\n    const int",
        "float* sums, float* copy, const float* in, int n) {\n    const int",
    )
    text = text.replace(
        "final<<<1, 32>>>(out, sums,",
        f"cudaMemcpy(copy, sums, {count}, cudaMemcpyDeviceToDevice);\n    final<<<1, 32>>>(out, copy,",
    )
    text = text.replace("steps(out, sums, in, n);", "steps(out, sums, copy, in, n);").replace(
        "    float *in,", "    float* copy;\n    cudaMalloc(&copy, 64);\n    float *in,"
    )
    outcome = bench(text, "--kernel", "single", "--kernel", f"{FUNCTION}()")
    assert f"{FUNCTION}() is not timed: the host code changes `copy` between `partial` and `final`" in outcome.err


def test_buffer_that_the_host_code_sets_in_between_is_named(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace("    final<<<", "    cudaMemset(sums, 0, 16 * sizeof(float));\n    final<<<")
    outcome = bench(text, *BOTH)
    assert "partial+final is not timed: the host code changes `sums` between `partial` and `final`" in outcome.err


def test_kernels_without_a_common_result_are_not_compared(bench: BenchCommand) -> None:
    text = TWO_STEPS.replace(
        "    single<<<1, 256>>>(out", "    float* two;\n    cudaMalloc(&two, 8);\n    single<<<1, 256>>>(two"
    )
    outcome = bench(text, *BOTH)
    assert outcome.code == 5
    assert "partial+final is not timed: it has no result in common with `single`" in outcome.err


def test_new_refuses_a_sequence(bench: BenchCommand, shflbench: Command) -> None:
    bench(TWO_STEPS, *BOTH)
    outcome = shflbench("new", "--from", "sums.cu", "single", "partial+final")
    assert outcome.code == 2
    assert "`partial+final` launches several kernels, and a variant of a suite is one" in outcome.err


@pytest.mark.archs
def test_old_and_new_have_sequences_of_one_name(bench: BenchCommand, shflbench: Command) -> None:
    bench(TWO_STEPS, *BOTH)
    Path("new.cu").write_text(
        TWO_STEPS.replace("offset = 16; offset > 0; offset /= 2", "offset = 1; offset < 32; offset *= 2")
    )
    outcome = shflbench("bench", "sums.cu", "new.cu", "--kernel", "partial+final", "--output", "both")
    assert outcome.code == 0, outcome.err
    assert {(row.variant, row.status.value) for row in read_run(Path("both")).rows} == {
        ("old", "verified"),
        ("new", "verified"),
    }
    Path("new.cu").write_text(KERNELS.replace("void final", "void last"))
    outcome = shflbench("bench", "sums.cu", "new.cu", "--kernel", "partial+final")
    assert outcome.code == 2
    assert "new.cu has no kernel `final`" in outcome.err


# ---- what is known of the run


@pytest.mark.archs
def test_inspect_adds_up_the_instructions_of_all_kernels(bench: BenchCommand, shflbench: Command) -> None:
    bench(TWO_STEPS, *BOTH)
    parts: dict[str, Any] = {}
    for name in ("partial", "final"):
        assert shflbench("bench", "sums.cu", "--kernel", name, "--output", name).code == 0
        parts |= inspected(shflbench, name)
    sums = inspected(shflbench, "run")
    units: Counter[str] = Counter(parts["partial"]["units_in_code"]) + Counter(parts["final"]["units_in_code"])
    assert sums["partial-final"]["units_in_code"] == dict(units)
    assert sums["partial-final"]["registers"] == max(item["registers"] for item in parts.values())
    assert "launches 2 kernels" in sums["partial-final"]["remark"]
    diff = shflbench("inspect", "run", "--diff", "single", "partial-final")
    assert diff.code == 0, diff.err
    assert "partial-final: no limit: launches 2 kernels" in diff.out


def inspected(shflbench: Command, run: str) -> dict[str, Any]:
    kernels = json.loads(shflbench("inspect", run, "--format", "json").out)["kernels"]
    return {kernel["variant"]: kernel for kernel in kernels}


@pytest.mark.archs
def test_all_kernels_are_timed_as_one_launch(
    bench: BenchCommand, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu = EmulatedGpu()
    plug_in(monkeypatch, gpu)
    outcome = bench(TWO_STEPS, *BOTH, "--precision", "5%")
    assert outcome.code == 0, outcome.err
    assert statuses() == {"single": "timed", "partial-final": "timed"}
    assert {len(call.later) for call in gpu.opened} == {0, 1}
    limits = shflbench("limits", "run")
    assert limits.code == 0, limits.err
    assert "it launches 2 kernels, and a limit is that of one" in limits.out
