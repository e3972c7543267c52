"""`shflbench challenge` in a folder with kernels, without a GPU or with one whose kernels take scripted times."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shflbench.core.model import Kernel
from shflbench.cuda.backends.base import POISON, Array, KernelCall, OpenKernel
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.kernel_facts import stored_limits
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, FakeKernel, Script, plug_in, unplug

# Sums of float through shared memory, as the variant `smem-syncwarp` of `reduce`.
SUM = """\
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_sum(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 16; distance > 0; distance /= 2) {
            slots[threadIdx.x] = sum;
            __syncwarp();
            sum += slots[threadIdx.x ^ distance];
            __syncwarp();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
"""
SHARED = ("--shared", "4*threads")
SMALL = ("--launch", "2x64")


class ScriptedGpu(FakeBackend):
    """A GPU whose kernels compute in the emulator, and take scripted times by their names."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        super().__init__()
        self.by_name = scripts

    def open(self, call: KernelCall, _place: int = 0) -> OpenKernel:
        if call.kernel.symbol.startswith("sentinel"):
            return super().open(call)
        self.opened.append(call)
        named = {name: script for name, script in self.by_name.items() if f"{name}I" in call.kernel.symbol}
        return EmulatedKernelOfGpu(self, call, next(iter(named.values()), Script(ns_per_iteration=300.0)))

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        del kernel, shared_bytes
        return 2048 // block


class EmulatedKernelOfGpu(FakeKernel):
    """Computes in the emulator."""

    def __init__(self, backend: FakeBackend, call: KernelCall, script: Script) -> None:
        super().__init__(backend, call, call.kernel.symbol, script)
        self._emulated = EmulatorBackend("sm_90").open(call)

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        return self._emulated.run(inputs, iterations, fill)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        return self._emulated.run_again(inputs, iterations)


@pytest.fixture
def challenge(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench challenge` in a folder with `sum.cu`, on a machine of one core without a GPU."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    start_no_processes(monkeypatch)
    unplug(monkeypatch)
    Path("sum.cu").write_text(SUM, encoding="utf-8")
    return lambda *words: shflbench("challenge", *words)


@pytest.fixture
def scripted(challenge: Command, monkeypatch: pytest.MonkeyPatch) -> ScriptedGpu:
    """Give this machine a GPU; tests set its scripts."""
    del challenge  # which unplugs every GPU
    write_limits_of = stored_limits.write_limits_of
    gpu = ScriptedGpu({})
    plug_in(monkeypatch, gpu)
    monkeypatch.setattr("shflbench.kernel_facts.stored_limits.write_limits_of", write_limits_of)
    return gpu
