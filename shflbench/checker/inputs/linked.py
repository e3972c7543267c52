"""A kernel of a file that the emulator can run, with its complete signature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.signature import complete
from shflbench.core.arch.launch_limits import USUAL_SHARED, limits_of, major
from shflbench.core.symbols import variable_name
from shflbench.cuda_sources.kernel_file import DeviceVariable
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.unsupported import link_whole
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel
    from shflbench.emulator.link.program import ModuleVariable, Program
    from shflbench.emulator.ptx.syntax import Module


@dataclass(frozen=True, slots=True)
class LinkedKernel:
    """A kernel with its code, and with what follows from the code for its signature."""

    kernel: SourceKernel
    program: Program
    slicer: Slicer
    uses_dynamic_shared: bool


def linked_kernel(
    file: KernelFile, module: Module, kernel: SourceKernel, *, arch: str, shared_bytes: int | None
) -> LinkedKernel:
    """Link a kernel of a file, of which `module` is the PTX.

    UnsupportedKernelError names what the emulator cannot run; KernelError if its static shared memory does not fit
    the architecture, and UsageError if it does not with the given bytes of dynamic one.
    """
    program = link_whole(module, kernel.symbol)
    _check_size(program.declared_shared_bytes, shared_bytes or 0, arch, kernel.name)
    slicer = Slicer(program)
    kernel = replace(kernel, variables=tuple(map(_variable, program.symbols)))
    return LinkedKernel(complete(kernel, slicer), program, slicer, _uses_dynamic_shared(module, file.ptx))


def _variable(item: ModuleVariable) -> DeviceVariable:
    return DeviceVariable(variable_name(item.name), item.size, item.type)


def _check_size(static: int, dynamic: int, arch: str, kernel: str) -> None:
    most = limits_of(arch.rstrip("af")).block_shared_bytes(major(arch.rstrip("af")))
    if static > USUAL_SHARED:  # ptxas: "uses too much shared data"
        raise KernelError(f"it declares {static} bytes of shared memory per block, of which a block has {USUAL_SHARED}")
    if static + dynamic > most:
        what = f"{static + dynamic} bytes of shared memory per block exceed the {most} of {arch}"
        raise UsageError(f"--shared {dynamic} is too much for kernel `{kernel}`: {what}", "Give fewer bytes.")


def _uses_dynamic_shared(module: Module, ptx: str) -> bool:
    return any(item.space == "shared" and item.count is None for item in module.variables.values()) or (
        ".extern .shared" in ptx
    )
