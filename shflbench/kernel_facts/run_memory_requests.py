"""The memory requests of the timed loops of a run, and of its kernels of one pass, counted in the emulator."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find
from shflbench.errors import PatternError
from shflbench.kernel_facts.memory_requests import requests_of_all
from shflbench.model import Case, Kernel, KernelRequests, Launch, Status
from shflbench.patterns.discover import load
from shflbench.suite.launch import OWN_DIMS, launch_dims

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from shflbench.compile.build import BuildRequest
    from shflbench.compile.source import Source
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.store import Row, Run
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel

    Name = tuple[str, int | str]  # the kernel's name, and the threads per block, or a launch of several dimensions

# Opcodes whose time depends on addresses, active lanes or values.
COUNTED = {"LDS", "STS", "ATOMS", "LDG", "STG", "LDL", "STL", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG", "MATCH"}

_KERNEL = re.compile(
    r"^(?://[^\n]*\n)*(?:template <[^\n]*>\n)?__global__ (?P<head>[^{;\n]*)\{\n.*?^\}\n", re.MULTILINE | re.DOTALL
)

# Launch bounds, which runs of earlier versions lack: they decide on registers, and not on what a kernel loads.
_LAUNCH_BOUNDS = re.compile(
    r"(?<=__global__ void)\s+LAUNCH_BOUNDS|^// Of each kernel: shflbench defines.*?^#endif\n", re.MULTILINE | re.DOTALL
)
_OF_DTYPE = re.compile(r"^#if (?P<macro>DTYPE_\w+)\n.*?^#endif\n", re.MULTILINE | re.DOTALL)
_DTYPE = re.compile(r"^#define (DTYPE_\w+) 1$", re.MULTILINE)

LOAD = "LDG"  # from global memory, with its modifiers


def requests_of_run(run: Run, folders: Mapping[str, Path], cache_folder: Path | None) -> dict[str, KernelRequests]:
    """Return, by the id of the case, what each timed loop or kernel of one pass requests, where it is known.

    The kernels are compiled again, because a run stores no PTX; `folders`, those of the patterns by name, give their
    sources and the data that they run with. A kernel whose source has changed since the run is left out, because the
    data may have changed with it; so is one that the emulator cannot run. Uses all cores; a kernel takes about 0.1 s.
    CompilerError without a compiler, ResultsError if `kernels.zip` is damaged.
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
        if name not in cases and row.pattern in patterns:
            cases[name] = _case(row)
            with suppress(PatternError):
                request = builder.request(patterns[row.pattern], cases[name])
                if _ran(request.source, stored, archive):
                    builds[name] = request
    kernels = {name: kernel for name, kernel in builder.build_all(builds) if isinstance(kernel, Kernel)}
    jobs = [(patterns[cases[name].pattern], cases[name], kernel) for name, kernel in kernels.items()]
    counted = dict(zip(kernels, requests_of_all(jobs), strict=True))
    results = {case_id: counted.get(name) for case_id, name in names.items()}
    return {case_id: requests for case_id, requests in results.items() if isinstance(requests, KernelRequests)}


def _loaded(folders: Mapping[str, Path]) -> Iterator[tuple[str, LoadedPattern]]:
    for name, folder in folders.items():
        try:
            yield name, load(folder)
        except PatternError:
            continue


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


def _ran(source: Source, stored: StoredKernel, archive: KernelArchive) -> bool:
    """Return whether a run compiled this very source, apart from other kernels and the parts of other dtypes."""
    if stored.later or source.expression != stored.expression:
        return False
    files = {"": stored.source, **stored.headers}
    texts = {"": source.text, **source.headers}
    if files.keys() != texts.keys():
        return False
    name = source.expression.partition("<")[0].rpartition("::")[2]
    stored_texts = {header: archive.contents[file].decode(errors="replace") for header, file in files.items()}
    dtypes = set(_DTYPE.findall(source.text))
    return stored_texts == texts or all(
        _decisive(stored_texts[header], name, dtypes) == _decisive(text, name, dtypes) for header, text in texts.items()
    )


def _decisive(text: str, name: str, dtypes: Collection[str]) -> str:
    """Return the part of a source that decides on the kernel `name`, compiled for the `dtypes` that macros name."""
    text = _LAUNCH_BOUNDS.sub("", text)
    return without_other_kernels(_OF_DTYPE.sub(lambda part: part[0] if part["macro"] in dtypes else "", text), name)


def without_other_kernels(text: str, name: str) -> str:
    """Return a source without its blank lines, and without the kernels that are not `name` and the comments on these.

    A kernel begins with a line `__global__ …(…) {`, and ends at the next line that is a brace.
    """

    def kept(match: re.Match[str]) -> str:
        return match[0] if re.search(rf"\b{re.escape(name)}\(", match["head"]) else ""

    return re.sub(r"\n{2,}", "\n", _KERNEL.sub(kept, text)).strip("\n")
