"""Read a C++ type as that of an argument: a pointer or a value, and the NumPy dtype of its elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.cuda_sources.type_names import KnownAliases

_POINTER_BYTES = 8
_OF_TORCH = {"Half": "f2", "BFloat16": "bfloat16"}
# Integer types by the words that remain after `int`, `signed` and the order of words are normalized; LP64, as nvcc.
_SCALARS = {
    "bool": "?", "char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2", "unsigned short": "u2",
    "int": "i4", "unsigned": "u4", "long": "i8", "unsigned long": "u8", "long long": "i8", "unsigned long long": "u8",
    "float": "f4", "double": "f8", "__half": "f2", "half": "f2", "__nv_bfloat16": "bfloat16", "nv_bfloat16": "bfloat16",
    "wchar_t": "i4", "char8_t": "u1", "char16_t": "u2", "char32_t": "u4", "size_t": "u8", "ssize_t": "i8",
    "ptrdiff_t": "i8", "intptr_t": "i8", "uintptr_t": "u8", "uint": "u4", "ushort": "u2", "uchar": "u1", "ulong": "u8",
    "clock_t": "i8", "__nv_fp8_e4m3": "u1", "__nv_fp8_e5m2": "u1",
    **{f"{sign}int{bits}_t": f"{sign or 'i'}{bits // 8}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "cudaTextureObject_t": "u8", "cudaSurfaceObject_t": "u8",
    **{f"{scope}::{name}": element for scope in ("c10", "at", "torch") for name, element in _OF_TORCH.items()},
}  # fmt: skip
_VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)([1234])(?:_\w+)?")
_VECTOR_ELEMENT = {"longlong": "i8", "ulonglong": "u8"}
_OTHER_VECTORS = {
    "dim3": ("u4", 3), "uint3": ("u4", 3), "__half2": ("f2", 2), "half2": ("f2", 2), "__nv_bfloat162": ("bfloat16", 2),
    "nv_bfloat162": ("bfloat16", 2), "cuComplex": ("f4", 2), "cuFloatComplex": ("f4", 2), "cuDoubleComplex": ("f8", 2),
}  # fmt: skip
_ITEM = {"bfloat16": 2, "?": 1}
_DROPPED = re.compile(
    r"\b(?:const|volatile|__restrict__|__restrict|restrict|struct|union|enum|class|typename|register|__grid_constant__)\b"
)


@dataclass(frozen=True, slots=True)
class ElementMeaning:
    """What a type means for an argument."""

    pointer: bool
    const: bool  # of what it points to
    base: str  # the type without pointer and qualifiers
    element: str | None
    lanes: int
    element_bytes: int | None


def meaning(type_: str, aliases: KnownAliases | None = None) -> ElementMeaning:
    """Return what the C++ type `type_` means; `aliases` gives the types that the file's typedefs stand for."""
    text = type_.strip()
    pointers = 0
    const = False
    for _ in range(64):  # a chain of aliases cannot be longer in a file that compiles
        text, marks, pointed = _strip(text)
        const = const or pointed
        pointers += marks
        target = aliases.get(text) if aliases is not None else None
        if target is None or target == text:
            break
        text = target
    if pointers > 1:
        return ElementMeaning(pointer=True, const=const, base=text, element="u8", lanes=1, element_bytes=_POINTER_BYTES)
    element, lanes = _element(text)
    size = None if element is None else item_bytes(element) * lanes
    return ElementMeaning(
        pointer=pointers == 1, const=const, base=text, element=element, lanes=lanes, element_bytes=size
    )


def is_vector(name: str) -> bool:
    """Whether a type is a vector of CUDA, such as `float4`."""
    return _element(name)[1] > 1


def item_bytes(element: str) -> int:
    """Return the bytes of one element: 4 for `f4`, 2 for `bfloat16`."""
    return _ITEM.get(element) or int(element[1:])


def _strip(text: str) -> tuple[str, int, bool]:
    """Return a type without qualifiers and pointers, the number of pointers, and whether it points to constants."""
    if "(" in text:  # a pointer to a function or to an array
        return text, 0, False
    cut = text.rfind(">") + 1  # template arguments may contain pointers
    head, tail = text[:cut], text[cut:]
    pointers = tail.count("*") + tail.count("[")
    pointed = head + re.split(r"[*\[]", tail, maxsplit=1)[0]
    const = pointers > 0 and re.search(r"\bconst\b", re.sub(r"<.*>", "", pointed)) is not None
    bare = " ".join(_DROPPED.sub(" ", pointed).replace("&", " ").split())
    return bare.removeprefix("::").removeprefix("std::"), pointers, const


def _element(text: str) -> tuple[str | None, int]:
    words = _normalized(text)
    if words in _SCALARS:
        return _SCALARS[words], 1
    if text in _OTHER_VECTORS:
        return _OTHER_VECTORS[text]
    match = _VECTOR.fullmatch(text)
    if match:
        base = match[1]
        return _VECTOR_ELEMENT.get(base) or _SCALARS[base], int(match[2])
    return None, 1


def _normalized(text: str) -> str:
    words = text.split()
    if not set(words) <= {"signed", "unsigned", "int", "long", "short", "char"}:
        return text
    if "char" in words:
        return " ".join(sorted(words, reverse=True))
    sign = ["unsigned"] if "unsigned" in words else []
    size = ["short"] if "short" in words else ["long"] * words.count("long")
    return " ".join([*sign, *size]) or "int"
