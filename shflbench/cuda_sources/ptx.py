"""Read what PTX declares of its kernels: parameters, launch bounds, the first line in a source.

The text may come from nvcc, NVRTC, Triton or Numba. Source: PTX ISA 9.0, 5.4 (parameters), 11.1 (kernels), 11.4
(performance directives), 11.5 (line tables).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.arch.launch_limits import LIMITS
from shflbench.core.model import MAX_BLOCK
from shflbench.core.symbols import variable_name
from shflbench.cuda_sources.kernel_file import DeviceVariable, Dims, LaunchBounds, SourceNote
from shflbench.emulator.ptx.declarations import Header, header
from shflbench.emulator.ptx.line_table import LOC, files_of
from shflbench.emulator.ptx.operands import NAME
from shflbench.emulator.ptx.statements import HEADER, without_comments
from shflbench.emulator.ptx.syntax import NUMPY, size_of
from shflbench.errors import EmulatorError, KernelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shflbench.emulator.ptx.syntax import Variable

MOST_PARAMETER_BYTES = 32764  # CUDA C++ Programming Guide 13.0, 5.4.9.3 (kernel parameters); PTX ISA 9.0, 5.1.6.1

_ENTRY = re.compile(rf"^[ \t]*({HEADER.pattern})", re.MULTILINE)
_NAME = re.compile(rf"\.entry\s+({NAME})")
_VARIABLE = re.compile(
    rf"^[ \t]*(?:\.(?:visible|weak|common)\s+)*\.(?:global|const)\s[^;={{}}]*?\.(?P<type>[bsuf]\d+)\s+"
    rf"(?P<name>{NAME})(?:\[(?P<count>\d+)\])?\s*[;=]",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class PtxParameter:
    """One `.param` of a kernel."""

    name: str
    kind: str  # b, s, u, f
    size: int  # bytes
    offset: int
    structure: bool  # an array of bytes
    pointer: bool  # declared with .ptr


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """One `.entry`: symbol, parameters, launch bounds and its first line in a source file."""

    symbol: str
    parameters: tuple[PtxParameter, ...]
    bounds: LaunchBounds
    file: str
    line: int  # 0 without a line table


def device_variables(ptx: str) -> tuple[DeviceVariable, ...]:
    """Return the `__device__` and `__constant__` variables that `ptx` declares outside of functions."""
    known = (match for match in _VARIABLE.finditer(ptx) if match["type"] in NUMPY)
    return tuple(
        DeviceVariable(variable_name(match["name"]), int(match["count"] or 1) * size_of(match["type"]), match["type"])
        for match in known
    )


def read_kernels(ptx: str) -> list[PtxKernel]:
    """Return the kernels of `ptx` in its order; KernelError for one that no GPU can launch.

    A kernel whose declaration is damaged has no parameters: loading its program names the line.
    """
    text = without_comments(ptx)
    files = files_of(ptx)
    entries = [(match, named[1]) for match in _ENTRY.finditer(text) if (named := _NAME.search(match[1]))]
    ends = [*(match.start() for match, _ in entries), len(text)][1:]
    kernels: dict[str, PtxKernel] = {}
    for (match, name), end in zip(entries, ends, strict=True):
        first = LOC.search(text, match.end(), end)
        if name in kernels and (kernels[name].line or first is None):
            continue  # declared again, as a kernel is whose address a table holds
        declared = _declared(match[1], name)
        kernels[name] = PtxKernel(
            symbol=name,
            parameters=tuple(_parameters(declared.parameters)),
            bounds=_bounds(declared.directives),
            file=files.get(int(first[1]), "") if first else "",
            line=int(first[2]) if first else 0,
        )
    return list(kernels.values())


def _declared(text: str, name: str) -> Header:
    try:
        return header(text)
    except EmulatorError:
        return Header(name, True, (), (), {})  # noqa: FBT003  (a kernel)


def _parameters(variables: Iterable[Variable]) -> Iterator[PtxParameter]:
    offset = 0
    for variable in variables:
        offset = -(-offset // variable.align) * variable.align
        yield PtxParameter(variable.name, variable.type[0], variable.bytes, offset, variable.array, variable.pointer)
        offset += variable.bytes
    if offset > MOST_PARAMETER_BYTES:
        raise KernelError(f"a kernel takes {offset} bytes of parameters, and a GPU at most {MOST_PARAMETER_BYTES}")


def _bounds(directives: Mapping[str, tuple[int, ...]]) -> LaunchBounds:
    return LaunchBounds(*(_dims(directives, name) for name in ("maxntid", "reqntid", "reqnctapercluster")))


def _dims(directives: Mapping[str, tuple[int, ...]], name: str) -> Dims | None:
    values = directives.get(name)
    if not values:
        return None
    x, y, z = (*values, 1, 1)[:3]
    if not 0 < x * y * z <= MAX_BLOCK:
        shown = ", ".join(map(str, values))
        raise KernelError(f"a kernel has .{name} {shown}, and a block has 1 to {MAX_BLOCK} threads")
    return x, y, z


NEWEST_VERSION = (9, 5)  # what NVRTC 13.5 writes
_VERSION = re.compile(r"^[ \t]*\.version[ \t]+(\d{1,4})\.(\d{1,4})", re.MULTILINE)
_TARGET = re.compile(r"^[ \t]*\.target[ \t]+(sm_\d{1,6})?(\w{0,32})", re.MULTILINE)


def dialect_notes(ptx: str) -> tuple[SourceNote, ...]:
    """Return notes on a version or a target of PTX that is unknown here."""
    notes = []
    version = _VERSION.search(ptx)
    if version is not None and (int(version[1]), int(version[2])) > NEWEST_VERSION:
        known = ".".join(map(str, NEWEST_VERSION))
        notes.append(f"the PTX has version {version[1]}.{version[2]}, and the newest that is known here is {known}")
    target = _TARGET.search(ptx)
    if target is not None and (target[1] not in LIMITS or target[2] not in {"", "a", "f"}):
        name = f"{target[1] or ''}{target[2]}"
        notes.append(f"the PTX is for {name}, which is unknown here: its instructions are checked as on known targets")
    return tuple(SourceNote("dialect", text) for text in notes)
