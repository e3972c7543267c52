"""Calls of functions that nothing is known of, and numbers that the program reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.host.values import UNKNOWN, Cell, CellAddress, Pointer, Structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.host.interface import HostRun, Reference

_HARMLESS = re.compile(
    r"printf|fprintf|puts|free|cudaFree\w*|delete|assert|cuda\w*Synchronize|cudaEvent\w*|cudaStream\w*|cudaGetLastError|"
    r"cudaPeekAtLastError|cudaSetDevice|cudaDevice\w*|cudaGetErrorString|cudaFuncSet\w*|cudaMemPrefetchAsync|"
    r"cudaMemAdvise|srand|fclose|fopen|fflush|strlen|usage|size|c_str|count|elapsed"
)


def unknown_call(run: HostRun, name: str, given: Sequence[Reference]) -> object:
    """Return the result of a function that nothing is known of: it may write where its pointers point to."""
    if not _HARMLESS.fullmatch(name):
        for place in given:
            value = place.load()
            if isinstance(value, Pointer):
                value.memory.forget()
            elif isinstance(value, CellAddress) and not isinstance(value.cell.value, Structure):
                value.cell.store(_read_by(run, name, value.cell))
            elif isinstance(value, CellAddress | Structure):
                _fill(run, name, value.cell.value if isinstance(value, CellAddress) else value)
    run.state.step()
    return 0 if name.startswith("cuda") else UNKNOWN


def _fill(run: HostRun, name: str, value: Any) -> None:  # noqa: ANN401  (the value of a variable)
    """Fill a structure as a function of nobody's files may do; an empty vector gets an unknown length."""
    if value.memory is not None:
        value.memory.forget()
        value.memory.size = value.memory.size or None
    for cell in value.fields.values():
        if isinstance(cell.value, Structure):
            _fill(run, name, cell.value)
        elif cell.value is UNKNOWN:
            cell.store(_read_by(run, name, cell))


def _read_by(run: HostRun, name: str, cell: Cell) -> object:
    """Return the value that a function of nobody's files gives a variable: a size of a picture, as of the input."""
    is_integer = cell.type.format not in {"", "f", "d", "e"} and cell.type.name != "bool"
    is_of_user = not re.match(r"(?:cuda|cub|thrust|hip|cu|gettimeofday|clock|pthread|omp)|.*[Tt]ime", name)
    return (
        assume_number(run, f"the result of {name}") if is_integer and is_of_user and cell.value is UNKNOWN else UNKNOWN
    )


def assume_number(run: HostRun, name: str) -> int:
    """Return the number that stands for one that the program reads."""
    given = run.state.given
    number = given.used[name] = given.single.get(name, given.number)
    return number
