"""Compile the source of the run before with the compiler of a run, to tell which of them changed the code.

Both changed, and the machine code did. `recompiled` is the hash of what this compiler makes of the old source: equal to
the new code, the source made no difference; equal to the old code, the compiler made none. It stays empty, which means
unknown, wherever it cannot be found out.
"""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.processes import run_in_processes
from shflbench.cuda.compile import toolchain as toolchains
from shflbench.cuda.compile.build import machine_code
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.nvrtc import OPTIONS
from shflbench.cuda.compile.source import Source
from shflbench.errors import CompileError, CompilerError, ResultsError
from shflbench.session.history.condense import code_of, compiler_of
from shflbench.store.history.source_file import HistorySource, read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.store.history.record import HistoryKernel, HistoryMachine, HistoryRun

    Codes = Mapping[str, str]  # hash of a kernel's source → hash of its machine code


@dataclass(frozen=True, slots=True)
class _KernelPair:
    """The kernel of a case before and now."""

    before: HistoryKernel
    now: HistoryKernel

    @property
    def both_changed(self) -> bool:
        """Whether source and machine code are known, and differ."""
        kernels = (self.before, self.now)
        known = all(kernel.code and kernel.source and kernel.expressions for kernel in kernels)
        return known and self.before.code != self.now.code and self.before.source != self.now.source


def recompile(run: HistoryRun, before: HistoryRun, folder: Path, units: Mapping[str, HistorySource]) -> HistoryRun:
    """Return the run with `recompiled` where the compiler, the source and the machine code of a case changed.

    The old sources are in the history in `folder`; `units` are those of the run, by their hash.
    """
    if run.machine.compiled_by == before.machine.compiled_by or run.machine.arch != before.machine.arch:
        return run
    kernels = {case.case: case.kernel for case in before.cases}
    pairs = {case.case: _KernelPair(kernels[case.case], case.kernel) for case in run.cases if case.case in kernels}
    changed = {case: pair for case, pair in pairs.items() if pair.both_changed}
    toolchain = _toolchain_of(run.machine) if changed else None
    if toolchain is None:
        return run
    known = {**_old_units((pair.before.unit for pair in changed.values()), folder), **units}
    codes = _compiled(
        [kernel for pair in changed.values() for kernel in (pair.before, pair.now)], known, toolchain, run
    )
    again = {
        case: replace(pair.now, recompiled=code, recompiled_of=pair.before.source)
        for case, pair in changed.items()
        if (code := codes.get(pair.before.source)) is not None
        and codes.get(pair.now.source) == pair.now.code  # or this is not how the run was compiled
    }
    cases = (replace(case, kernel=again.get(case.case, case.kernel)) for case in run.cases)
    return replace(run, cases=tuple(cases))


def _toolchain_of(machine: HistoryMachine) -> Toolchain | None:
    """Return the compiler of a run if it is the one of this machine."""
    try:
        toolchain = toolchains.find()
        toolchain.require(machine.arch)
    except CompilerError:
        return None
    builds = {compiler_of(toolchain.version, build) for build in (toolchain.build, None)}
    same = machine.compiler in builds and machine.cccl == (toolchain.cccl_version or "")
    return toolchain if same and machine.options == " ".join(OPTIONS) else None


def _old_units(names: Iterable[str], folder: Path) -> dict[str, HistorySource]:
    """Return the sources that the history has; one that is missing or damaged cannot be compiled."""
    units = {}
    for name in set(names):
        try:
            units[name] = read_source(folder, name)
        except ResultsError:
            continue
    return units


def _compiled(
    kernels: Iterable[HistoryKernel], units: Mapping[str, HistorySource], toolchain: Toolchain, run: HistoryRun
) -> Codes:
    """Compile kernels, unit by unit; those that do not compile have no hash."""
    known = [kernel for kernel in kernels if kernel.unit in units]
    by_unit = [list({kernel.source: kernel for kernel in same}.values()) for same in _by_unit(known)]
    sources = [
        [_source(units[kernel.unit], expression) for kernel in same for expression in kernel.expressions]
        for same in by_unit
    ]
    compile_units = partial(machine_code, arch=run.machine.arch, toolchain=replace(toolchain, nvdisasm=None))
    codes: dict[str, str] = {}
    for index, future in run_in_processes(compile_units, [[unit] for unit in sources]):
        try:
            (made,) = future.result()
        except (BrokenProcessPool, CompilerError, OSError):
            continue
        hashes = iter(
            [
                "" if isinstance(one, CompileError) else _code_sha256(one.compiled.cubin, one.compiled.symbol)
                for one in made
            ]
        )
        for kernel in by_unit[index]:
            of_kernel = tuple(next(hashes) for _ in kernel.expressions)
            if all(of_kernel):
                codes[kernel.source] = code_of(of_kernel)
    return codes


def _by_unit(kernels: Iterable[HistoryKernel]) -> Iterable[list[HistoryKernel]]:
    return group_by(kernels, lambda kernel: kernel.unit).values()


def _source(unit: HistorySource, expression: str) -> Source:
    return Source(unit.unit, unit.text, dict(unit.headers), expression, options=unit.options)


def _code_sha256(cubin: bytes, symbol: str) -> str:
    """Return the hash of a kernel's machine code, as `kernels.zip` has it."""
    return sha256(kernel_code(cubin)[symbol]).hexdigest()
