"""Conversions of values to the types of variables, also by functions of classes such as `operator float *()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.types import CHAR, pointer_to
from shflbench.cuda_sources.host.values import Cell, Structure, as_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.types import HostType

ANY_POINTER = pointer_to(CHAR)


def convert(run: HostRun, value: object, type_: HostType) -> object:
    """Return a value after conversion to the type of a variable."""
    return as_type(by_class(run, value, type_), type_)


def by_class(run: HostRun, value: object, type_: HostType) -> object:
    """Return the pointer or the number that the class of an object converts it to; other values as they are."""
    if not isinstance(value, Structure) or value.memory is not None or not (type_.is_pointer or type_.format):
        return value
    for function in run.program.conversions(value.type.name):
        made = run.type(function.name, HostFrame(bound=value.bound))
        if made.is_pointer == type_.is_pointer and (made.is_pointer or made.format):
            return run.call(function, (), (), value)
    return value


def pointers(run: HostRun, given: Sequence[Reference]) -> Sequence[Reference]:
    """Return arguments of a function of C, which takes pointers for objects that convert to them."""
    if not any(isinstance(item.load(), Structure) for item in given):
        return given
    return [_pointer(run, item) for item in given]


def _pointer(run: HostRun, place: Reference) -> Reference:
    value = place.load()
    made = by_class(run, value, ANY_POINTER)
    return place if made is value else Cell(made)
