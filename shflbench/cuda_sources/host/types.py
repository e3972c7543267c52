"""Types of host code: the size of a value, what a pointer points to, and the conversion of numbers."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.host.launch_structures import SIZES
from shflbench.cuda_sources.naming import split_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.cuda_sources.host.program import HostProgram
    from shflbench.cuda_sources.kernel_file import Field
    from shflbench.cuda_sources.layouts import Types

_QUALIFIERS = re.compile(
    r"\b(?:const|constexpr|volatile|static|inline|extern|register|typename|struct|class|enum|union|mutable|"
    r"__restrict__|__restrict|restrict|thread_local)\b|__align__\(\d+\)"
)
_SCOPE = re.compile(r"\s*::\s*(?:template\b\s*)?")  # `Op<float>::template Add<2>` names a member of a template
_SMART = re.compile(r"(?:unique_ptr|shared_ptr|device_ptr)\s*<(?P<arguments>.*)>")
_FORMATS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f",
            "f8": "d", "f2": "e"}  # fmt: skip
_POINTER = 8  # bytes
_MOST_ALIASES = 8  # typedefs of typedefs


@dataclass(frozen=True, slots=True)
class HostType:
    """One type; `size` is None if it is unknown."""

    name: str
    size: int | None = None  # bytes
    format: str = ""  # of `struct`, for a number
    target: HostType | None = None  # of a pointer or an array
    count: int | None = None  # elements of an array
    reference: bool = False
    is_smart: bool = False  # a smart pointer, which begins as null
    members: tuple[Field, ...] = field(default=(), compare=False, repr=False)  # of a structure, as it lies in memory

    @property
    def is_pointer(self) -> bool:
        """Whether it is a pointer."""
        return self.target is not None and self.count is None

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return self.count is not None

    @property
    def stride(self) -> int:
        """The bytes from one element in memory of the host to the next; a type of unknown size counts as a pointer."""
        return self.size or _POINTER

    def convert(self, value: object) -> object:
        """Return a number after conversion to this type; other values as they are."""
        if not self.format or not isinstance(value, int | float):
            return value
        if self.format in "fde":
            return float(value)
        if self.name == "bool":
            return int(bool(value))
        if isinstance(value, float):
            if value != value or abs(value) >= 2.0**63:  # noqa: PLR0124  (undefined in C++)
                return 0
            value = int(value)
        bits = 8 * (self.size or 8)
        value &= (1 << bits) - 1
        return value - (1 << bits) if self.format.islower() and value >> (bits - 1) else value


UNKNOWN_TYPE = HostType("")
LIST_ELEMENT = HostType("")  # of a list in braces, which has no type of its own
INT = HostType("int", 4, "i")
CHAR = HostType("char", 1, "b")
DIM3 = HostType("dim3", 12)


def format_of(element: str | None) -> str:
    """Return the format of `struct` for a NumPy type; empty for one that host code has no arithmetic of."""
    return _FORMATS.get(element or "", "")


def pointer_to(target: HostType) -> HostType:
    """Return the type of a pointer."""
    return HostType(f"{target.name} *", 8, "", target)


def smart_pointer_to(target: HostType) -> HostType:
    """Return the type of a smart pointer, whose values are those of a plain one."""
    return HostType(f"{target.name} *", _POINTER, "", target, is_smart=True)


def unscoped(name: str) -> str:
    """Return the name of a type without its namespaces: `Pair<a::B>` of `c::Pair<a::B>`."""
    plain, bracket, arguments = name.partition("<")
    return f"{plain.rpartition('::')[2]}{bracket}{arguments}"


def array_of(target: HostType, count: int) -> HostType:
    """Return the type of an array."""
    size = target.size * count if target.size is not None else None
    return HostType(f"{target.name}[{count}]", size, "", target, count)


class TypeReader:
    """Reads the text of a type; the parameters of templates stand for what a call binds them to."""

    def __init__(self, types: Types, program: HostProgram) -> None:
        """Keep the typedefs, structures and macros of the files."""
        self._types, self._program = types, program
        self.aliases = types.aliases
        self._known: dict[tuple[str, tuple[tuple[str, object], ...]], HostType] = {}

    def read(self, text: str, bound: Mapping[str, object]) -> HostType:
        """Return the type that a text stands for."""
        words = set(re.findall(r"\w+", text)) if bound else set()
        relevant = tuple((name, bound[name]) for name in sorted(words & bound.keys()))
        key = (text, relevant)
        if key not in self._known:
            self._known[key] = self._read(text, dict(relevant), 0)
        return self._known[key]

    def _read(  # noqa: PLR0911  (a return per kind of type)
        self, text: str, bound: Mapping[str, object], depth: int
    ) -> HostType:
        text = _SCOPE.sub("::", " ".join(_QUALIFIERS.sub(" ", text).split()))
        if text.endswith("&"):
            inner = self._read(text.rstrip("& "), bound, depth)
            return replace(inner, reference=True)
        if text.endswith("*"):
            return pointer_to(self._read(text[:-1], bound, depth))
        if text in bound:
            return self._read(str(bound[text]), {}, depth + 1)
        if text in {"dim3", "uint3"}:
            return DIM3
        if "<" in text and bound:
            text = re.sub(r"[A-Za-z_]\w*", lambda match: str(bound.get(match[0], match[0])), text)
        macro = self._program.macro(text)
        name = unscoped(text)
        alias = self._types.aliases.get(name) or (macro.body if macro is not None else None)
        if alias and alias != text and depth < _MOST_ALIASES:
            return self._read(alias, bound, depth + 1)
        if text in {"char", "signed char"}:
            return CHAR
        if smart := _SMART.fullmatch(name):
            element = split_arguments(smart["arguments"])[0].partition("[")[0]
            return smart_pointer_to(self._read(element, bound, depth + 1))
        what = meaning(text, self._types.aliases)
        if what.element is not None and what.lanes == 1 and not what.pointer and what.element in _FORMATS:
            return HostType(text, struct.calcsize(_FORMATS[what.element]), _FORMATS[what.element])
        value = self._types.value(text) if text else None
        return HostType(name, value[0], members=value[2]) if value is not None else HostType(name, SIZES.get(name))
