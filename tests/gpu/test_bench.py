"""`shflbench bench` on a real GPU."""

import math
import re
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.cuda.backends.gpus import find
from tests.conftest import Command
from tests.gpu.conftest import stored

pytestmark = pytest.mark.gpu

SUMS = (Path(__file__).parents[1] / "cli" / "bench" / "sums.cu").read_text(encoding="utf-8")
RANDOM = SUMS.replace("cudaMemset(in, 0, rows * n * sizeof(float));", "")
WRITES = "    if (threadIdx.x == 0) {\n        sum = 0;"  # in `sums_shfl`, before it writes
KEPT = "__device__ float kept[64];\n"
IN_PLACE = """
__global__ void halve(float* x, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) x[i] -= COPIES * fabsf(x[i]) / 2;
}
__global__ void sink(float* x, int n) {  // each pass through an element takes as many steps as its value
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float goal = x[i] - fabsf(x[i]) / 2;
        while (x[i] > goal) x[i] = fmaxf(goal, x[i] - 0.001f);
    }
}
int main() {
    float* x;
    cudaMalloc(&x, 100000 * sizeof(float));
    halve<<<64, 256>>>(x, 100000);
    sink<<<64, 256>>>(x, 100000);
}
"""


STRUCTURES = (Path(__file__).parents[1] / "cli" / "bench" / "structures.cu").read_text(encoding="utf-8")
TWO_STEPS = (Path(__file__).parents[1] / "cli" / "bench" / "two_steps.cu").read_text(encoding="utf-8")
SPIN = """
__global__ void spin(float* out, int n) {
    long long end = clock64() + 100000;
    while (clock64() < end) {}
    if (threadIdx.x < n) out[threadIdx.x] = 1;
}
void twice(float* out) {
    spin<<<1, 32>>>(out, 32);
    spin<<<1, 32>>>(out, 32);
}
int main() {
    float* out;
    cudaMalloc(&out, 32 * sizeof(float));
    twice(out);
}
"""


