"""The memory requests of the timed loops of a run, and of its kernels of one pass, counted in the emulator."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import MATRICES
from shflbench.analysis.settings import one_pass
from shflbench.core.launch import OWN_DIMS, launch_dims
from shflbench.core.model import Case, Kernel, KernelRequests, Launch, Status
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import PatternError
from shflbench.kernel_facts.memory_requests import requests_of_all
from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shflbench.cuda.compile.build import BuildRequest
    from shflbench.cuda.compile.source import Source
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.store import Row, Run
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel

    Name = tuple[str, int | str]  # the kernel's name, and the threads per block, or a launch of several dimensions

# Opcodes whose time depends on addresses, active lanes or values.
COUNTED = {"LDS", "STS", "ATOMS", "LDG", "STG", "LDL", "STL", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG", "MATCH"}
COUNTED |= MATRICES.keys()

LOAD = "LDG"  # from global memory, with its modifiers


def requests_of_run(run: Run, folders: Mapping[str, Path], cache_folder: Path | None) -> dict[str, KernelRequests]:
    """Return, by the id of the case, what each timed loop or kernel of one pass requests, where it is known.

    A run stores sources and no PTX, so its kernels are compiled again. The data that they run with come from their
    patterns; `folders` are those, by name. A kernel that does not compute what its pattern expects now is left out,
    because the data have changed since the run; so is one that the emulator cannot run. Uses all cores; a kernel takes
    about 0.2 s. CompilerError without a compiler, ResultsError if `kernels.zip` is damaged.
    """
    archive = run.kernels()
    if archive is None:
        return {}
    patterns = dict(_loaded({row.pattern: folders[row.pattern] for row in run.rows if row.pattern in folders}))
    builder = Builder(find(), archive.index.compiler.arch, cache_folder)
    cases: dict[Name, Case] = {}
    builds: dict[Name, BuildRequest] = {}
    names: dict[str, Name] = {}
    for row, stored in _kernels_with_requests(run, archive):
        name = names[row.case_id] = (stored.name, row.launch if launch_dims(row.launch) else row.block)
        if name not in cases and _is_declared(row, patterns) and not stored.later:
            cases[name] = _case(row)
            with suppress(PatternError):
                request = builder.request(patterns[row.pattern], cases[name])
                if not request.later:
                    builds[name] = builder.of_source(request, _source(request.source, stored, archive))
    kernels = {name: kernel for name, kernel in builder.build_all(builds) if isinstance(kernel, Kernel)}
    jobs = [(patterns[cases[name].pattern], cases[name], kernel) for name, kernel in kernels.items()]
    counted = dict(zip(kernels, requests_of_all(jobs, verified=True), strict=True))
    results = {case_id: counted.get(name) for case_id, name in names.items()}
    return {case_id: requests for case_id, requests in results.items() if isinstance(requests, KernelRequests)}


def _loaded(folders: Mapping[str, Path]) -> Iterator[tuple[str, LoadedPattern]]:
    for name, folder in folders.items():
        try:
            yield name, load(folder)
        except PatternError:
            continue


def _is_declared(row: Row, patterns: Mapping[str, LoadedPattern]) -> bool:
    """Whether a pattern has the row's variant; a run may have further ones, such as challengers."""
    return row.pattern in patterns and patterns[row.pattern].declaration.has_variant(row.variant)


def _kernels_with_requests(run: Run, archive: KernelArchive) -> Iterator[tuple[Row, StoredKernel]]:
    """Yield the timed rows whose loop accesses memory or compares values, and those of one pass that load."""
    by_case = {case: kernel for kernel in archive.index.kernels for case in kernel.cases}
    for row in run.rows:
        stored = by_case.get(row.case_id)
        if row.status is not Status.TIMED or stored is None or row.launch.startswith(OWN_DIMS):
            continue
        if one_pass(row):
            if any(opcode.startswith(LOAD) for opcode in stored.instructions or ()):
                yield row, stored
        elif stored.loop and COUNTED & stored.loop.instructions.keys():
            yield row, stored


def _case(row: Row) -> Case:
    launch = Launch(row.launch, row.block, row.grid, launch_dims(row.launch))
    return Case(row.pattern, row.variant, row.dtype, launch, row.iterations, row.options)


def _source(now: Source, stored: StoredKernel, archive: KernelArchive) -> Source:
    """Return the translation unit that a run compiled, by what is the source of the case `now`."""
    headers = {name: archive.contents[file].decode(errors="replace") for name, file in stored.headers.items()}
    text = archive.contents[stored.source].decode(errors="replace")
    return replace(now, name=stored.unit, text=text, headers=headers, expression=stored.expression)
