"""`shflbench bench FILE` on files of two or more kernels, without a GPU."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from shflbench.store import Row, read_run
from shflbench.store.counts_file import read_counts
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

pytestmark = pytest.mark.expensive

LARGE_SUMS = Path(__file__).with_name("sums.cu").read_text(encoding="utf-8")
SUMS = LARGE_SUMS.replace("rows = 64,", "rows = 8,")
KERNELS, MAIN = SUMS.split("int main()")
OTHER_CONTENTS = SUMS.replace("cudaMemset(in, 0", "cudaMemset(in, 64")


def rows() -> dict[str, Row]:
    return {row.variant: row for row in read_run(Path("run")).rows}


@pytest.mark.archs
def test_kernels_with_the_same_parameters_are_compared_as_the_host_code_launches_them(bench: BenchCommand) -> None:
    outcome = bench(SUMS)
    assert outcome.code == 0
    assert outcome.out.splitlines() == ["run"]
    assert "nothing is timed" in outcome.err
    assert {(row.case_id, row.status.value, row.reference, row.mechanism) for row in rows().values()} == {
        ("sums/sums_smem/f32/8x256/1", "verified", "sums_smem", "smem"),
        ("sums/sums_shfl/f32/8x256/1", "verified", "sums_smem", "shfl"),
    }


def test_show_reads_the_run(bench: BenchCommand, shflbench: Command) -> None:
    bench(SUMS)
    shown = shflbench("show", "run")
    assert shown.code == 0
    assert re.search(r"sums_shfl\s+[0-9]+\s+same as sums_smem", shown.out)


def test_first_named_kernel_is_the_baseline(bench: BenchCommand) -> None:
    assert bench(SUMS, "--kernel", "sums_shfl", "--kernel", "sums_smem").code == 0
    assert {row.reference for row in rows().values()} == {"sums_shfl"}


@pytest.mark.archs
def test_another_sum_is_an_error_that_names_both_values(bench: BenchCommand) -> None:
    outcome = bench(OTHER_CONTENTS.replace("offset > 0", "offset > 1"))
    assert outcome.code == 5
    assert rows()["sums_shfl"].status.value == "incorrect"
    assert re.search(r"element 0 is \S+, not \S+ \([0-9]+ of 8 are wrong\)", rows()["sums_shfl"].reason or "")


@pytest.mark.parametrize(("share", "code"), [("0.02", 0), ("0.005", 5)])
def test_rtol_is_the_error_that_is_allowed(bench: BenchCommand, share: str, code: int) -> None:
    text = OTHER_CONTENTS.replace("out[row] = sum;", "out[row] = 1.01f * sum;")
    assert bench(text, "--rtol", share).code == code


@pytest.mark.archs
def test_broken_kernel_is_named_and_not_run(bench: BenchCommand) -> None:
    outcome = bench(SUMS.replace("__syncthreads();\n    if (threadIdx.x == 0) {", "if (threadIdx.x == 0) {"))
    assert outcome.code == 1
    assert "sums_shfl is not timed: broken, RAW" in outcome.err
    assert "sums.cu:27 (thread 0 of block 0) reads what sums.cu:24 (thread 32 of block 0) wrote" in outcome.err
    assert list(rows()) == ["sums_smem"]


def test_without_the_check_a_race_may_go_unnoticed(bench: BenchCommand) -> None:
    text = SUMS.replace("__syncthreads();\n    if (threadIdx.x == 0) {", "if (threadIdx.x == 0) {")
    outcome = bench(text, "--no-check")
    assert "broken" not in outcome.err
    assert set(rows()) == {"sums_smem", "sums_shfl"}


def test_missing_options_are_named(bench: BenchCommand) -> None:
    outcome = bench(KERNELS)
    assert outcome.code == 2
    options = "--launch GRIDxBLOCK --arg out=f32[COUNT] --arg in=f32[COUNT] --arg n=NUMBER"
    assert f"sums_smem and sums_shfl are not timed: give {options}" in outcome.err


def test_options_replace_host_code(bench: BenchCommand) -> None:
    given = ("--launch", "2x128", "--arg", "out=f32[2]", "--arg", "in=f32[200]", "--arg", "n=100")
    assert bench(KERNELS, *given).code == 0
    assert {row.launch for row in rows().values()} == {"2x128"}


def test_several_launches_are_an_axis(bench: BenchCommand) -> None:
    assert bench(SUMS, "--launch", "8x256", "--launch", "8x128").code == 0
    assert {(row.launch, row.status.value) for row in read_run(Path("run")).rows} == {
        ("8x256", "verified"),
        ("8x128", "verified"),
    }


def test_each_kernel_keeps_its_own_launch(bench: BenchCommand) -> None:
    assert bench(SUMS.replace("sums_shfl<<<rows, 256>>>", "sums_shfl<<<rows, 64>>>")).code == 0
    assert {(row.launch, row.variant, row.grid, row.block) for row in read_run(Path("run")).rows} == {
        ("own", "sums_smem", 8, 256),
        ("own", "sums_shfl", 8, 64),
    }


IN_PLACE = """
__global__ void add_one(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void add_two(float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += STEP;
}
int main() {
    float* x;
    cudaMalloc(&x, 1000 * sizeof(float));
    add_one<<<4, 256>>>(x, 1000);
    add_two<<<2, 256>>>(x, 1000);
}
"""


@pytest.mark.parametrize(("step", "code"), [("1", 0), ("2", 5)])
def test_kernels_that_work_in_place_get_the_same_input(bench: BenchCommand, step: str, code: int) -> None:
    assert bench(IN_PLACE, "-D", f"STEP={step}").code == code


ATOMIC = """
__global__ void columns(float* out, const float* in, int rows) {
    float sum = 0;
    for (int row = 0; row < rows; ++row) sum += in[row * 64 + threadIdx.x];
    out[threadIdx.x] = sum;
}
__global__ void add(float* out, const float* in, int rows) {
    for (int row = blockIdx.x; row < rows; row += gridDim.x) atomicAdd(out + threadIdx.x, in[row * 64 + threadIdx.x]);
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 50 * 64 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    columns<<<1, 64>>>(out, in, 50);
    cudaMemset(out, 0, 64 * sizeof(float));
    add<<<4, 64>>>(out, in, 50);
}
"""


@pytest.mark.archs
def test_kernel_that_adds_begins_with_what_the_host_code_sets(bench: BenchCommand) -> None:
    outcome = bench(ATOMIC)
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"verified"}


TRANSPOSE = """
__global__ void plain(float* out, const float* in, int n) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
__global__ void tiled(float* out, const float* in, int n) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 64 * 64 * sizeof(float));
    cudaMalloc(&out, 64 * 64 * sizeof(float));
    plain<<<dim3(4, 4), dim3(16, 16)>>>(out, in, 64);
    tiled<<<dim3(4, 4), dim3(16, 16)>>>(out, in, 64);
}
"""


def test_blocks_and_grids_may_have_two_dimensions(bench: BenchCommand) -> None:
    assert bench(TRANSPOSE).code == 0
    assert {(row.case_id, row.status.value) for row in read_run(Path("run")).rows} == {
        ("sums/plain/f32/4x4:16x16/1", "verified"),
        ("sums/tiled/f32/4x4:16x16/1", "verified"),
    }


def test_instances_of_templates_are_kernels(bench: BenchCommand) -> None:
    text = re.sub(r"__global__ void (sums_\w+)\(", r"template <int N> __global__ void \1(", SUMS)
    outcome = bench(text.replace("<<<", "<8><<<"), "--kernel", "sums_smem<8>", "--kernel", "sums_shfl<8>")
    assert outcome.code == 0
    assert set(rows()) == {"sums_smem-8", "sums_shfl-8"}


def test_a_gpu_that_is_asked_for_must_be_there(bench: BenchCommand) -> None:
    assert bench(SUMS, "--device", "cuda").code == 4


def test_an_unknown_kernel_is_refused_with_the_known_ones(bench: BenchCommand) -> None:
    outcome = bench(SUMS, "--kernel", "sums_shuffle")
    assert outcome.code == 2
    assert "sums_smem, sums_shfl" in outcome.err


# ---- kernels that are fast because they leave work out

FAST = "    if (threadIdx.x == 0) {\n        sum = 0;"  # in `sums_shfl`, before it writes


@pytest.mark.parametrize(
    ("cheat", "reason"),
    [
        ("if (row == gridDim.x - 1) return;\n", "it does not write 1 of 8 elements of `out`, from element 7 on"),
        ("return;\n", "it does not write 8 of 8 elements of `out`, from element 0 on"),
    ],
    ids=["last-block", "early-return"],
)
def test_cheat_is_refused_and_not_ranked(bench: BenchCommand, cheat: str, reason: str) -> None:
    assert bench(OTHER_CONTENTS.replace(FAST, cheat + FAST), "--no-check").code == 1
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us) == ("incorrect", None)
    assert reason in (row.reason or "")


def test_kernel_that_both_leave_partly_unwritten_is_no_cheat(bench: BenchCommand) -> None:
    assert bench(SUMS.replace("cudaMalloc(&out, rows", "cudaMalloc(&out, 2 * rows")).code == 0


def test_launch_that_is_too_large_to_emulate_is_checked_in_part(bench: BenchCommand) -> None:
    given = ("--launch", "20000x256", "--arg", "out=f32[20000]", "--arg", "in=f32[2000000]", "--arg", "n=100")
    outcome = bench(KERNELS, *given)
    assert outcome.code == 0
    assert {row.status.value for row in rows().values()} == {"skipped"}
    assert "its results are compared on a GPU only" in (rows()["sums_smem"].reason or "")


def test_kernel_whose_reference_is_too_large_to_emulate_is_not_compared(bench: BenchCommand) -> None:
    text = LARGE_SUMS.replace("rows = 64, n = 1024", "rows = 20000, n = 10")
    text = text.replace("sums_shfl<<<rows", "sums_shfl<<<64")
    assert bench(text).code == 0
    assert {row.status.value for row in rows().values()} == {"skipped"}


@pytest.mark.archs
def test_origins_of_arguments_are_shown_and_chosen_contents_are_named(bench: BenchCommand) -> None:
    assert "sums: out = f32[8], in = f32[8192]:0, n = 1024 (from the host code).\n" in bench(SUMS).err
    Path("run").rename("first")
    unknown = SUMS.replace("cudaMemset(in, 0, rows * n * sizeof(float));", "")
    sizes = "out = f32[8], in = f32[8192], n = 1024 (from the host code)"
    assert f"sums: {sizes}; contents of `in` (chosen).\n" in bench(unknown).err


def test_what_launches_do_is_counted_once(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bench(SUMS).code == 0
    first = read_counts(Path("run"))
    assert len(first) == 2
    Path("run").rename("first")
    jobs: list[object] = []

    def none(new: Sequence[object]) -> Iterator[object]:
        jobs.extend(new)
        return iter(())

    monkeypatch.setattr("shflbench.session.launch_counts.counts_of_all", none)
    assert bench(SUMS).code == 0
    assert (jobs, read_counts(Path("run"))) == ([], first)


def test_folder_that_contains_a_run_is_refused_before_the_file_is_read(bench: BenchCommand) -> None:
    given = ("--launch", "2x128", "--arg", "out=f32[2]", "--arg", "in=f32[200]", "--arg", "n=100", "--device", "none")
    assert bench(KERNELS, "--no-check", *given).code == 0
    outcome = bench("no CUDA", *given)
    assert outcome.code == 3
    assert outcome.err == "error: run already contains a run\nGive another folder by --output\n"


def test_verdicts_on_all_compared_kernels_are_one_line(bench: BenchCommand) -> None:
    outcome = bench(SUMS, "--device", "none")
    lines = [line for line in outcome.err.splitlines() if "clean" in line]
    (line,) = lines
    assert re.fullmatch(r"Checked: clean \(2 kernels, \d+ launches\)\.", line)
    assert "Checked" not in bench(SUMS, "--device", "none", "--no-check", "--output", "other").err


def test_kernels_with_other_parameters_than_the_compared_ones_are_one_line(bench: BenchCommand) -> None:
    others = "".join(f"__global__ void {name}(int* a) {{ a[0] = 1; }}\n" for name in ("first", "second", "third"))
    given = ("--launch", "2x128", "--arg", "out=f32[2]", "--arg", "in=f32[200]", "--arg", "n=100")
    outcome = bench(others + KERNELS, "--device", "none", "--no-check", *given)
    assert outcome.code == 0, outcome.err
    sentence = "no compared kernel has these parameters; name a kernel with --kernel to time it"
    assert f"warning: first, second and third are not timed: {sentence}\n" in outcome.err
