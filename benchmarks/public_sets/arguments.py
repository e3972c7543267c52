"""How each file is checked: the kernel, launch and values of `arguments/SET.toml`, else what the file itself says.

An entry of the TOML file applies to all files that match one of its `paths` (shell patterns); later entries override
earlier ones, arguments one by one. A file whose kernels need different launches has several `runs`, each on top of the
entry. A launch that no entry gives comes from the header comment of the file (`//--blockDim=64 --gridDim=64`), as
GPUVerify and Faial have it, or is left to `check`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import prod
from pathlib import Path
from typing import Any

from shflbench.errors import ResultsError

Entry = Mapping[str, Any]

TABLES = Path(__file__).with_name("arguments")
MOST_THREADS = 4096  # of a launch in a header comment, as of one in host code: larger grids are scaled down
MAX_BLOCK = 1024  # threads per block, of every GPU
_RUN_KEYS = {"kernel", "launches", "args", "shared"}
_KEYS = {*_RUN_KEYS, "paths", "runs", "includes", "why"}


@dataclass(frozen=True, slots=True)
class RunArguments:
    """The options of one run of `check`."""

    kernel: str = ""
    launches: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    shared: int | None = None  # bytes of dynamic shared memory per block


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The options of `check` for one file, which is checked once per run."""

    runs: tuple[RunArguments, ...]
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()  # relative to the clone


def read_arguments(name: str, tables: Path = TABLES) -> list[Entry]:
    """Return the entries of the set `name`, none if it has no file; ResultsError for an unknown key."""
    path = tables / f"{name}.toml"
    entries: list[Entry] = tomllib.loads(path.read_text(encoding="utf-8"))["files"] if path.exists() else []
    for entry in entries:
        unknown = {*(set(entry) - _KEYS), *(key for run in entry.get("runs", ()) for key in set(run) - _RUN_KEYS)}
        if unknown:
            raise ResultsError(f"{path}: unknown key {unknown.pop()}", f"allowed: {', '.join(sorted(_KEYS))}")
    return entries


def arguments_of(path: str, text: str, entries: Sequence[Entry]) -> FileArguments:
    """Return the options for the file at `path` with this text."""
    merged: dict[str, Any] = {}
    for entry in entries:
        if any(fnmatchcase(path, pattern) for pattern in entry["paths"]):
            merged = _overridden(merged, entry)
    runs = []
    for run in (_overridden(merged, one) for one in merged.get("runs", [{}])):
        launches = tuple(run.get("launches", ())) or header_launch(text)
        runs.append(RunArguments(run.get("kernel", ""), launches, run["args"], run.get("shared")))
    return FileArguments(tuple(runs), header_defines(text), tuple(merged.get("includes", ())))


def _overridden(earlier: Entry, later: Entry) -> dict[str, Any]:
    """Return both, the later one first, and their arguments one by one."""
    args = (*earlier.get("args", ()), *later.get("args", ()))
    return {**earlier, **later, "args": tuple({arg.partition("=")[0]: arg for arg in args}.values())}


def header_block(text: str) -> int | None:
    """Return the threads per block of the header comment, None if it specifies none."""
    block = _dims(_header(text), "blockDim")
    return prod(block) if block else None


def header_launch(text: str) -> tuple[str, ...]:
    """Return the launch of the header comment as `--launch` takes it, none if there is none that a GPU can run."""
    header = _header(text)
    block = _dims(header, "blockDim")
    if block is None or prod(block) > MAX_BLOCK:
        return ()
    grid = list(_dims(header, "gridDim") or (1, 1, 1))
    while prod(grid) * prod(block) > MOST_THREADS and max(grid) > 2:  # noqa: PLR2004  (two blocks can still race)
        longest = grid.index(max(grid))
        grid[longest] = max(2, grid[longest] // 2)
    return (f"{'x'.join(map(str, grid))}:{'x'.join(map(str, block))}",)


def header_defines(text: str) -> tuple[str, ...]:
    """Return the macros that the header comment defines."""
    return tuple(re.findall(r"\s-D([A-Za-z_]\w*(?:=[^\s]*)?)", _header(text)))


def _header(text: str) -> str:
    lines = text.lstrip().splitlines()[:3]
    return next((line for line in lines if re.match(r"//.*--(?:blockDim|gridDim)=", line)), "")


def _dims(header: str, option: str) -> tuple[int, int, int] | None:
    match = re.search(rf"--{option}=(?:\[([\d,\s]+)\]|(\d+))", header)
    if match is None:
        return None
    numbers = [int(number) for number in (match[1] or match[2]).split(",")]
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z
