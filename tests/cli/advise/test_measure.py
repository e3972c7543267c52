"""`shflbench advise FILE --measure` on a scripted GPU, whose kernels compute in the emulator."""

import json
from pathlib import Path

import pytest

from shflbench.cuda.backends.base import KernelCall, OpenKernel
from tests.cli.advise.results import reductions, set_in_record
from tests.cli.bench.test_timed import EmulatedGpu, EmulatedGpuKernel
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script, plug_in, unplug

pytestmark = pytest.mark.expensive

LANES = """
__global__ void lanes(const float* in, float* out) {
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void plain(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
int main() {
    float *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    lanes<<<1, 64>>>(in, out);
    plain<<<1, 64>>>(in, out);
}
"""


class ByCode(EmulatedGpu):
    """A GPU on which a kernel with shared memory takes twice as long."""

    def open(self, call: KernelCall, _place: int = 0) -> OpenKernel:
        opened = super().open(call)
        return ByCodeKernel(self, call) if isinstance(opened, EmulatedGpuKernel) else opened


class ByCodeKernel(EmulatedGpuKernel):
    """Takes its time by its code."""

    def __init__(self, backend: FakeBackend, call: KernelCall) -> None:
        super().__init__(backend, call)
        self._script = Script(base_us=8.0 if ".shared" in call.kernel.ptx else 4.0, ns_per_iteration=0.0)


@pytest.fixture
def file(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command, one_core: None) -> str:
    del shflbench, one_core  # for the folder, and the machine
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    Path("lanes.cu").write_text(LANES, encoding="utf-8")
    return "lanes.cu"


@pytest.fixture
def gpu(file: str, monkeypatch: pytest.MonkeyPatch) -> EmulatedGpu:
    del file  # which unplugs every GPU
    device = ByCode()
    plug_in(monkeypatch, device)
    return device


@pytest.mark.archs
def test_the_ratio_of_both_versions_is_printed_with_its_interval(
    file: str, gpu: EmulatedGpu, shflbench: Command
) -> None:
    outcome = shflbench("advise", file, "--measure")
    assert outcome.code == 0, outcome.err
    assert gpu.opened
    assert "lanes: the file as it is (old), and with the patch (new)\n  old: 8 µs" in outcome.out
    assert "2.00× the speed of old (" in outcome.out
    assert "plain: the file" not in outcome.out  # which has no change
    assert Path(file).read_text(encoding="utf-8") == LANES
    assert list(Path.cwd().iterdir()) == [Path(file).absolute()]


@pytest.mark.archs
def test_a_file_whose_name_has_capitals_is_measured(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    Path(file).rename("LanesOfRows.cu")
    outcome = shflbench("advise", "LanesOfRows.cu", "--measure")
    assert outcome.code == 0, outcome.err
    assert gpu.opened
    assert "2.00× the speed of old (" in outcome.out


@pytest.mark.archs
def test_json_has_the_ratio_beside_the_advice(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    lanes, plain = json.loads(shflbench("advise", file, "--measure", "--format", "json").out)["kernels"]
    assert gpu.opened
    assert lanes["measured"]["time_us"] == {"old": 8.0, "new": 4.0}
    speedup = lanes["measured"]["speedup"]
    assert speedup["value"] == pytest.approx(2)
    assert 1 < speedup["low"] <= speedup["high"] < 3
    assert "measured" not in plain


@pytest.mark.archs
def test_with_patch_the_diff_stays_alone_on_stdout(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    outcome = shflbench("advise", file, "--measure", "--patch")
    assert gpu.opened
    assert outcome.out.startswith("--- a/lanes.cu\n")
    assert "×" not in outcome.out
    assert "2.00× the speed of old (" in outcome.err


def test_an_overload_that_changes_is_the_one_that_is_measured(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    del gpu  # only plugged in
    text = LANES.replace("plain(const float* in, float* out)", "lanes(const float* in, double* out)")
    Path(file).write_text(text.partition("int main")[0], encoding="utf-8")
    given = ("--launch", "1x64", "--arg", "in=f32[64]", "--arg", "out=f32[64]")
    outcome = shflbench("advise", file, "--measure", "--format", "json", *given)
    first, second = json.loads(outcome.out)["kernels"]
    assert "measured" in first
    assert "measured" not in second


def test_nothing_is_timed_if_nothing_changes(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    outcome = shflbench("advise", file, "--measure", "--kernel", "plain")
    assert (outcome.code, gpu.opened) == (0, [])
    assert "No exchange and no barrier of the file can be changed." in outcome.err


@pytest.mark.archs
def test_another_result_is_no_time(
    file: str, gpu: EmulatedGpu, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = EmulatedGpuKernel.run

    def wrong(kernel: EmulatedGpuKernel, *words: object) -> list[object]:
        results = run(kernel, *words)  # type: ignore[arg-type]
        if ".shared" not in kernel.call.kernel.ptx:
            results[0][5] += 1e-6  # less than the tolerance of `bench`
        return results  # type: ignore[return-value]

    monkeypatch.setattr(EmulatedGpuKernel, "run", wrong)
    outcome = shflbench("advise", file, "--measure")
    assert outcome.code == 5
    assert gpu.opened
    assert "new: incorrect" in outcome.out


def test_without_a_gpu_one_sentence_says_so_before_anything_runs(file: str, shflbench: Command) -> None:
    Path(file).unlink()
    outcome = shflbench("advise", file, "--measure")
    assert (outcome.code, outcome.out) == (4, "")
    assert "--measure needs a GPU, and the driver lists no GPU" in outcome.err


@pytest.mark.archs
def test_gpu_chooses_one_by_its_name(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    assert shflbench("advise", file, "--measure", "--gpu", "h200").code == 0
    outcome = shflbench("advise", file, "--measure", "--gpu", "A100")
    assert gpu.opened
    assert outcome.code == 4
    assert "no name of a GPU contains 'A100'" in outcome.err


@pytest.mark.archs
def test_stored_runs_of_another_gpu_do_not_matter(file: str, gpu: EmulatedGpu, shflbench: Command) -> None:
    folder = reductions(Path("results") / "run")
    set_in_record(folder, lambda record: record["device"].update(name="NVIDIA A100"))
    outcome = shflbench("advise", file, "--measure", "--gpu", "h200")
    assert outcome.code == 0, outcome.err
    assert gpu.opened
    assert "no results here are of its pattern" in outcome.out
    assert shflbench("advise", file, folder, "--measure", "--gpu", "h200").code == 3


def test_measure_applies_to_files(shflbench: Command) -> None:
    outcome = shflbench("advise", "reduce", "--measure")
    assert outcome.code == 2
    assert "--measure applies to .cu, .cuh and .ptx files" in outcome.err
