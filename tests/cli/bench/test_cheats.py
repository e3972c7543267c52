"""`shflbench bench` on kernels that are fast because they leave their work out: each is refused and has no time.

The GPU is scripted. Its kernels compute in the emulator, and `__device__` variables keep what launches leave in them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.core.model import DeviceState
from shflbench.cuda.backends.base import POISON, Array, Burst, KernelCall, OpenKernel
from shflbench.store import Row, read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import FAST, SUMS, TRANSPOSE
from tests.cli.bench.test_timed import EmulatedGpu, EmulatedGpuKernel
from tests.conftest import Outcome
from tests.fakes.backend import H200, plug_in

pytestmark = pytest.mark.expensive

RANDOM = SUMS.replace("cudaMemset(in, 0, rows * n * sizeof(float));", "")
STATE = "__device__ float kept[64];\n__device__ int launches[64];\n"
CheatCommand = Callable[..., Outcome]  # (text, *words, program)
EVALUATED = 3  # timed launches of a kernel that are emulated
SUM = "float all = 0; for (int w = 0; w < 8; ++w) all += part[w];"


class CheatedGpu(EmulatedGpu):
    """A GPU on which timed launches change memory."""

    again: list[str]  # symbols of the kernels that were launched after timing, in this order

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        self.again = []
        opened = super().open(call, place)
        if isinstance(opened, EmulatedGpuKernel):
            opened.__class__ = LaunchedGpuKernel
        return opened


class LaunchedGpuKernel(EmulatedGpuKernel):
    """Executes some of its timed launches, with the inputs of the last verification."""

    evaluated = 0
    inputs: Sequence[Array] = ()

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        self.inputs = inputs
        return super().run(inputs, iterations, fill)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        self._backend.again.append(self.name)  # type: ignore[attr-defined]  # it opens no other kernels
        return super().run_again(inputs, iterations)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        for _ in range(EVALUATED - self.evaluated):
            self.evaluated += 1
            super().run_again(self.inputs, iterations)
        return super().burst(iterations, samples, launches)


@pytest.fixture
def gpu(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> CheatedGpu:
    del bench  # which unplugs every GPU
    device = CheatedGpu()
    plug_in(monkeypatch, device)
    return device


@pytest.fixture
def cheat(bench: BenchCommand, gpu: CheatedGpu) -> CheatCommand:
    """Run bench on a GPU, with a text in front of what writes the sums in `sums_shfl`."""
    del gpu  # only for the machine

    def call(text: str, *words: str, program: str = RANDOM) -> Outcome:
        return bench(STATE + program.replace(FAST, f"    {text}\n{FAST}"), "--no-check", "--precision", "5%", *words)

    return call


def rows() -> dict[str, Row]:
    return {row.variant: row for row in read_run(Path("run")).rows}


UNWRITTEN = {
    "all-threads-return": "return;",
    "last-block-returns": "if (row == gridDim.x - 1) return;",
    "every-second-block-returns": "if (row % 2) return;",
}


@pytest.mark.archs
@pytest.mark.parametrize("text", UNWRITTEN.values(), ids=UNWRITTEN)
def test_kernel_that_does_not_write_is_refused(cheat: CheatCommand, text: str) -> None:
    assert cheat(text).code == 1
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us, rows()["sums_smem"].status.value) == ("incorrect", None, "timed")
    assert "it does not write" in (row.reason or "")


COUNT = "int done = launches[row]; __syncthreads(); if (threadIdx.x == 0) launches[row] = done + 1;"
LATER = {
    "works-at-the-first-launch-only": "if (launches[row] > 0) return; __syncthreads(); launches[row] = 1;",
    "nothing-after-the-launches-of-verification": f"{COUNT} if (done >= 3) return;",
    "copies-a-kept-result-after-them": f"{COUNT} {SUM} if (done >= 3) {{ out[row] = kept[row]; return; }}"
    " kept[row] = all;",
    "skips-where-the-output-is-what-it-wrote": f"{SUM} if (out[row] == kept[row]) return; __syncthreads();"
    " kept[row] = all;",
}


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", LATER.values(), ids=LATER)
def test_kernel_whose_later_launches_do_less_is_refused(cheat: CheatCommand, text: str) -> None:
    outcome = cheat(text)
    assert outcome.code == 1, outcome.err
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us, rows()["sums_smem"].status.value) == ("incorrect", None, "timed")
    assert "its result depends on earlier launches: launched again with other inputs" in (row.reason or "")


WRONG = {
    "copies-the-result-of-the-first-launch": f"{SUM} if (launches[row] > 0) {{ out[row] = kept[row]; return; }}"
    " __syncthreads(); launches[row] = 1; kept[row] = all;",
    "works-only-where-the-output-was-overwritten": "if (__float_as_uint(out[row]) != 0xA5A5A5A5) return;",
    "adds-half-of-the-input": "if (threadIdx.x == 0) for (int w = 4; w < 8; ++w) part[w] = part[w - 4];",
    "computes-in-a-smaller-type": "if (threadIdx.x < 8) part[threadIdx.x] = int(part[threadIdx.x] / 64) * 64;",
    "writes-a-constant": "out[row] = 512.25f; return;",
}


@pytest.mark.archs
@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_kernel_with_a_result_of_other_inputs_is_refused(cheat: CheatCommand, text: str) -> None:
    outcome = cheat(text)
    assert outcome.code in {1, 5}, outcome.err
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us) == ("incorrect", None)


INTEGERS = RANDOM.replace("float", "int")
COPIES = "if (launches[row] > 0) { out[row] = kept[row]; return; } __syncthreads(); launches[row] = 1; kept[row] = all;"


@pytest.mark.archs
def test_result_that_is_wrong_without_earlier_launches_is_not_attributed_to_them(cheat: CheatCommand) -> None:
    assert cheat("", program=SUMS.replace("part[8];", "part[8]; out[blockIdx.x] = 0; return;")).code == 5
    reason = rows()["sums_shfl"].reason or ""
    assert reason.startswith("with varied contents of `in`, element 0 is 0.0, not ")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (SUMS, f"{SUM} {COPIES}"),
        (SUMS.replace("part[8];", "part[8]; out[blockIdx.x] = 0; return;"), ""),
        (INTEGERS, f"{SUM} {COPIES}".replace("float", "int")),
    ],
    ids=["kept-result-of-zeros", "constant-for-zeros", "kept-result-of-integers"],
)
def test_result_of_inputs_that_the_host_code_states_is_not_enough(cheat: CheatCommand, program: str, text: str) -> None:
    outcome = cheat(text, program=program)
    assert outcome.code in {1, 5}, outcome.err
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us) == ("incorrect", None)


def test_reference_is_verified_again_after_the_kernels_that_need_it(cheat: CheatCommand, gpu: CheatedGpu) -> None:
    cheat("")
    assert [name.split("sums_")[1][:4] for name in gpu.again[-2:]] == ["shfl", "smem"]


FEW_BYTES = DeviceState(l2_bytes=1024, max_memory_clock_mhz=400, memory_bus_bits=64)
SMALL = replace(H200, name="a GPU with little memory", state=FEW_BYTES)


@pytest.mark.parametrize(("buffers", "code"), [("out", 1), ("in", 0)])
def test_time_below_that_of_writing_to_memory_is_refused(
    bench: BenchCommand, monkeypatch: pytest.MonkeyPatch, buffers: str, code: int
) -> None:
    # 15 KiB of results that its L2 cache cannot hold take this GPU 2.4 µs, and the kernels take 2 µs. A launch with
    # results of 64 bytes needs none of its inputs.
    plug_in(monkeypatch, CheatedGpu(device=SMALL))
    outcome = bench(TRANSPOSE if buffers == "out" else RANDOM)
    assert outcome.code == code, outcome.err
    if buffers == "out":
        assert {(row.status.value, row.time_us) for row in rows().values()} == {("failed", None)}
        assert "faster than memory allows: 2 µs per launch, and DRAM takes 2.4 µs at 6.4 GB/s for the 0.01638 MB" in (
            rows()["plain"].reason or ""
        )


def test_work_that_is_left_to_a_launch_in_device_code_is_refused_by_name(cheat: CheatCommand) -> None:
    outcome = cheat("sums_smem<<<gridDim.x, blockDim.x>>>(out, in, n); return;")
    assert outcome.code == 1
    assert list(rows()) == ["sums_smem"]
    assert "device code launches a kernel: what `sums_shfl` leaves to it is neither checked nor timed" in outcome.err


@pytest.mark.parametrize(("words", "code", "reason"), [((), 1, "broken, "), (("--no-check",), 5, "out of bounds")])
def test_kernel_that_copies_from_memory_of_another_is_refused(
    bench: BenchCommand, words: tuple[str, ...], code: int, reason: str
) -> None:
    copies = "    if (threadIdx.x == 0) out[row] = out[row + 64];\n    return;\n"
    outcome = bench(RANDOM.replace(FAST, copies + FAST), *words)
    assert outcome.code == code, outcome.err
    assert reason in outcome.err
    assert "sums_shfl" not in {name for name, row in rows().items() if row.status.value == "verified"}


@pytest.mark.archs
def test_kernel_that_crashes_after_timing_has_no_time(cheat: CheatCommand) -> None:
    assert cheat(f"{COUNT} if (done >= 3) in[2000000000] = 0;".replace("in[", "((float*)in)[")).code == 5
    row = rows()["sums_shfl"]
    assert (row.status.value, row.time_us, rows()["sums_smem"].status.value) == ("failed", None, "timed")
    assert "out of bounds" in (row.reason or "")


@pytest.mark.archs
@pytest.mark.parametrize("program", [RANDOM, SUMS], ids=["random", "zeros"])
def test_kernel_that_resets_its_own_counter_is_no_cheat(cheat: CheatCommand, program: str) -> None:
    assert cheat("if (threadIdx.x == 0) atomicInc((unsigned*)launches, gridDim.x - 1);", program=program).code == 0
    assert {row.status.value for row in rows().values()} == {"timed"}


@pytest.mark.archs
@pytest.mark.parametrize("program", [RANDOM, SUMS], ids=["random", "zeros"])
def test_kernel_with_scratch_memory_of_its_own_is_no_cheat(cheat: CheatCommand, program: str) -> None:
    text = f"{SUM} kept[row] = all; __syncthreads(); all = kept[row]; if (all != all) return;"
    assert cheat(text, program=program).code == 0
    assert {row.status.value for row in rows().values()} == {"timed"}


PLACES = """
__device__ int scratch[256];
__global__ void linear(int* out, const int* in, int n) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += in[i] < (int)threadIdx.x;
    out[threadIdx.x] = count;
}
__global__ void binary(int* out, const int* in, int n) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (in[middle] < (int)threadIdx.x) low = middle + 1; else high = middle;
    }
    scratch[threadIdx.x] = low;
    __syncthreads();
    out[threadIdx.x] = scratch[threadIdx.x];
}
"""


@pytest.mark.archs
def test_ascending_contents_stay_ascending(cheat: CheatCommand) -> None:
    np.save("in.npy", np.arange(100, dtype=np.int32) * 2)
    given = ("--launch", "1x256", "--arg", "out=i32[256]", "--arg", "in=in.npy", "--arg", "n=100")
    outcome = cheat("", *given, program=PLACES)
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"timed"}


ADDS = """
__global__ void direct(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}
__global__ void strided(float* out, const float* in, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    atomicAdd(out, sum);
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 1000 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemset(out, 0, sizeof(float));
    direct<<<4, 256>>>(out, in, 1000);
    strided<<<2, 256>>>(out, in, 1000);
}
"""


@pytest.mark.archs
def test_kernel_that_adds_to_what_the_host_code_set_to_zero_is_no_cheat(cheat: CheatCommand) -> None:
    outcome = cheat("", program=ADDS)
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"timed"}


RACE = """
__global__ void count(int* counter) { int before = *counter; *counter = before + 1; }
__global__ void count_again(int* counter) { int before = *counter; *counter = before + 1; }
int main() {
    int* counter;
    cudaMalloc(&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    count<<<16, 128>>>(counter);
    count_again<<<16, 128>>>(counter);
}
"""


@pytest.mark.every_schedule
def test_result_of_a_race_is_not_attributed_to_earlier_launches(bench: BenchCommand) -> None:
    assert bench(RACE, "--no-check").code == 5
    assert rows()["count"].reason == "launched with other inputs, element 0 is 4, not 1 (1 of 1 are wrong)"


SOME = """
__global__ void plain(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && fmodf(in[i], 2) < 1) out[i] = in[i];
}
__global__ void strided(float* out, const float* in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (fmodf(in[i], 2) < 1) out[i] = in[i];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 1000 * sizeof(float));
    cudaMalloc(&out, 1000 * sizeof(float));
    plain<<<4, 256>>>(out, in, 1000);
    strided<<<2, 256>>>(out, in, 1000);
}
"""


@pytest.mark.archs
def test_elements_that_only_earlier_inputs_let_the_kernel_write_are_not_compared(cheat: CheatCommand) -> None:
    outcome = cheat("", program=SOME)
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"timed"}