@pytest.fixture
def bench(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Write a text to sums.cu and call `shflbench bench sums.cu` on the first GPU."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))

    def call(text: str, *words: str) -> object:
        Path("sums.cu").write_text(text, encoding="utf-8")
        return shflbench("bench", "sums.cu", "--device", "cuda", *words)

    return call  # type: ignore[return-value]


@pytest.mark.parametrize("l2", ["warm", "cold"])
def test_kernels_are_timed_and_compared(bench: Command, l2: str) -> None:
    outcome = bench(RANDOM, "--l2", l2)
    assert outcome.code == 0, outcome.err
    rows = {row.variant: row for row in stored(outcome).rows}
    assert {row.status for row in rows.values()} == {Status.TIMED}
    assert min(row.time_us or 0 for row in rows.values()) > 0
    assert rows["sums_shfl"].reference == "sums_smem"
    assert re.search(r"sums_(smem|shfl)", outcome.err)


def test_launch_of_two_dimensions_is_timed(bench: Command) -> None:
    from tests.cli.bench.test_bench import TRANSPOSE

    outcome = bench(TRANSPOSE)
    assert outcome.code == 0, outcome.err
    assert {(row.launch, row.status) for row in stored(outcome).rows} == {("4x4:16x16", Status.TIMED)}


def test_inputs_are_restored_before_each_timed_launch(bench: Command) -> None:
    # Without that, `sink` has nothing to do after a few launches, and takes as long as `halve`.
    outcome = bench(IN_PLACE, "-D", "COPIES=1", "--no-check", "--rtol", "0.01")
    assert outcome.code == 0, outcome.err
    times = {row.variant: row.time_us for row in stored(outcome).rows}
    assert (times["sink"] or math.nan) > 10 * (times["halve"] or math.nan)


@pytest.mark.parametrize("l2", ["warm", "cold"])
@pytest.mark.parametrize("sequence", ["partial+final", "sum_in_two_steps()"])
def test_kernels_that_follow_one_another_are_compared_with_a_single_one(bench: Command, sequence: str, l2: str) -> None:
    outcome = bench(TWO_STEPS, "--kernel", "single", "--kernel", sequence, "--l2", l2)
    assert outcome.code == 0, outcome.err
    assert [row.status for row in stored(outcome).rows] == [Status.TIMED, Status.TIMED]


def test_time_of_a_sequence_is_that_of_all_its_kernels(bench: Command) -> None:
    outcome = bench(SPIN, "--kernel", "spin", "--kernel", "twice()", "--no-check")
    assert outcome.code == 0, outcome.err
    times = {row.variant: row.time_us or math.nan for row in stored(outcome).rows}
    assert 1.7 < times["twice"] / times["spin"] < 2.3


def test_kernels_that_follow_one_another_share_device_variables(bench: Command) -> None:
    text = TWO_STEPS.replace("__global__ void partial", KEPT + "__global__ void partial", 1)
    text = text.replace("sums[blockIdx.x] = part[0];", "{ sums[blockIdx.x] = 1; kept[blockIdx.x] = part[0]; }")
    text = text.replace("sum += sums[i];", "sum += sums[i] * kept[i];")
    outcome = bench(text, "--kernel", "single", "--kernel", "partial+final")
    assert outcome.code == 0, outcome.err


def test_element_that_no_kernel_of_a_sequence_wrote_is_found(bench: Command) -> None:
    text = TWO_STEPS.replace("partial<<<blocks, 256>>>", "partial<<<blocks - 1, 256>>>")
    outcome = bench(text, "--kernel", "single", "--kernel", "partial+final")
    assert outcome.code == 5, outcome.err
    (row,) = (row for row in stored(outcome).rows if row.variant == "partial-final")
    assert "reads elements of a buffer that no kernel wrote before" in (row.reason or "")


@pytest.mark.parametrize(
    "cheat",
    [
        f"    if (row == gridDim.x - 1) return;\n{WRITES}",
        f"    return;\n{WRITES}",
        f"    if (kept[row] != 0) return;\n    __syncthreads();\n    kept[row] = 1;\n{WRITES}",
        "    if (kept[row] != 0) { if (threadIdx.x == 0) out[row] = kept[row]; return; }\n    __syncthreads();\n"
        + WRITES.replace("sum = 0;", "sum = 0; for (int w = 0; w < 8; ++w) kept[row] += part[w];"),
    ],
    ids=["last-block", "early-return", "output-of-an-earlier-launch", "result-kept-on-the-device"],
)
def test_cheat_is_refused_and_not_timed(bench: Command, cheat: str) -> None:
    outcome = bench(KEPT + RANDOM.replace(WRITES, cheat), "--no-check")
    assert outcome.code in {1, 5}, outcome.err
    rows = {row.variant: row for row in stored(outcome).rows}
    assert (rows["sums_smem"].status, rows["sums_shfl"].status) == (Status.TIMED, Status.INCORRECT)
    assert rows["sums_shfl"].time_us is None


@pytest.mark.parametrize(("factor", "code"), [("p.alpha", 0), ("1", 5)])
def test_structures_are_passed_by_value(bench: Command, factor: str, code: int) -> None:
    outcome = bench(STRUCTURES, "-D", f"ALPHA={factor}")
    assert outcome.code == code, outcome.err
    statuses = {row.variant: row.status for row in stored(outcome).rows}
    assert statuses == {"by_thread": Status.TIMED, "by_warp": Status.INCORRECT if code else Status.TIMED}


def test_structures_are_passed_to_clusters(bench: Command) -> None:
    if (arch := find()[0].arch) < "sm_90":
        pytest.skip(f"clusters need sm_90 or newer, and this is {arch}")
    outcome = bench(STRUCTURES, "--launch", "6x128", "--cluster", "2")
    assert outcome.code == 0, outcome.err
    assert {row.status for row in stored(outcome).rows} == {Status.TIMED}


def test_clusters_of_a_given_size_run(bench: Command) -> None:
    from tests.cli.bench.test_clusters import GIVEN, RANKS

    if (arch := find()[0].arch) < "sm_90":
        pytest.skip(f"clusters need sm_90 or newer, and this is {arch}")
    outcome = bench(RANKS.replace("SIZE", "4"), *GIVEN, "--cluster", "4")
    assert outcome.code == 0, outcome.err
    assert {row.status for row in stored(outcome).rows} == {Status.TIMED}
    assert bench(RANKS.replace("SIZE", "4"), *GIVEN, "--cluster", "2").code == 5


def test_kernels_of_which_one_has_a_counter_are_timed(bench: Command) -> None:
    from tests.cli.bench.test_own_memory import ROWS

    outcome = bench(ROWS)
    assert outcome.code == 0, outcome.err
    rows = {row.variant: row for row in stored(outcome).rows}
    assert {row.status for row in rows.values()} == {Status.TIMED}
    assert len(rows) == len(("rows_plain", "rows_queue"))


def test_a_lambda_expression_with_two_launches_is_timed(bench: Command) -> None:
    from tests.cli.bench.test_lambda_candidates import KERNELS, LAMBDA, MAIN

    outcome = bench(KERNELS + MAIN.format(two=LAMBDA))
    assert outcome.code == 0, outcome.err
    assert {row.variant: row.status for row in stored(outcome).rows} == {"two": Status.TIMED, "sum_one": Status.TIMED}


def test_results_for_nan_are_compared(bench: Command) -> None:
    from tests.cli.bench.test_special_values import LINE, NO_NAN, PROGRAM

    outcome = bench(PROGRAM.format(value=NO_NAN))
    assert outcome.code == 0, outcome.err
    assert f"{LINE}element 32 is 0.0, not nan" in outcome.err
