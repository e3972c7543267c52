"""Decide whether device code can be compiled without a header that is missing.

What device code uses of the header is an error of the compiler then. Only a condition of the preprocessor would change
its meaning in silence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.messages import is_of_device_package

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit

_CONDITION = re.compile(rb"\s*#\s*(?:if|elif|ifdef|ifndef|elifdef|elifndef)\b(.*)", re.DOTALL)
_DEFINE = re.compile(rb"\s*#\s*define\s+(\w+)(.*)", re.DOTALL)
_NAME = re.compile(rb"\b[A-Za-z_]\w*")
# Names that the compiler, the system or CUDA define, or that only a command line does.
_OF_COMPILER = re.compile(rb"_[_A-Z]\w*|defined|WIN32|WIN64|NDEBUG|CUDA_VERSION|CUDART_VERSION|unix|linux|true|false")


def can_leave_out(unit: SourceUnit, define: Sequence[str], names: Sequence[str]) -> bool:
    """Whether errors of the compiler show all that the device code needs of the missing headers `names`.

    A macro that a header may define, and that a condition asks for, decides without an error.
    """
    if any(is_of_device_package(name) for name in names):
        return False
    given = {re.split(r"[=(]", item)[0].encode() for item in define}
    defined = [set(_definitions(file)) for file in unit.files]
    return not any(
        _open_names(file, given.union(*defined[:index], *defined[index + 1 :])) for index, file in enumerate(unit.files)
    )


def _definitions(file: UserFile) -> Iterator[bytes]:
    for span in file.lexed.directives:
        match = _DEFINE.match(file.text, span.start, span.end)
        if match is not None:
            yield match[1]


def _open_names(file: UserFile, known: set[bytes]) -> set[bytes]:
    """Return the names in conditions of a file that nothing before them defines, without its include guard."""
    defined, unknown = set(known), set()
    for span in file.lexed.directives:
        define = _DEFINE.match(file.text, span.start, span.end)
        condition = _CONDITION.match(file.text, span.start, span.end)
        if define is not None:
            defined.add(define[1])
            if not define[2].strip():
                unknown.discard(define[1])
        elif condition is not None:
            unknown.update(name for name in _NAME.findall(condition[1]) if name not in defined)
    return {name for name in unknown if not _OF_COMPILER.fullmatch(name)}
