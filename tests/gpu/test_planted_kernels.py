"""The sound test kernels of `check` on a GPU and in the emulator: the same bits."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.cuda.backends.cuda import CudaBackend, import_cupy
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.checker.planted_kernels import PlantedKernel, kernels_of_clusters, planted_kernels

pytestmark = pytest.mark.gpu

ELEMENTS = 4096  # of 32 bits, in each buffer
ORDERS = ("lockstep", "lanes at random", "warps in reverse", "blocks in reverse")
SOUND = [
    kernel for kernel in (*planted_kernels(), *kernels_of_clusters()) if kernel.verdict == "sound" and not kernel.hangs
]


def buffers(kernel: PlantedKernel) -> list[np.ndarray[Any, Any]]:
    """Return the first buffer with small numbers, the others with zeros."""
    parameters = re.search(r"\bk\s*\(([^)]*)\)", kernel.text)
    assert parameters is not None
    types = [np.float32 if "float" in item else np.int32 for item in parameters[1].split(",")]
    values = np.random.default_rng(0).integers(0, 64, ELEMENTS)
    return [(values if not place and len(types) > 1 else 0 * values).astype(type_) for place, type_ in enumerate(types)]


@pytest.mark.parametrize("kernel", SOUND, ids=lambda kernel: kernel.name)
def test_a_sound_kernel_computes_the_same_bits_on_the_gpu_and_in_the_emulator(
    kernel: PlantedKernel, backend: CudaBackend, toolchain: Toolchain, tmp_path: Path
) -> None:
    compiled = compile_kernel(Source(f"{kernel.name}.cu", kernel.program, {}, "k"), backend.device.arch, toolchain)
    program = link(parse(compiled.ptx), compiled.symbol)
    if any("approximate" in str(note) for note in program.notes):
        pytest.skip("uses approximate instructions")
    grid, block = kernel.grid, kernel.block
    arrays = buffers(kernel)
    shape = Shape.of(grid, block, cluster=kernel.cluster or (1, 1, 1))
    launch = EmulatedLaunch(program, shape, 0, [], arrays, 0, list(range(len(arrays))))
    emulated = [execute(launch, POLICIES[order]) for order in ORDERS]
    if any(
        not np.array_equal(one, other) for result in emulated for one, other in zip(result, emulated[0], strict=True)
    ):
        pytest.skip("the result depends on the order of atomics")
    cupy = import_cupy()
    cubin = tmp_path / "k.cubin"
    cubin.write_bytes(compiled.cubin)
    module = cupy.RawModule(path=str(cubin), enable_cooperative_groups=kernel.cooperative)
    on_device = [cupy.asarray(array) for array in arrays]
    module.get_function(compiled.symbol)(grid, block, tuple(on_device))
    for measured, expected in zip(on_device, emulated[0], strict=True):
        np.testing.assert_array_equal(measured.get().view(np.uint32), expected.view(np.uint32))
