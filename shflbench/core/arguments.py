"""Declare the values that arguments of the public functions may have: once per function, checked when it is called.

Standard library only, because `import shflbench` imports it. A declaration names the arguments that have a meaning of
their own, such as `rtol`; what only a kernel decides, such as the types of its arrays, is checked where it is read.
"""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from shflbench.core.bounds import (
    MAX_DEVICE_INDEX,
    MAX_PRECISION,
    MAX_PROCESSES,
    MAX_RESIDENT_BLOCKS,
    MAX_SECONDS,
    MAX_SEED,
    MAX_SHARED_BYTES,
)
from shflbench.core.dimensions import MAX_BLOCK_DIMS
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    P = ParamSpec("P")
    R = TypeVar("R")

    Read = Callable[[object], object]


MAX_BLOCK = MAX_BLOCK_DIMS[0]


@dataclass(frozen=True, slots=True)
class ArgumentKind:
    """The values of one argument."""

    words: str  # what to pass, behind "Pass "
    read: Read  # returns the value as the package takes it; ValueError or TypeError for what it is not
    is_optional: bool = False  # whether None is a value

    @property
    def optional(self) -> ArgumentKind:
        """The same, or None."""
        return ArgumentKind(f"{self.words}, or None", self.read, is_optional=True)

    def of(self, name: str, value: object) -> object:
        """Return the value of the argument `name`; UsageError if it is none."""
        if value is None and self.is_optional:
            return None
        try:
            return self.read(value)
        except (TypeError, ValueError):
            raise UsageError(f"{name} is {reprlib.repr(value)}", f"Pass {self.words}.") from None


def check_arguments(**kinds: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that checks these arguments of every call; None is a value where it is the default."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*positional: P.args, **named: P.kwargs) -> R:
            bound = signature(function).bind(*positional, **named)
            for name, value in bound.arguments.items():
                if kind := kinds.get(name):
                    bound.arguments[name] = _read(kind, signature(function).parameters[name], value)
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate


def _read(kind: ArgumentKind, parameter: Parameter, value: object) -> object:
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return tuple(kind.of(parameter.name, one) for one in _items(value))
    return (kind.optional if parameter.default is None else kind).of(parameter.name, value)


def _items(value: object) -> Iterable[object]:
    if isinstance(value, str | bytes | os.PathLike) or not isinstance(value, Iterable):
        raise TypeError
    return value


def whole(least: int, most: int) -> ArgumentKind:
    """Return the kind of integers in a range, of Python or NumPy."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
            raise ValueError
        return int(value)

    return ArgumentKind(f"an integer from {least} to {most}", read)


def share(most: float, *, of_zero: bool = False) -> ArgumentKind:
    """Return the kind of numbers up to `most`, and above 0 or `of_zero`."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError
        number = float(value)
        if not (0 < number <= most or (of_zero and number == 0)):
            raise ValueError
        return number

    return ArgumentKind(f"a number {f'from 0 to {most:g}' if of_zero else f'above 0 and at most {most:g}'}", read)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    number = float(value)
    if not 0 <= number < math.inf:
        raise ValueError
    return number


def one_of(*texts: str) -> ArgumentKind:
    """Return the kind of some texts."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in texts:
            raise ValueError
        return value

    return ArgumentKind(f"one of {', '.join(map(repr, texts))}", read)


def matching(pattern: str, words: str) -> ArgumentKind:
    """Return the kind of texts that match a pattern as a whole."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value, re.DOTALL):
            raise ValueError
        return value

    return ArgumentKind(words, read)


def several(kind: ArgumentKind, words: str, *, or_one: bool = False) -> ArgumentKind:
    """Return the kind of tuples, lists and other iterables of a kind, or of one value instead: a text is no list."""

    def read(value: object) -> tuple[object, ...]:
        items = (value,) if or_one and isinstance(value, str) else _items(value)
        return tuple(map(kind.read, items))

    return ArgumentKind(words, read)


def per_kernel(kind: ArgumentKind) -> ArgumentKind:
    """Return the kind of a value for all kernels, or of a mapping from their names to values."""

    def read(value: object) -> object:
        if isinstance(value, Mapping):
            return {name: None if one is None else kind.read(one) for name, one in value.items()}
        return kind.read(value)

    return ArgumentKind(f"{kind.words}, or such a value per kernel", read)


def instance(kind: type, words: str) -> ArgumentKind:
    """Return the kind of the values of a type."""

    def read(value: object) -> object:
        if not isinstance(value, kind):
            raise TypeError
        return value

    return ArgumentKind(words, read)


def _path(value: object) -> Path:
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise ValueError
    return Path(text)


def _flag(value: object) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in {"bool", "bool_"}:  # of NumPy
        raise TypeError
    return bool(value)


def _options(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise TypeError
    return dict(value)


def _arguments(value: object) -> object:
    return value if isinstance(value, Mapping) else list(_items(value))


def _resident(value: object) -> tuple[object, ...]:
    blocks, threads = _items(value)
    return whole(1, MAX_RESIDENT_BLOCKS).read(blocks), THREADS.read(threads)


def _cases(value: object) -> object:
    if "options" not in getattr(value, "columns", ()):
        raise TypeError
    return value


CASES = ArgumentKind("a table of shflbench.load or shflbench.load_samples", _cases)
PATH = ArgumentKind("a path", _path)
PATHS = several(PATH, 'a list of paths, such as ["src"]')
TEXT = matching(".+", "a text")
TEXTS = several(TEXT, 'a list of texts, such as ["a", "b"]')
POSITION = whole(0, 10**4)
POSITIONS = several(POSITION, "the positions of arguments as a tuple, such as (1,)")
NAMES_OR_POSITIONS = several(
    ArgumentKind("a text or a position", lambda value: (TEXT if isinstance(value, str) else POSITION).read(value)),
    'names or positions of arguments as a list, such as ["out"] or [1]',
)
FLAG = ArgumentKind("True or False", _flag)
ARCH = matching(r"sm_[0-9]+[af]?", 'an architecture such as "sm_90"')
ARCHS = several(ARCH, 'an architecture such as "sm_90", or a list of them', or_one=True)
OPTIONS = ArgumentKind("a mapping from names to values", _options)
ARGUMENTS = ArgumentKind("a list of arguments, or a mapping by name", _arguments)
RESIDENT = ArgumentKind(
    f"up to {MAX_RESIDENT_BLOCKS} blocks and their threads, up to {MAX_BLOCK}, such as (1, 1024)", _resident
)
SEED = whole(0, MAX_SEED)
DEVICE_INDEX = whole(0, MAX_DEVICE_INDEX)
THREADS = whole(1, MAX_BLOCK)
SHARED_BYTES = whole(0, MAX_SHARED_BYTES)
PRECISION, SECONDS = share(MAX_PRECISION), share(MAX_SECONDS)
PROCESSES = whole(1, MAX_PROCESSES)
LIMIT_ARGUMENTS = ("`budget=`", "`time_limit=`")  # which give a check more work, and more time, for messages
NUMBER = ArgumentKind("a number of at least 0", _number)
TOLERANCE = share(1, of_zero=True)
