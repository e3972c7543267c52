"""Decide whether device code compiles to the same without headers that are missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.device_words import reachable_words
from shflbench.cuda_sources.host_code import DEVICE_WORDS, blank, declarations, host_spans, inner, prefix
from shflbench.cuda_sources.includes import includes
from shflbench.cuda_sources.lexer import code_only
from shflbench.cuda_sources.macros import Macros
from shflbench.cuda_sources.messages import is_of_device_package
from shflbench.cuda_sources.syntax_trees import function_declarator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit

# A header of a package, of a name that does not suggest macros for all who include it.
_OF_PACKAGE = re.compile(
    rb"\s*#\s*include\s*<(?![^>]*(?:conf|def|setting|option|version|macro|feature))", re.IGNORECASE
)
_CONDITION = re.compile(rb"\s*#\s*(?:if|elif|ifdef|ifndef|elifdef|elifndef)\b(.*)", re.DOTALL)
_DEFINE = re.compile(rb"\s*#\s*define\s+(\w+)(.*)", re.DOTALL)
_NAME = re.compile(rb"\b[A-Za-z_]\w*")
# Names that the compiler, the system or CUDA define, or that only a command line does. Other names with an underscore
# at the begin may be macros of any header.
_OF_COMPILER = re.compile(
    rb"__\w+__|__(?:CUDA|NV|GNU|GLIBC|clang|CLANG|GXX|INTEL|ICC|PGI|HIP|MINGW|CYGWIN|has_|cplusplus|cpp_|STDC|SSE|AVX|x86_64|"
    rb"i386|EXCEPTIONS|SIZEOF|BYTE_ORDER|USE_|LIBCPP|VA_)\w*|"
    rb"_(?:WIN32|WIN64|MSC|MSVC|M_|OPENMP|OPENACC|GNU_SOURCE|POSIX|XOPEN|LIBCPP|GLIBCXX|CCCL|CUDA|NVHPC|LP64|ILP32|REENTRANT|"
    rb"DEBUG|DEFAULT_SOURCE|BSD_SOURCE|LARGEFILE|FILE_OFFSET_BITS|WINDOWS|UNICODE)\w*|"
    rb"defined|WIN32|WIN64|NDEBUG|CUDA_VERSION|CUDART_VERSION|unix|linux|true|false"
)
_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})


def can_leave_out(
    unit: SourceUnit, define: Sequence[str], names: Sequence[str], expressions: Sequence[str] = ()
) -> bool:
    """Whether errors of the compiler show all that the device code needs of the missing headers `names`.

    What device code uses of a header is an error of the compiler without it. Only a condition of the preprocessor would
    change its meaning in silence: a macro that a header may define, and that a condition asks for, decides so, and so
    does a header of the program that may specialize or overload what stands before it. Macros of a package, as of
    <dmlc/io.h>, begin with its name. The `expressions` name the instances of kernels that are compiled.
    """
    if any(is_of_device_package(name) for name in names) or any(
        _may_replace(unit, name, expressions) for name in names
    ):
        return False
    given = {re.split(r"[=(]", item)[0].encode() for item in define}
    defined = [set(_definitions(file)) for file in unit.files]
    unknown = set[bytes]().union(
        *(
            _open_names(file, given.union(*defined[:index], *defined[index + 1 :]))
            for index, file in enumerate(unit.files)
        )
    )
    starts = tuple(_start_of_macros(unit, name) for name in names)
    return not any(name.startswith(starts) for name in unknown)


def _start_of_macros(unit: SourceUnit, header: str) -> bytes:
    """Return how the macros of a missing header begin, by its package: one in quotation marks may define any."""
    file, line = unit.missing[header]
    if not _OF_PACKAGE.match(file.text.splitlines()[line - 1]):
        return b""
    return re.split(r"[\W_]", header)[0].upper().encode()


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


def _may_replace(unit: SourceUnit, header: str, expressions: Sequence[str]) -> bool:
    """Whether a header of the program may specialize a template, or overload a function, that stands before it.

    Compilers see no error where another template or function of the name is left. It counts what device code can reach,
    and other code names.
    """
    if _start_of_macros(unit, header):
        return False
    macros = Macros([file.lexed for file in unit.files], ())
    parts = _before(unit, header)
    known = {name: node for file, line in parts for name, node in _replaceable(file, line, macros)}
    reached = reachable_words(unit.files, macros, expressions) if known else frozenset()
    known = {name: node for name, node in known.items() if name in reached}
    if not known:
        return False
    texts = [" ".join(expressions).encode()]
    texts += [code_only(blank(file.text, host_spans(file, macros), file.lexed.directives)) for file in unit.files]
    return any(
        sum(len(re.findall(rb"\b%s\b" % re.escape(name), text)) for text in texts)
        > len(re.findall(rb"\b%s\b" % re.escape(name), code_only(node.text or b"")))
        for name, node in known.items()
    )


def _before(unit: SourceUnit, header: str) -> list[tuple[UserFile, int]]:
    """Return the files that a compiler reads before a missing header, with the line of each at which it has come."""
    place, line_of_header = unit.missing[header]
    parts: list[tuple[UserFile, int]] = []
    entered: set[str] = set()

    def reaches(file: UserFile) -> bool:
        entered.add(file.name)
        for name, _, line in includes(file):
            included = unit.headers.get(name)
            is_there = file.path == place.path and line == line_of_header
            if is_there or (included is not None and included.name not in entered and reaches(included)):
                parts.append((file, line))
                return True
        parts.append((file, file.text.count(b"\n") + 2))
        return False

    reaches(unit.main)
    return parts


def _replaceable(file: UserFile, line: int, macros: Macros) -> Iterator[tuple[bytes, Node]]:
    """Yield the names of the templates and functions that device code may use, of a file up to a line."""
    for node in declarations(file.tree.root_node):
        if node.end_point[0] + 1 >= line:
            break
        item = inner(node)
        name = item.child_by_field_name("name") if item.type in _CLASSES and node is not item else None
        declarator = function_declarator(item)
        words = macros.words(prefix(node))
        is_function = "__global__" not in words and bool(words & (DEVICE_WORDS | {"constexpr"}))
        if declarator is not None and is_function:
            name = declarator.child_by_field_name("declarator")
        if name is not None and name.type in {"identifier", "type_identifier"} and name.text:
            yield name.text, node
