"""The macros and the lines that the host's compiler sees, by the conditions around them."""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker.sources.lexer import TextSpan
from shflbench.checker.sources.macros import Macro

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.checker.sources.host_code import UserFile

MOST_CHARACTERS = 10_000  # of a condition, with what its macros stand for
MOST_DEPTH = 40  # of headers in headers, and of macros that stand for macros
_DIRECTIVE = re.compile(r"\s*#\s*(?P<word>\w+)(?P<rest>.*)", re.DOTALL)
_DEFINITION = re.compile(r"\s*(?P<name>\w+)(?P<parameters>\([^)]*\))?(?P<body>.*)", re.DOTALL)
_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDED = re.compile(r'\s*["<]([^">]+)[">]')
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SUFFIX = re.compile(r"\b(\d+|0[xX][0-9a-fA-F]+)[uUlL]+\b")
_KEYWORDS = frozenset({"and", "or", "not"})
_OPERATORS: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_Directive: TypeAlias = tuple[TextSpan, str, str]  # with its word and what follows that
_GIVEN = {"__CUDACC__": "1", "__NVCC__": "1", "__cplusplus": "201703", "__linux__": "1", "__GNUC__": "11"}


class Preprocessor:
    """Follows the directives of the files in the order in which a compiler reads them."""

    def __init__(self, roots: Sequence[UserFile], files: Sequence[UserFile], define: Mapping[str, Macro]) -> None:
        """Read the `roots`, in their order, and those of the files that they include; `define` is what `-D` gives."""
        self._files = {file.path.name: file for file in files}
        self._compiled: dict[str, list[TextSpan]] = {}  # by the name of a file that is read: its lines that count
        self._known: dict[str, tuple[list[_Directive], str]] = {}  # by the name of a file
        self._once: set[str] = set()  # names of files with `#pragma once` that have been read
        self.macros: dict[str, Macro] = {name: Macro(name, None, body) for name, body in _GIVEN.items()} | dict(define)
        for file in roots:
            self._read(file, 0)

    def compiles(self, file: UserFile, position: int) -> bool:
        """Whether the compiler sees what stands at a position; also if nobody is known to include the file."""
        spans = self._compiled.get(file.name)
        return spans is None or any(span.start <= position < span.end for span in spans)

    def _read(self, file: UserFile, depth: int) -> None:
        lines, guard = self._directives(file)
        if file.name in self._compiled and guard in self.macros:  # nothing more of it counts
            return
        taken = [True]  # of each `#if` around: whether its lines are compiled
        ended = [True]  # whether one of its parts was taken
        compiled, start = self._compiled.setdefault(file.name, []), 0
        for span, word, rest in lines:
            if taken[-1]:
                compiled.append(TextSpan(start, span.start))
            start = span.end
            if word in {"if", "ifdef", "ifndef"}:
                holds = taken[-1] and self._holds(word, rest)
                taken.append(holds)
                ended.append(holds)
            elif word in {"elif", "else"} and len(taken) > 1:
                taken[-1] = taken[-2] and not ended[-1] and (word == "else" or self._holds("if", rest))
                ended[-1] = ended[-1] or taken[-1]
            elif word == "endif" and len(taken) > 1:
                taken.pop()
                ended.pop()
            elif taken[-1]:
                self._follow(file, word, rest, depth)
        compiled.append(TextSpan(start, len(file.text)))

    def _directives(self, file: UserFile) -> tuple[list[_Directive], str]:
        """Return the directives of a file, which may be included many times, and the macro that guards it."""
        known = self._known.get(file.name)
        if known is None:
            lines = [(span, *_parts(file.text[span.start : span.end])) for span in file.lexed.directives]
            known = self._known[file.name] = lines, _guard(lines)
        return known

    def _follow(self, file: UserFile, word: str, rest: str, depth: int) -> None:
        if word == "define" and (match := _DEFINITION.match(rest)) is not None:
            names = tuple(_WORD.findall(match["parameters"])) if match["parameters"] is not None else None
            self.macros[match["name"]] = Macro(match["name"], names, match["body"].strip())
        elif word == "undef":
            self.macros.pop(rest.strip(), None)
        elif word == "include" and (match := _INCLUDED.match(rest)) is not None and depth < MOST_DEPTH:
            header = self._files.get(match[1].rpartition("/")[2])
            if header is not None and header.name not in self._once:
                self._read(header, depth + 1)
        elif word == "pragma" and rest.split() == ["once"]:
            self._once.add(file.name)

    def _holds(self, word: str, rest: str) -> bool:
        if word != "if":
            return (rest.strip() in self.macros) == (word == "ifdef")
        return bool(condition(rest, self.macros))


def _parts(directive: bytes) -> tuple[str, str]:
    """Return the word and the rest of a directive, without comments and on one line; both empty for other lines."""
    text = _COMMENT.sub(" ", directive.decode(errors="replace"))
    match = _DIRECTIVE.match(_CONTINUED.sub(" ", text))
    return (match["word"], match["rest"].strip()) if match is not None else ("", "")


def _guard(lines: Sequence[_Directive]) -> str:
    """Return the macro whose `#ifndef` is around all other directives of a file; empty if there is none."""
    if not lines or lines[0][1] != "ifndef" or lines[-1][1] != "endif":
        return ""
    depth = 0
    for _, word, _ in lines[:-1]:
        depth += (word in {"if", "ifdef", "ifndef"}) - (word == "endif")
        if depth == 0 or (depth == 1 and word in {"else", "elif"}):
            return ""
    return lines[0][2] if depth == 1 else ""


def condition(text: str, macros: Mapping[str, Macro]) -> int:
    """Return the value of the condition of an `#if`; 0 if it has no value, as for unknown names."""
    text = _DEFINED.sub(lambda match: str(int((match[1] or match[2]) in macros)), text)
    for _ in range(MOST_DEPTH):
        replaced = _WORD.sub(lambda match: _replaced(match[0], macros), text)
        if len(replaced) > MOST_CHARACTERS:  # a macro that names itself
            return 0
        if replaced == text:
            break
        text = replaced
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    try:
        return _value(ast.parse(_SUFFIX.sub(r"\1", text).strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0


def _replaced(name: str, macros: Mapping[str, Macro]) -> str:
    known = macros.get(name)
    if name in _KEYWORDS:
        return name
    return f"({known.body})" if known is not None and known.parameters is None and known.body else "0"


def _value(node: ast.expr) -> int:  # noqa: PLR0911  (a return per kind of expression)
    match node:
        case ast.Constant(value=int(value)):
            return int(value)
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_value(item) for item in values))
        case ast.BoolOp(values=values):
            return int(any(_value(item) for item in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return int(not _value(operand))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return int(_OPERATORS[type(op)](_value(left), _value(right)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            return int(_OPERATORS[type(op)](_value(left), _value(right)))
    raise ValueError
