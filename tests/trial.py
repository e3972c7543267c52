"""What becomes of every kernel that shflbench ships: compiled for sm_90, and run on the emulator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.backends.emulator.backend import EmulatedKernel
from shflbench.backends.emulator.frontend.parse import parse
from shflbench.backends.emulator.link.linker import link
from shflbench.backends.emulator.machine.launch import execute
from shflbench.check import check_all
from shflbench.errors import KernelError, ShflbenchError
from shflbench.measure.verify import after, difference
from tests import kernels
from tests.archs import forms

if TYPE_CHECKING:
    from shflbench.check import KernelReport
    from shflbench.measure.workload import Workload
    from shflbench.model import Kernel

ARCH = "sm_90"


@dataclass(frozen=True, slots=True)
class Tried:
    """One kernel, and what is wrong with what it computes in lock step at 2x128; empty if nothing is."""

    kernel: Kernel | None  # None: it does not compile; without cubin and machine code, which nobody asks for
    wrong: str
    forms: frozenset[str] = frozenset()  # of its instructions


def try_unit(names: tuple[str, ...]) -> dict[str, Tried]:
    """Compile and run the kernels of one unit; those whose PTX is committed are not compiled again.

    Of options other than the first, `make test-archs` looks at the machine code.
    """
    if all(map(kernels.committed, names)):
        return {name: _tried(name, kernels.archived(name)) for name in names}
    try:
        built = kernels.build(names, ARCH, disassembled=not set(names).isdisjoint(kernels.with_every_dtype()))
        return {name: _tried(name, kernel) for name, kernel in built.items()}
    except KernelError as error:
        if len(names) == 1:
            return {names[0]: Tried(None, error.message)}
        return {name: tried for name in names for tried in try_unit((name,)).values()}


def _tried(name: str, kernel: Kernel) -> Tried:
    kept = replace(kernel, cubin=b"", sass=None)
    try:
        call, workload = kernels.call(name, kernel)
        module = parse(kernel.ptx)  # once for both, because it takes as long as to run the kernel
        emulated = EmulatedKernel(call, link(module, kernel.symbol))
        return Tried(kept, _wrong(emulated, workload), forms(module))
    except ShflbenchError as error:
        return Tried(kept, error.message)


def _wrong(emulated: EmulatedKernel, workload: Workload) -> str:
    for iterations in workload.verify_iterations:
        outputs = execute(emulated.launch(workload.inputs(0), iterations))
        if found := difference(workload, outputs, 0, iterations):
            return after(workload, iterations) + found
    return ""


def report(job: tuple[str, Kernel]) -> KernelReport:
    """Return what `shflbench check` says of a kernel."""
    name, kernel = job
    subject = kernels.subjects()[name]
    (found,) = check_all([subject], {subject: kernel}, ARCH, seed=0)
    return found


def reports_of(names: tuple[str, ...]) -> dict[str, KernelReport]:
    """Return the same of the kernels of one unit, which is compiled."""
    return {name: report((name, kernel)) for name, kernel in kernels.build(names).items()}
