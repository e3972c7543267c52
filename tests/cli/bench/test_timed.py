"""`shflbench bench` on a scripted GPU, whose kernels compute in the emulator."""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.checker import CandidateFile, read_candidates
from shflbench.core.model import Kernel
from shflbench.cuda.backends.base import POISON, Array, KernelCall, OpenKernel
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile import nvdisasm
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import IN_PLACE, LARGE_SUMS, SUMS, TRANSPOSE
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, FakeKernel, Script, plug_in

TIMES_US = {"sums_smem": 8.0, "sums_shfl": 4.0}


class EmulatedGpu(FakeBackend):
    """A GPU whose kernels take scripted times."""

    def open(self, call: KernelCall, _place: int = 0) -> OpenKernel:
        if call.kernel.symbol.startswith("sentinel"):
            return super().open(call)
        self.opened.append(call)
        return EmulatedGpuKernel(self, call)

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        del kernel, shared_bytes
        return 2048 // block


class EmulatedGpuKernel(FakeKernel):
    """Computes in the emulator."""

    def __init__(self, backend: FakeBackend, call: KernelCall) -> None:
        time_us = next((time for name, time in TIMES_US.items() if name in call.kernel.symbol), 2.0)
        super().__init__(backend, call, call.kernel.symbol, Script(base_us=time_us, ns_per_iteration=0.0))
        self._emulated = EmulatorBackend("sm_90").open(call)

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        return self._emulated.run(inputs, iterations, fill)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return self._emulated.run_again(inputs, iterations)


