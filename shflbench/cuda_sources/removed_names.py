"""Names of Thrust and CUB that CUDA 13 removed, with their old definitions, for the files that use them.

Device code means the same with them as with the version that its file was written for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.includes import is_file, read_limited
from shflbench.cuda_sources.lexer import without_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.host_code import UserFile

# Base classes that name types, as in the C++ library up to C++14.
_OF_THRUST = {
    "unary_function": "template <class A, class R> struct unary_function { typedef A argument_type; "
    "typedef R result_type; };",
    "binary_function": "template <class A, class B, class R> struct binary_function { typedef A first_argument_type; "
    "typedef B second_argument_type; typedef R result_type; };",
}


def _operator(name: str, result: str, expression: str) -> str:
    """Return a class of CUB 1 for the operator of a reduction or a comparison."""
    parameters = "const T &a, const T &b"
    function = f"__host__ __device__ __forceinline__ {result} operator()({parameters}) const {{ return {expression}; }}"
    return f"struct {name} {{ template <class T> {function} }};"


_OF_CUB = {
    name: _operator(name, result, expression)
    for name, result, expression in (
        ("Sum", "T", "a + b"),
        ("Difference", "T", "a - b"),
        ("Division", "T", "a / b"),
        ("Max", "T", "(b > a) ? b : a"),  # as CUB_MAX: of two values of which one is no number, the first
        ("Min", "T", "(b < a) ? b : a"),
        ("Equality", "bool", "a == b"),
        ("Inequality", "bool", "a != b"),
    )
}
_OLD = {"thrust": _OF_THRUST, "cub": _OF_CUB}
_VERSIONS = {"thrust": ("thrust/version.h", "THRUST_VERSION"), "cub": ("cub/version.cuh", "CUB_VERSION")}
_FIRST_WITHOUT = 300000  # version of Thrust and CUB in CUDA 13.0
_NAMES = (b"%s\\s*::\\s*(?:%s)" % (space.encode(), "|".join(old).encode()) for space, old in _OLD.items())
_USE = re.compile(rb"\b(?:" + b"|".join(_NAMES) + rb")\b")


def removed_names(files: Sequence[UserFile], folders: Callable[[], Sequence[Path]]) -> list[str]:
    """Return the removed names that files use and do not define, such as `cub::Max`.

    `folders` returns those in which a compiler searches for headers: of a library before 3.0 there, no name is removed.
    """
    uses = (match for file in files if b"::" in file.text for match in _USE.findall(without_comments(file.text)))
    used = sorted({b"".join(use.split()).decode() for use in uses})
    places = folders() if used else ()
    removed = {space for space in _OLD if _is_removed(space, places)}
    return [name for name in used if name.partition("::")[0] in removed and not _is_defined(name, files)]


def _is_removed(space: str, folders: Sequence[Path]) -> bool:
    """Whether the first version of a library in the folders is 3.0 or later, or there is none of a known number."""
    header, macro = _VERSIONS[space]
    path = next((folder / header for folder in folders if is_file(folder / header)), None)
    number = re.search(rb"#\s*define\s+%s\s+(\d+)" % macro.encode(), read_limited(path)) if path is not None else None
    return number is None or int(number[1]) >= _FIRST_WITHOUT


def _is_defined(name: str, files: Sequence[UserFile]) -> bool:
    definition = re.compile(rb"\b(?:struct|class)\s+%s\b" % name.rpartition("::")[2].encode())
    return any(definition.search(file.text) for file in files)


def old_definitions(names: Sequence[str]) -> str:
    """Return the text that defines removed names as before."""
    texts = [
        f"namespace {space} {{ {text} }}\n"
        for space, old in _OLD.items()
        for name, text in old.items()
        if f"{space}::{name}" in names
    ]
    return "".join(texts)
