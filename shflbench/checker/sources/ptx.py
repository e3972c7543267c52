"""Read kernels, parameters and line tables from PTX text, without the emulator's own parser.

The text may come from nvcc, NVRTC, Triton or Numba. Source: PTX ISA 9.0, 5.4 (parameters), 11.1 (kernels), 11.4
(performance directives), 11.5 (line tables).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker.launch_limits import LIMITS
from shflbench.checker.sources.kernel_file import Dims, LaunchBounds, SourceNote
from shflbench.errors import KernelError
from shflbench.model import MAX_BLOCK

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_PARAMETER_BYTES = 32764  # CUDA C++ Programming Guide 13.0, 5.4.9.3 (kernel parameters); PTX ISA 9.0, 5.1.6.1

_ENTRY = re.compile(
    r"^[ \t]*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$]+)\s*(\(([^)]*)\))?([^{;]*)", re.MULTILINE
)
_PARAM = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<kind>[a-z]+)(?P<bits>\d+)(?P<pointer>\s+\.ptr\b[^,]*?)?"
    r"\s+(?P<name>[\w$%]+)\s*(?:\[(?P<count>\d+)\])?\s*$"
)
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_LOC = re.compile(r"^[ \t]*\.loc\s+(\d+)\s+(\d+)\s+\d+", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


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
    start: int  # of its text in the PTX
    end: int


def read_kernels(ptx: str) -> list[PtxKernel]:
    """Return the kernels of `ptx` in its order; KernelError for one that no GPU can launch."""
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), ptx)
    files = files_of(ptx)
    entries = list(_ENTRY.finditer(text))
    ends = [*(entry.start() for entry in entries), len(text)][1:]
    kernels = []
    for entry, end in zip(entries, ends, strict=True):
        first = _LOC.search(text, entry.end(), end)
        kernels.append(
            PtxKernel(
                symbol=entry[1],
                parameters=tuple(_parameters(entry[3] or "")),
                bounds=_bounds(entry[4]),
                file=files.get(int(first[1]), "") if first else "",
                line=int(first[2]) if first else 0,
                start=entry.start(),
                end=end,
            )
        )
    return kernels


def files_of(ptx: str) -> dict[int, str]:
    """Return the file names of the line table by number."""
    return {int(number): name for number, name in _FILE.findall(ptx)}


def _parameters(text: str) -> list[PtxParameter]:
    parameters = []
    offset = 0
    for part in text.split(","):
        match = _PARAM.search(" ".join(part.split()))  # thousands of spaces would take the search minutes
        if match is None:
            continue
        size = int(match["bits"]) // 8
        align = int(match["align"] or size) or 1  # the emulator refuses 0
        offset = -(-offset // align) * align
        total = size * int(match["count"] or 1)
        parameters.append(
            PtxParameter(
                name=match["name"],
                kind=match["kind"],
                size=total,
                offset=offset,
                structure=match["count"] is not None,
                pointer=match["pointer"] is not None,
            )
        )
        offset += total
    if offset > MOST_PARAMETER_BYTES:
        raise KernelError(f"a kernel takes {offset} bytes of parameters, and a GPU at most {MOST_PARAMETER_BYTES}")
    return parameters


def _bounds(text: str) -> LaunchBounds:
    return LaunchBounds(_dims(text, "maxntid"), _dims(text, "reqntid"), _dims(text, "reqnctapercluster"))


def _dims(text: str, directive: str) -> Dims | None:
    match = re.search(rf"\.{directive}\s+(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+))?", text)
    if match is None:
        return None
    dims = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    if not 0 < prod(dims) <= MAX_BLOCK:
        raise KernelError(f"a kernel has {match[0].strip()}, and a block has 1 to {MAX_BLOCK} threads")
    return dims


def rename_files(ptx: str, names: Mapping[str, str]) -> str:
    """Return `ptx` with other names in its line table."""
    return _FILE.sub(
        lambda match: match[0].replace(f'"{match[2]}"', f'"{names[match[2]]}"') if match[2] in names else match[0], ptx
    )


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
