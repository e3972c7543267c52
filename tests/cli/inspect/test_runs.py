"""`shflbench inspect` on the folders of runs, whose patterns may be gone."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from shflbench.store.limits_file import read_limits
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.conftest import bench as bench  # noqa: PLC0414  (a fixture)
from tests.cli.bench.test_bench import OTHER_CONTENTS, SUMS
from tests.cli.bench.test_timed import EmulatedGpu
from tests.conftest import Command
from tests.fakes.backend import plug_in

pytestmark = pytest.mark.expensive

COMMITTED = Path(__file__).parents[3] / "results/gtc2013/nvidia-h200"
TRANSPOSE = """\
__global__ void naive(float* __restrict__ out, const float* __restrict__ in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}
template <int PAD> __global__ void tiled(float* __restrict__ out, const float* __restrict__ in, int n) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32, y = blockIdx.y * 32, row = threadIdx.y, lane = threadIdx.x;
    for (int j = row; j < 32; j += 8) tile[j][lane] = in[(y + j) * n + x + lane];
    __syncthreads();
    for (int j = row; j < 32; j += 8) out[(x + j) * n + y + lane] = tile[lane][j];
}
int main() {
    const int n = 512;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float)); cudaMalloc(&out, n * n * sizeof(float));
    cudaMemset(in, 64, n * n * sizeof(float));
    dim3 grid(n / 32, n / 32), block(32, 8);
    naive<<<grid, block>>>(out, in, n);
    tiled<0><<<grid, block>>>(out, in, n);
    tiled<1><<<grid, block>>>(out, in, n);
}
"""
COPIES = """\
__global__ void words(int* __restrict__ out, const int* __restrict__ in, int n) {
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];
}
__global__ void vectors(int* __restrict__ out, const int* __restrict__ in, int n) {
    #pragma unroll 1
    for (int i = threadIdx.x; i < n / 4; i += blockDim.x) ((int4*)out)[i] = ((const int4*)in)[i];
}
int main() {
    const int n = 1024; int *in, *out;
    cudaMalloc(&in, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int)); cudaMemset(in, 1, n * sizeof(int));
    words<<<1, 256>>>(out, in, n);
    vectors<<<1, 256>>>(out, in, n);
}
"""
EDITED = OTHER_CONTENTS.replace("sum += part[warp];", "sum += 2 * part[warp];")


@pytest.fixture
def run(bench: BenchCommand) -> Path:
    """Compare two kernels with bench."""
    assert bench(SUMS).code == 0
    return Path("run")


def cells(line: str) -> list[str]:
    return re.split(r" {2,}", line.strip())


@pytest.fixture
def timed(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> BenchCommand:
    """Run bench on a scripted GPU."""
    plug_in(monkeypatch, EmulatedGpu())
    return bench


def test_kernels_of_bench_are_counted_whole(run: Path, shflbench: Command) -> None:
    outcome = shflbench("inspect", str(run))
    assert (outcome.code, outcome.err) == (0, "")
    head, fine, _, title, header, *rows = outcome.out.splitlines()
    assert head == "Memory accesses, counted in the emulator in all 8 blocks:"
    assert fine == "  no bank conflicts, and every request touches the fewest sectors"
    assert title.startswith("sums  f32  sm_90")
    named = {cells(row)[0]: dict(zip(cells(header), cells(row), strict=False)) for row in rows[:2]}
    assert set(named) == {"sums_smem", "sums_shfl"}
    assert int(named["sums_shfl"]["exchange"]) > int(named["sums_smem"]["exchange"]) > 0
    assert rows[-1].endswith("instructions are those of the whole code, each counted once")


@pytest.mark.archs
def test_the_cause_of_a_ratio_is_what_one_kernel_has_and_the_other_lacks(run: Path, shflbench: Command) -> None:
    outcome = shflbench("inspect", str(run), "--diff", "sums_smem", "sums_shfl")
    assert outcome.code == 0
    assert re.search(r"more in sums_shfl: .*5 SHFL", outcome.out)
    assert re.search(r"more in sums_smem: .*1 BAR", outcome.out)


@pytest.mark.archs
def test_two_runs_of_an_edited_file_are_compared_kernel_by_kernel(
    run: Path, bench: BenchCommand, shflbench: Command
) -> None:
    run.rename("old")
    assert bench(EDITED).code == 5  # it is wrong, and inspected all the same
    outcome = shflbench("inspect", "run", "--diff", "old", "run", "--format", "json")
    assert outcome.code == 0
    differences = {pair["kernels"][0]["variant"]: pair["differences"] for pair in json.loads(outcome.out)["pairs"]}
    assert any("have the same" in sentence for sentence in differences["sums_smem"])
    assert any(sentence.startswith("more in ") for sentence in differences["sums_shfl"])


@pytest.mark.archs
def test_the_whole_code_is_listed_where_no_loop_is_timed(run: Path, shflbench: Command) -> None:
    listed = shflbench("inspect", str(run), "--sass", "--variant", "sums_shfl").out
    assert "the whole code" in listed
    assert len(re.findall(r"SHFL\.DOWN", listed)) == 5


def test_a_committed_run_shows_its_limits(shflbench: Command) -> None:
    outcome = shflbench("inspect", str(COMMITTED), "--pattern", "neighbor", "--dtype", "f32", "--variant", "shfl")
    assert outcome.code == 0
    assert "limit (cycles/iteration)" in outcome.out


@pytest.mark.archs
def test_accesses_of_a_launch_come_first(bench: BenchCommand, shflbench: Command) -> None:
    assert bench(TRANSPOSE).code == 0
    head, naive, tiled, empty, *_ = shflbench("inspect", "run", "--accesses").out.splitlines()
    assert head == "Memory accesses, counted in the emulator in 8 of 256 blocks:"
    assert naive.startswith(
        "  naive: sums.cu:3: uncoalesced: a store of 32 bits touches 32 sectors of 32 bytes instead "
    )
    assert tiled.startswith(
        "  tiled-0: sums.cu:10: bank conflicts: a load of 32 bits takes 32 passes instead of 1; pad"
    )
    assert not empty
    lines = shflbench("inspect", "run", "--diff", "tiled-0", "tiled-1").out.splitlines()
    (found,) = [
        number for number, line in enumerate(lines) if line.startswith("  tiled-0: sums.cu:10: bank conflicts:")
    ]
    assert found == next(number for number, line in enumerate(lines) if "each counted once" in line) - 1
    assert not any(line.startswith("  tiled-1: sums.cu") for line in lines)


@pytest.mark.archs
def test_wider_loads_are_what_one_kernel_has_and_the_other_lacks(bench: BenchCommand, shflbench: Command) -> None:
    assert bench(COPIES).code == 0
    out = shflbench("inspect", "run", "--diff", "words", "vectors").out
    assert re.search(r"more in words: .*1 LDG, 1 STG(,|$)", out, re.MULTILINE)
    assert re.search(r"more in vectors: .*1 LDG\.128, 1 STG\.128", out)
    assert re.search(r"global loads per thread +4 of 32 bits +1 of 128 bits\n", out)
    assert re.search(r"global stores per thread +4 of 32 bits +1 of 128 bits\n", out)


def test_a_run_without_counts_says_how_to_get_them(run: Path, shflbench: Command) -> None:
    (run / "counts.json").unlink()
    outcome = shflbench("inspect", str(run), "--accesses")
    assert outcome.code == 2
    assert outcome.err.startswith("error: --accesses needs the counts that `bench` records, and run has none\n")
    assert "Memory accesses" not in shflbench("inspect", str(run)).out


@pytest.mark.archs
def test_a_launch_that_cannot_be_counted_says_why(bench: BenchCommand, shflbench: Command) -> None:
    assert bench(TRANSPOSE.replace("__syncthreads();", "__threadfence(); __syncthreads();"), "--no-check").code == 0
    shown = shflbench("inspect", "run").out
    assert "its memory accesses are not counted: its blocks may wait for one another, and 256 are too many" in shown


@pytest.mark.archs
def test_advice_on_a_run_names_no_file_of_its_folder(shflbench: Command) -> None:
    out = shflbench("inspect", str(COMMITTED), "--pattern", "bitonic-sort", "--variant", "cub").out
    assert re.search(r"32 allow 64: `__launch_bounds__\(1024, 2\)` makes the compiler use no more", out)


@pytest.mark.parametrize("words", [["--arch", "sm_80"], ["neighbor"]])
def test_what_needs_files_of_a_pattern_is_refused(run: Path, shflbench: Command, words: list[str]) -> None:
    outcome = shflbench("inspect", str(run), *words)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")


def table(text: str, title: str) -> dict[str, dict[str, str]]:
    """Return the lines of the table with a title, by variant."""
    lines = text.partition(f"{title}\n")[2].splitlines()
    header = lines[0]
    columns = {match[0]: match.start() for match in re.finditer(r"\S+(?: \S+)*", header)}
    starts = [*columns.values(), None]
    rows = [[line[one:other].strip() for one, other in pairwise(starts)] for line in lines[1:3]]
    return {row[0]: dict(zip(columns, row, strict=True)) for row in rows}


@pytest.mark.archs
def test_time_and_limit_of_a_launch_are_shown_beside_each_kernel(timed: BenchCommand, shflbench: Command) -> None:
    assert timed(SUMS, "--precision", "5%").code == 0
    assert "no limit: the run has none; calculate it with `shflbench limits --save`" in shflbench("inspect", "run").out
    shflbench("limits", "--save", "run")
    outcome = shflbench("inspect", "run")
    named = table(outcome.out, "sums  f32  sm_90  launch 8x256  loops counted once")
    assert list(named) == ["sums_shfl", "sums_smem"]  # the fastest first
    assert [row["time (µs/launch)"] for row in named.values()] == ["4.000 ± 0.002", "8.000 ± 0.002"]
    for case_id, limit in read_limits(Path("run")).items():
        row = named[case_id.split("/")[1]]
        assert (row["limit (µs/launch)"], row["limited by"]) == (f"{limit.limit_us:.2f}", limit.limit_by)
    assert "no limit" not in outcome.out


@pytest.mark.archs
def test_a_table_per_launch_has_the_launch_in_its_title(timed: BenchCommand, shflbench: Command) -> None:
    timed(SUMS, "--launch", "8x256", "--launch", "8x128", "--l2", "cold", "--precision", "5%")
    out = shflbench("inspect", "run").out
    for launch in ("8x256", "8x128"):
        assert set(table(out, f"sums  f32  sm_90  launch {launch}  l2=cold  loops counted once")) == {
            "sums_smem",
            "sums_shfl",
        }
    listed = shflbench("inspect", "run", "--diff", "sums_smem", "sums_shfl").out
    assert listed.count("time (µs/launch)") == 2
    assert len(re.findall(r"SHFL\.DOWN", listed)) == 5  # the code once
    assert shflbench("inspect", "run", "--sass").out.count("the whole code\n") == 2


@pytest.mark.archs
def test_each_kernel_keeps_its_own_launch(timed: BenchCommand, shflbench: Command) -> None:
    timed(SUMS.replace("sums_shfl<<<rows, 256>>>", "sums_shfl<<<rows, 64>>>"), "--precision", "5%")
    named = table(shflbench("inspect", "run").out, "sums  f32  sm_90  launch own  loops counted once")
    assert {name: row["launch"] for name, row in named.items()} == {"sums_smem": "8x256", "sums_shfl": "8x64"}
    compared = shflbench("inspect", "run", "--diff", "sums_smem", "sums_shfl")
    assert compared.code == 0, compared.err
    assert re.search(r"launch +8x256 +8x64\n +time \(µs/launch\) +8.000 ± 0.002 +4.000 ± 0.002", compared.out)


def test_json_has_the_launch_with_its_time(timed: BenchCommand, shflbench: Command) -> None:
    timed(SUMS, "--precision", "5%")
    kernels = json.loads(shflbench("inspect", "run", "--format", "json").out)["kernels"]
    keys = ("variant", "launch", "grid", "threads_per_block", "time_us", "limit_us")
    assert [tuple(kernel[key] for key in keys) for kernel in kernels] == [
        ("sums_smem", "8x256", 8, 256, 8.0, None),
        ("sums_shfl", "8x256", 8, 256, 4.0, None),
    ]


@pytest.mark.archs
def test_a_run_at_another_launch_is_compared(timed: BenchCommand, shflbench: Command) -> None:
    timed(SUMS, "--precision", "5%")
    Path("run").rename("old")
    timed(SUMS, "--launch", "4x128", "--precision", "5%")
    outcome = shflbench("inspect", "run", "--diff", "old", "run", "--variant", "sums_shfl")
    assert outcome.code == 0, outcome.err
    assert re.search(r"launch +8x256 +4x128\n", outcome.out)


def test_instructions_of_loops_count_once_and_are_numbered(run: Path, shflbench: Command) -> None:
    title = "sums  f32  sm_90  launch 8x256  loops counted once"
    named = table(shflbench("inspect", str(run)).out, title)
    listed = shflbench("inspect", str(run), "--sass", "--variant", "sums_smem").out
    # Of both loops: from where each branch goes back to, to the branch; the padding after EXIT is none of them.
    addresses = [int(match, 16) for match in re.findall(r"^  (0x\w+)", listed, re.MULTILINE)]
    back = [(int(at, 16), int(to, 16)) for at, to in re.findall(r"^  (0x\w+) .*BRA.* (0x\w+) ", listed, re.MULTILINE)]
    loops = [range(to, at + 1) for at, to in back if to <= at]
    assert len(loops) == 2
    assert int(named["sums_smem"]["in loops"]) == sum(any(at in loop for loop in loops) for at in addresses)
    compared = shflbench("inspect", str(run), "--diff", "sums_smem", "sums_shfl").out
    assert compared.startswith(f"{title}\n")
    assert re.search(rf"^ +in loops +{named['sums_smem']['in loops']} +", compared, re.MULTILINE)


STRAIGHT = """
__global__ void one(float* out) { out[threadIdx.x] = 1; }
__global__ void also_one(float* out) { out[threadIdx.x] = 2 - 1; }
int main() { float* out; cudaMalloc(&out, 128); one<<<1, 32>>>(out); also_one<<<1, 32>>>(out); }
"""


def test_kernels_without_loops_have_no_such_title(bench: BenchCommand, shflbench: Command) -> None:
    assert bench(STRAIGHT).code == 0
    title, header, *_ = shflbench("inspect", "run").out.partition("\n\n")[2].splitlines()
    assert title.endswith("launch 1x32")
    assert "in loops" not in header


@pytest.fixture
def renamed(run: Path, shflbench: Command) -> Path:
    """Compare the kernels of a file of another name, one of which has another name."""
    run.rename("old")
    Path("other.cu").write_text(SUMS.replace("sums_shfl", "sums_warp"), encoding="utf-8")
    assert shflbench("bench", "other.cu", "--output", "run").code == 0
    return Path("run")


@pytest.mark.archs
def test_kernels_of_a_renamed_file_are_compared(renamed: Path, shflbench: Command) -> None:
    outcome = shflbench("inspect", str(renamed), "--diff", "old", "run")
    assert outcome.code == 0, outcome.err
    titles = [line for line in outcome.out.splitlines() if line.startswith("sums / other")]
    assert titles == ["sums / other  sums_smem  f32  sm_90  launch 8x256  loops counted once"]


@pytest.mark.archs
def test_the_only_kernels_of_two_runs_are_compared(renamed: Path, shflbench: Command) -> None:
    words = ("--variant", "sums_shfl", "--variant", "sums_warp")
    outcome = shflbench("inspect", str(renamed), "--diff", "old", "run", *words)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("sums / other  sums_shfl / sums_warp  f32  sm_90")
    assert "both have the same" in outcome.out


@pytest.mark.archs
def test_kernels_of_two_runs_are_listed_where_none_corresponds(
    renamed: Path, bench: BenchCommand, shflbench: Command
) -> None:
    renamed.rename("new")
    bench(STRAIGHT)
    outcome = shflbench("inspect", "run", "--diff", "new", "run")
    assert outcome.code == 2
    assert "new has other/sums_smem, other/sums_warp; run has sums/one, sums/also_one" in outcome.err
    assert "--variant NAME --variant NAME" in outcome.err
    assert shflbench("inspect", "run", "--diff", "run", "run").code == 2


@pytest.mark.parametrize("name", ["sums_shfl", "sums_shuffle"])
def test_a_name_beside_a_run_names_the_option_and_the_variants(run: Path, shflbench: Command, name: str) -> None:
    outcome = shflbench("inspect", str(run), name)
    assert outcome.code == 2
    assert f"without `{name}`" in outcome.err
    assert "Choose kernels by --variant (sums_smem, sums_shfl)" in outcome.err
