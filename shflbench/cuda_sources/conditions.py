"""Evaluate the conditions of the preprocessor: they hold, do not hold, or depend on what the files do not say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.arithmetic import COMPARISONS, number, operate
from shflbench.cuda_sources.macros import Macro, substitute
from shflbench.cuda_sources.syntax_trees import parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tree_sitter import Node

MOST_CHARACTERS = 10_000  # of a condition, with what its macros stand for
MOST_DEPTH = 40  # of macros that stand for macros
_MOST_OPERATORS = 100  # one in the other
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_OF_COMPILER = re.compile(r"\b__has_\w+\s*\([^)]*\)")  # `__has_include(<file>)` and others
_WORD = re.compile(r"\b[A-Za-z_]\w*")
_CLOSED = {"(": 1, ")": -1}
# What compilers, their standard libraries and CUDA define in versions that files do not say; files test other reserved
# names for what their own builds define.
_OF_TOOLS = re.compile(
    r"(?:CUDA|CUDART|CUB|THRUST|CCCL|LIBCUDACXX|CUDNN|NCCL|CU[A-Z]+|NV[A-Z]+|MPI|BOOST)_(?:\w+_)?(?:VERSION|MAJOR|MINOR)\w*"
    r"|__(?:CUDACC_VER|CUDA_API|NVCC_DIAG|GNUC_|GLIBC|GLIBCXX|SIZEOF|cpp_|has_|STDC|BYTE_ORDER|ORDER_|SSE|AVX|FMA)\w*"
    r"|_(?:GLIBCXX|LIBCUDACXX|CCCL|POSIX|XOPEN)_\w+|_OPENMP"
)
# What a host compiler beside nvcc on Linux defines.
PREDEFINED: Mapping[str, Macro] = {
    name: Macro(name, None, body)
    for name, body in {
        "__CUDACC__": "1", "__NVCC__": "1", "__cplusplus": "201703", "__linux__": "1", "__linux": "1", "linux": "1",
        "__unix__": "1", "__unix": "1", "unix": "1", "__gnu_linux__": "1", "__x86_64__": "1", "__LP64__": "1",
        "__GNUC__": "__GNUC_MAJOR__",
    }.items()
}  # fmt: skip


def condition(text: str, macros: Mapping[str, Macro], unknown: Collection[str] = ()) -> bool | None:
    """Return whether the condition of an `#if` holds; None if it depends on `unknown` names, or cannot be read."""
    if len(text) > MOST_CHARACTERS:
        return None
    text = _OF_COMPILER.sub("__has_it", text)
    expanded = _Expansion(macros, unknown).of(_DEFINED.sub(lambda match: _known(match, macros, unknown), text))
    if len(expanded) > MOST_CHARACTERS:
        return None
    tree = parse(f"auto v = ({expanded});".encode())
    value = next((node for node in walk(tree.root_node) if node.type == "parenthesized_expression"), None)
    if value is None or tree.root_node.has_error:
        return None
    result = _value(value, unknown, 0)
    return None if result is None else bool(result)


def is_defined(name: str, macros: Mapping[str, Macro], unknown: Collection[str] = ()) -> bool | None:
    """Return whether a name is a macro; None if the files do not say it."""
    if name in macros:
        return True
    return None if name in unknown or _OF_TOOLS.fullmatch(name) else False


def _known(match: re.Match[str], macros: Mapping[str, Macro], unknown: Collection[str]) -> str:
    known = is_defined(match[1] or match[2], macros, unknown)
    return match[1] or match[2] if known is None else str(int(known))


class _Expansion:
    """The expansion of a condition, which ends at a limit of characters."""

    def __init__(self, macros: Mapping[str, Macro], unknown: Collection[str]) -> None:
        self._macros, self._unknown = macros, unknown
        self._left = MOST_CHARACTERS

    def of(self, text: str, inside: Sequence[str] = ()) -> str:
        """Return a text with its macros expanded, but for those that it is `inside` of."""
        parts: list[str] = []
        end = 0
        while (match := _WORD.search(text, end)) is not None:
            parts.append(text[end : match.start()])
            end = match.end()
            macro = self._macros.get(match[0])
            if macro is None or match[0] in self._unknown or match[0] in inside or len(inside) >= MOST_DEPTH:
                parts.append(match[0])
            elif macro.parameters is None:
                parts.append(self._expanded(macro.body, (*inside, match[0])))
            else:
                given, end = _arguments(text, end)
                parts.append(self._expanded(substitute(macro, given), (*inside, match[0])))
        return "".join((*parts, text[end:]))

    def _expanded(self, body: str, inside: Sequence[str]) -> str:
        self._left -= len(body) + 1
        return self.of(body, inside) if self._left >= 0 else "?"


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """Return the arguments in the parentheses that begin at a position, and where these end."""
    depth, arguments = 0, [""]
    for place in range(start, len(text)):
        sign = text[place]
        depth += _CLOSED.get(sign, 0)
        if depth == 0:
            if not sign.isspace():
                return arguments, place + 1
        elif depth == 1 and sign == ",":
            arguments.append("")
        elif depth > 1 or sign != "(":
            arguments[-1] += sign
    return arguments, len(text)


def _value(node: Node | None, unknown: Collection[str], depth: int) -> int | None:  # noqa: PLR0911  (one per kind)
    if node is None or depth > _MOST_OPERATORS:
        return None

    def field(name: str) -> int | None:
        return _value(node.child_by_field_name(name), unknown, depth + 1)

    sign = text_of(node.child_by_field_name("operator"))
    match node.type:
        case "number_literal":
            return _whole(number(text_of(node)))
        case "true" | "false":
            return int(node.type == "true")
        case "identifier":
            return None if text_of(node) in unknown or _OF_TOOLS.fullmatch(text_of(node)) else 0
        case "parenthesized_expression":
            return _value(next(iter(node.named_children), None), unknown, depth + 1)
        case "unary_expression":
            return _signed(sign, field("argument"))
        case "conditional_expression":
            chosen = field("condition")
            return None if chosen is None else field("consequence" if chosen else "alternative")
        case "binary_expression":
            return _joined(sign, field("left"), field("right"))
    return None


def _joined(sign: str, first: int | None, second: int | None) -> int | None:
    if sign in {"&&", "and", "||", "or"}:
        decides = sign in {"||", "or"}  # one operand of this truth decides
        if any(value is not None and bool(value) is decides for value in (first, second)):
            return int(decides)
        return None if first is None or second is None else int(not decides)
    if first is None or second is None:
        return None
    return int(COMPARISONS[sign](first, second)) if sign in COMPARISONS else _whole(operate(sign, first, second))


def _signed(sign: str, value: int | None) -> int | None:
    if value is None:
        return None
    results = {"!": int(not value), "not": int(not value), "-": -value, "+": value, "~": ~value}
    return results.get(sign)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int) else None
