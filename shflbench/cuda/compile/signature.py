"""Check the parameters of a compiled kernel against the declared arguments, before any launch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import DTYPES
from shflbench.core.words import count_noun
from shflbench.errors import CompileError
from shflbench.patterns.declare import ITERATIONS, ByValue, PointerInto

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Dtype
    from shflbench.patterns.declare import DeclaredArgument, Pattern

_TYPE = re.compile(r"\.(?P<kind>[bsuf])(?P<bits>[0-9]+)\b")
_COUNT = re.compile(r"\[(?P<count>[0-9]+)\]")
_POINTER_BYTES = 8

ADVICE = "List the kernel's parameters in `arguments` of the variant, in the kernel's order."


class SignatureError(CompileError):
    """The parameters of a kernel do not match the declared arguments."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One declared argument."""

    name: str
    size: int  # bytes
    floating: bool
    pointer: bool = False
    structure: bool = False

    @property
    def words(self) -> str:
        """Its type in words, e.g. `a 4-byte integer`."""
        if self.pointer:
            return "a pointer"
        return _words(self.size, "b" if self.structure else "f" if self.floating else "u")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the kernel."""

    kind: str  # of its PTX type: b (bytes), s, u or f
    size: int  # bytes

    @property
    def words(self) -> str:
        """Its type in words; in PTX, a pointer is an integer of 8 bytes."""
        known = _words(self.size, self.kind)
        return f"{known} or a pointer" if (self.kind, self.size) == ("u", _POINTER_BYTES) else known

    def takes(self, given: Argument) -> bool:
        """Whether size and kind match those of the argument; a `__half` is two bytes without a kind."""
        is_kind = self.kind == "b" or (not given.structure and (self.kind == "f") == given.floating)
        return self.size == given.size and is_kind


def arguments(pattern: Pattern, declared: Sequence[DeclaredArgument], dtype: Dtype) -> tuple[Argument, ...]:
    """Return what a kernel is declared to take."""
    numbers = {item.name: DTYPES[item.dtype] if item.dtype else dtype for item in pattern.scalars}
    numbers[ITERATIONS] = DTYPES["i32"]

    def argument(item: DeclaredArgument) -> Argument:
        if isinstance(item, ByValue):
            return Argument(item.name, item.size, floating=False, structure=True)
        if not isinstance(item, PointerInto) and item in numbers:
            return Argument(item, numbers[item].size, numbers[item].floating)
        name = item.name if isinstance(item, PointerInto) else item
        return Argument(name, _POINTER_BYTES, floating=False, pointer=True)

    return tuple(map(argument, declared))


def parameters(ptx: str, symbol: str) -> list[Parameter]:
    """Return the parameters of the kernel `symbol`, in order."""
    entry = re.search(rf"\.entry\s+{re.escape(symbol)}\s*\(([^)]*)\)", ptx)
    layout = []
    for text in entry[1].split(",") if entry else ():
        kind, count = _TYPE.search(text), _COUNT.search(text)
        if kind is not None:
            size = int(kind["bits"]) // 8 * int(count["count"] if count else 1)
            layout.append(Parameter(kind["kind"], size))
    return layout


def check(expression: str, taken: Sequence[Parameter], given: Sequence[Argument]) -> None:
    """Raise SignatureError unless the parameters of the kernel `expression` match the declared arguments."""
    if len(taken) != len(given):
        names = ", ".join(item.name for item in given)
        raise SignatureError(
            f"the kernel `{expression}` takes {count_noun(len(taken), 'argument')}, "
            f"and the declaration gives {len(given)}: {names}",
            ADVICE,
        )
    for number, (parameter, argument) in enumerate(zip(taken, given, strict=True), 1):
        if not parameter.takes(argument):
            raise SignatureError(
                f"argument {number} of the kernel `{expression}` is {parameter.words}, and the declaration gives "
                f"`{argument.name}`, {argument.words}",
                ADVICE,
            )


def _words(size: int, kind: str) -> str:
    if kind == "b":
        return f"a structure of {size} bytes"
    article = "an" if size == _POINTER_BYTES else "a"
    return f"{article} {size}-byte {'floating-point number' if kind == 'f' else 'integer'}"
