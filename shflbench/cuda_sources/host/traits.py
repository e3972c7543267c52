"""Conditions on types: `std::is_same_v<T, float>` and its like, with which host code chooses an instance."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.values import UNKNOWN
from shflbench.cuda_sources.naming import split_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame
    from shflbench.cuda_sources.host.types import HostType

_TRAIT = re.compile(r"(?:std::|cuda::std::|thrust::)?(is_\w+?)(_v)?<(.*)>(::value)?")
_FLOATING = frozenset("efd")


def _same(one: HostType, other: HostType) -> object:
    """Return whether two types are the same; UNKNOWN where names that mean nothing here differ."""
    if one.name == other.name:
        return 1
    known = bool(one.format or one.target) and bool(other.format or other.target)
    is_plain = known or not {one.name, other.name} & {"", "auto"}
    return int(one.format == other.format and one.size == other.size and known) if is_plain else UNKNOWN


def _of_one(formats: Callable[[str], bool]) -> Callable[[HostType], object]:
    return lambda type_: int(formats(type_.format)) if type_.format or type_.target else UNKNOWN


_TRAITS: Mapping[str, Callable[..., object]] = {
    "is_same": _same,
    "is_floating_point": _of_one(lambda form: form in {"f", "d"}),
    "is_integral": _of_one(lambda form: bool(form) and form not in _FLOATING),
    "is_arithmetic": _of_one(lambda form: bool(form) and form != "e"),
    "is_signed": _of_one(lambda form: bool(form) and form.islower()),
    "is_unsigned": _of_one(lambda form: bool(form) and form.isupper()),
    "is_pointer": lambda type_: int(type_.is_pointer),
}


def trait(run: HostRun, text: str) -> Callable[[HostFrame], object] | None:
    """Return whether a condition on types holds, from its text without spaces; None if it is none that is known."""
    match = _TRAIT.fullmatch(text)
    if match is None or bool(match[2]) == bool(match[4]) or match[1] not in _TRAITS:
        return None
    holds, parts = _TRAITS[match[1]], split_arguments(match[3])

    def value(frame: HostFrame) -> object:
        try:
            return holds(*(run.type(part, frame) for part in parts))
        except TypeError:  # another number of types
            return UNKNOWN

    return value
