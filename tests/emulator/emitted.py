"""List the forms that NVRTC emits on each architecture: `python -m tests.emulator.emitted`."""

import re
from functools import lru_cache
from itertools import chain

from benchmarks.agreement_subjects import torture_sources
from shflbench.core.processes import map_in_processes
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Module
from shflbench.errors import EmulatorError, KernelError
from tests import kernels
from tests.emulator.declared import forms_under_test

TARGET = re.compile(r"^\.target .*$", re.MULTILINE)


def torture(arch: str) -> dict[str, Module]:
    """Return the torture files, by name."""
    return {source.name: parse(compile_kernel(source, arch, kernels.tools()).ptx) for source in torture_sources()}


def forms(module: Module) -> frozenset[str]:
    """Return the instruction forms of a module, such as `shfl.sync.bfly.b32`."""
    return frozenset(
        ".".join((instruction.opcode, *instruction.modifiers))
        for function in module.functions.values()
        for instruction in function.instructions
    )


def problems(name: str, arch: str) -> tuple[str, ...]:
    """Return the faults of a kernel: in its machine code, why it cannot be built or emulated, and untested forms."""
    try:
        kernel = kernels.compiled(name, arch)
    except KernelError as error:
        return (error.message,)
    found = [kernel.violations]
    for part in (kernel, *kernel.later):
        found += [part.violations, _problems_of_ptx(TARGET.sub("", part.ptx), part.symbol)]
    return tuple(dict.fromkeys(chain.from_iterable(found)))


# Half of the texts are those of another architecture but for `.target`, which the emulator does not read.
@lru_cache(maxsize=1024)  # more than a pattern has for one architecture
def _problems_of_ptx(ptx: str, symbol: str) -> tuple[str, ...]:
    try:
        module = parse(ptx)
        link(module, symbol)
    except EmulatorError as error:
        return (error.message,)
    return tuple(sorted(f"{form} has no property test" for form in forms(module) - forms_under_test().keys()))


def forms_on(arch: str) -> frozenset[str]:
    """Return the forms of all kernels that the tests run, and of the torture files."""
    compiled = (kernels.compiled(name, arch) for unit in kernels.units(arch) for name in unit)
    return frozenset().union(*(forms(parse(kernel.ptx)) for kernel in compiled), *map(forms, torture(arch).values()))


def main() -> None:
    """Print each form with the architectures that it was seen on, and whether no property test runs it."""
    seen: dict[str, list[str]] = {}
    for arch, found in zip(kernels.ARCHS, map_in_processes(forms_on, kernels.ARCHS), strict=True):
        for form in found:
            seen.setdefault(form, []).append(arch)
    for form, archs in sorted(seen.items()):
        print(form, *archs, *([] if form in forms_under_test() else ["UNTESTED"]))  # noqa: T201  (its purpose)


if __name__ == "__main__":
    from tests.emulator import emitted  # processes import their function from there

    emitted.main()
