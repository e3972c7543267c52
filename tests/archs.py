"""What the compiler makes of kernels on one architecture after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.backends.emulator.frontend.parse import parse
from shflbench.backends.emulator.link.linker import link
from shflbench.errors import EmulatorError, KernelError
from shflbench.processes import map_in_processes
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.backends.emulator.frontend.ptx import Module
    from shflbench.model import Kernel

ARCHS = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")


@dataclass(frozen=True, slots=True)
class Seen:
    """One kernel on one architecture."""

    problems: tuple[str, ...]  # promises that it breaks, and why it cannot be built or emulated
    forms: frozenset[str]  # of its instructions


def forms(module: Module) -> frozenset[str]:
    """Return the instruction forms of a module, such as `shfl.sync.bfly.b32`."""
    return frozenset(
        ".".join((instruction.opcode, *instruction.modifiers))
        for function in module.functions.values()
        for instruction in function.instructions
    )


def see_all(archs: Sequence[str], names: Iterable[str]) -> dict[str, dict[str, Seen]]:
    """Return what each architecture makes of those kernels among `names` that it has: by architecture, then name."""
    names = list(names)
    jobs = [(arch, unit.names) for arch in archs for unit in kernels.units(names, arch)]
    found: dict[str, dict[str, Seen]] = {arch: {} for arch in archs}
    for (arch, _), seen in zip(jobs, map_in_processes(_see, jobs), strict=True):
        found[arch].update(seen)
    return found


def _see(job: tuple[str, tuple[str, ...]]) -> dict[str, Seen]:
    arch, names = job
    try:
        built = kernels.build(names, arch)
    except KernelError as error:
        if len(names) == 1:
            return {names[0]: Seen((error.message,), frozenset())}
        return {name: seen for name in names for seen in _see((arch, (name,))).values()}
    return {name: _seen(kernel) for name, kernel in built.items()}


def _seen(kernel: Kernel) -> Seen:
    try:
        module = parse(kernel.ptx)
        link(module, kernel.symbol)
    except EmulatorError as error:
        return Seen((*kernel.violations, error.message), frozenset())
    return Seen(kernel.violations, forms(module))