@pytest.fixture
def gpu(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> EmulatedGpu:
    del bench  # which unplugs every GPU
    device = EmulatedGpu()
    plug_in(monkeypatch, device)
    return device


@pytest.mark.archs
def test_it_says_which_kernel_is_faster_and_by_what_factor(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    outcome = bench(SUMS, "--precision", "5%")
    assert outcome.code == 0, outcome.err
    assert gpu.opened
    assert {row.variant: (row.status.value, row.time_us) for row in read_run(Path("run")).rows} == {
        "sums_smem": ("timed", 8.0),
        "sums_shfl": ("timed", 4.0),
    }
    assert "sums_shfl  4.000" in outcome.err
    assert "2.00×" in outcome.err


@pytest.mark.archs
def test_it_says_that_launches_find_their_data_in_a_warm_cache(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    gpu.device = replace(gpu.device, state=replace(gpu.device.state, l2_bytes=50 << 20))
    sizes = ("--arg", "n=1024,4096", "--precision", "5%", "--no-check")
    words = "Buffers (0.25 MiB to 1 MiB) fit in the L2 cache (50 MiB), which is warm; --l2 cold empties it before each"
    assert words in bench(LARGE_SUMS, *sizes).err
    Path("run").rename("warm")
    assert "L2 cache" not in bench(LARGE_SUMS, *sizes, "--l2", "cold").err
    Path("run").rename("cold")
    gpu.device = replace(gpu.device, state=replace(gpu.device.state, l2_bytes=1 << 19))
    assert "Buffers of some launches (0.25 MiB) fit in the L2 cache (0.5 MiB)," in bench(LARGE_SUMS, *sizes).err
    Path("run").rename("small")
    gpu.device = replace(gpu.device, state=replace(gpu.device.state, l2_bytes=1 << 16))
    assert "L2 cache" not in bench(LARGE_SUMS, *sizes).err


@pytest.mark.archs
def test_last_line_is_the_command_that_says_why(bench: BenchCommand, gpu: EmulatedGpu, shflbench: Command) -> None:
    outcome = bench(SUMS, "--precision", "5%")
    assert gpu.opened
    (line,) = (line for line in outcome.err.splitlines() if line.startswith("Why: shflbench "))
    assert line == "Why: shflbench inspect run --diff sums_smem sums_shfl"
    assert shflbench(*line.split()[2:]).code == 0
    Path("run").rename("first")
    assert "Why: " not in bench(SUMS, "--kernel", "sums_smem", "--precision", "5%").err


@pytest.mark.archs
def test_machine_code_is_disassembled_once(
    bench: BenchCommand, gpu: EmulatedGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench(SUMS, "--precision", "5%").code == 0
    assert gpu.opened
    Path("run").rename("first")
    calls: list[object] = []
    monkeypatch.setattr(nvdisasm, "call", lambda *words: calls.append(words))
    assert bench(SUMS, "--precision", "5%").code == 0
    assert not calls
    assert read_limits(Path("run")) == read_limits(Path("first"))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens to the process that opens the GPU, and that the file is read, in order."""
    happened: list[str] = []

    class EarlyProcess:
        def __init__(self, *words: str) -> None:
            happened.append(" ".join(("start", *words)))

        def close(self) -> None:
            happened.append("close")

    def read(*arguments: Any, **options: Any) -> CandidateFile:
        happened.append("read")
        return read_candidates(*arguments, **options)

    monkeypatch.setattr("shflbench.measure.process.EarlyWorker", EarlyProcess)
    monkeypatch.setattr("shflbench.user_kernels.bench.file_choice.read_candidates", read)
    return happened


def test_gpu_is_opened_while_the_file_is_read(bench: BenchCommand, gpu: EmulatedGpu, processes: list[str]) -> None:
    assert bench("int none;", "--gpu", "1").code != 0
    assert processes == ["start shflbench.cuda.backends.cuda:open_backend 1", "read", "close"]
    assert not gpu.opened


def test_options_are_read_without_slow_imports_before_the_gpu_is_opened() -> None:
    program = (
        "import sys; from shflbench.cli.bench.command import command\n"
        "command.make_context('bench', ['sums.cu'])\n"
        "print({'pydantic', 'numpy', 'shflbench.checker.file_check'} & {*sys.modules})"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "set()"


@pytest.mark.parametrize("words", [("--device", "none"), ("--device", "emulator"), ("--arch", "sm_80")])
def test_no_gpu_is_opened_where_none_is_used(
    bench: BenchCommand, gpu: EmulatedGpu, processes: list[str], words: Sequence[str]
) -> None:
    bench("int none;", *words)
    assert processes == ["read"]
    assert not gpu.opened


@pytest.mark.archs
def test_compare_finds_nothing_between_two_runs(bench: BenchCommand, gpu: EmulatedGpu, shflbench: Command) -> None:
    bench(SUMS, "--processes", "2")
    Path("run").rename("first")
    # Two runs differ in when they started, to the second; those of a test are shorter.
    record = Path("first/run.json")
    record.write_text(re.sub(r'("started": ")\d{4}', r"\g<1>2025", record.read_text()))
    bench(SUMS, "--processes", "2")
    compared = shflbench("compare", "first", "run")
    assert compared.code == 0, compared.out + compared.err
    assert gpu.opened


@pytest.mark.archs
def test_only_buffers_that_a_kernel_changes_are_restored(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    bench(IN_PLACE, "-D", "STEP=1")
    bench_calls = {tuple(buffer.name for buffer in call.restored) for call in gpu.opened}
    assert bench_calls == {("x",)}
    gpu.opened.clear()
    Path("run").rename("first")
    bench(SUMS)
    assert {call.restored for call in gpu.opened} == {()}


@pytest.mark.archs
def test_cold_means_cold_for_all(bench: BenchCommand, gpu: EmulatedGpu) -> None:
    assert bench(SUMS, "--l2", "cold").code == 0
    assert {call.cold for call in gpu.opened} == {True}


@pytest.mark.archs
def test_limits_of_launches_of_two_dimensions_are_known(
    bench: BenchCommand, gpu: EmulatedGpu, shflbench: Command
) -> None:
    assert bench(TRANSPOSE).code == 0
    assert gpu.opened
    limits = shflbench("limits", "run")
    assert limits.code == 0, limits.err
    assert "4x4:16x16" in limits.out
