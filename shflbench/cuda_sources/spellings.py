"""Spaces in place of what the grammar of CUDA C++ misreads, so that it understands the text around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.cuda_sources.lexer import Lexed

_ARGUMENTS = rb"\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
# CUDA C++ Programming Guide 13.0, 10.38 (launch bounds), 10.39 (registers), and 10.40 (clusters and sizes of blocks).
_ATTRIBUTES = re.compile(
    rb"\b__(?:launch_bounds|cluster_dims|block_size|maxnreg)__"
    rb"\s*\((?:[^()]|\((?:[^()]|\([^()]{0,999}\)){0,999}\)){0,999}\)"
)
# A member template of a class template in an expression: `typename Op<T>::template Add<2>()`.
_MEMBER_TEMPLATE = re.compile(
    rb"\btypename\b(?=\s+(?:\w+\s*(?:<[^;{}()]{0,200}>\s*)?::\s*)+template\b)|(?<=::)\s*template\b(?=\s+\w+\s*<)"
)
_ALIGNED_TYPE = re.compile(rb"\b((?:struct|class|union)\s+)__align__(?=\s*\()")
_DEFINES_FUNCTIONS = re.compile(rb"\s*#\s*define\s+(\w+)\([^)]*\)(?=.*\b__(?:global|device)__\b)(?=.*\{)", re.DOTALL)

_DEFINES_HOST_FUNCTIONS = re.compile(
    rb"\s*#\s*define\s+(\w+)\([^)]*\)[\s\\]*(?!(?:if|else|for|while|switch|do|return|case)\b)"
    rb"[\w:]+(?:[\s\\*&]+[\w#:]+)+\s*\([^;{}]*\)[\s\\]*\{"
)

_DEFINES_TYPES = re.compile(
    rb"\s*#\s*define\s+(\w+)\([^)]*\)[\s\\]*(?:template\s*<[^;{}]{0,300}>[\s\\]*)?(?:struct|class|union)\b[^;{}()]*\{"
)
# A macro alone on its line, which opens a namespace: the grammar takes it for the type of a function `namespace`.
_BEFORE_NAMESPACE = re.compile(rb"^[ \t]*[A-Z][A-Z0-9_]+[ \t]*(?=\s*^[ \t]*(?:inline[ \t]+)?namespace\b)", re.MULTILINE)

# Macros in capitals that stand for attributes, before the name of a kernel or before its type.
_MACRO = rb"\s+[A-Z][A-Z0-9_]+(?:\([^()]*\))?"
_MACROS_OF_KERNEL = re.compile(
    rb"(?<=\b__global__)(?P<before>(?:" + _MACRO + rb")*)(?P<type>\s+void)"
    rb"(?P<after>(?:" + _MACRO + rb")*)(?=\s+\w+\s*\()"
)
# A use of a macro as a statement, and what of its arguments is a type of the language: behind `FOO(float, 8)` the
# grammar would take the rest of the file for a part of it.
_STATEMENT = re.compile(rb"(?:^[ \t]+|[;{})][ \t]*|\belse[ \t]+)[A-Z_][A-Z0-9_]+[ \t]*\([^(){};]*\)", re.MULTILINE)
_WORD_OF_TYPE = rb"(?:const|unsigned|signed|long|short|int|char|float|double|bool|void)\b"
_TYPE_ARGUMENT = re.compile(rb"(?<=[(,])\s*" + _WORD_OF_TYPE + rb"(?:\s+" + _WORD_OF_TYPE + rb")*+[\s*&]*(?=[,)])")


def for_grammar(text: bytes, lexed: Lexed) -> bytes:
    """Return a text of the same length, without attributes of kernels and without uses of some macros.

    These are macros that define functions or types, that open a namespace, and that stand for attributes of a kernel.
    Nor has it the words that mark a member template of a class template. Types that statements hand to macros have
    names in their place.

    Types that `__align__` aligns have the word of C++ for it. What a kernel declares with the attributes is in the PTX,
    and the compiler is given the text as it is.
    """
    # An empty value of a macro would end with the text: the grammar takes what follows for a part of it.
    starts = [span.start for span in lexed.directives]

    def without_attribute(match: re.Match[bytes]) -> bytes:
        before = bisect_right(starts, match.start())
        is_in_macro = before > 0 and match.start() < lexed.directives[before - 1].end
        return match[0] if is_in_macro else _blank(match)

    result = _ATTRIBUTES.sub(without_attribute, text) if b"__" in text else text
    result = _MACROS_OF_KERNEL.sub(_without_macros, result) if b"__global__" in text else result
    result = _ALIGNED_TYPE.sub(rb"\1alignas  ", result) if b"__align__" in text else result
    result = _MEMBER_TEMPLATE.sub(_blank, result) if b"::template" in text else result
    result = _BEFORE_NAMESPACE.sub(_blank, result)
    result = _STATEMENT.sub(_with_names, result)
    for span in lexed.directives:
        define = _DEFINES_FUNCTIONS.match(text, span.start, span.end)
        define = define or _DEFINES_HOST_FUNCTIONS.match(text, span.start, span.end)
        define = define or _DEFINES_TYPES.match(text, span.start, span.end)
        if define is not None:
            use = re.compile(rb"^[ \t]*" + define[1] + rb"\b" + _ARGUMENTS + rb"[ \t]*;?", re.MULTILINE)
            result = use.sub(_blank, result)
    return result


def _without_macros(match: re.Match[bytes]) -> bytes:
    before, after = (re.sub(rb"[^\r\n]", b" ", match[name]) for name in ("before", "after"))
    return before + match["type"] + after


def _with_names(match: re.Match[bytes]) -> bytes:
    """Return a use of a macro with names of the same length in place of its types."""
    return _TYPE_ARGUMENT.sub(lambda item: re.sub(rb"[^\r\n]", b"_", item[0]), match[0])


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", match[0])
