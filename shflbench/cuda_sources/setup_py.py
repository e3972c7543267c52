"""Read which folders of headers and which macros a setup.py names; nothing of it is executed.

Strings and paths that are put together from strings count; all conditions do, as in a CMakeLists.txt.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda_sources.build_file import BuildFile, is_macro
from shflbench.cuda_sources.includes import is_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "setup.py"
MAXIMUM_BYTES = 2**20  # of one setup.py
MAXIMUM_LENGTH = 1 << 12  # characters of a path that is put together
MAXIMUM_DEPTH = 20  # calls in the arguments of calls
INCLUDE, DEFINE = "-I", "-D"  # of the compiler's command line
FOLDERS, MACROS = "include_dirs", "define_macros"  # of setuptools
_SAME = {"abspath", "realpath", "normpath", "fspath", "str", "Path", "resolve"}  # functions whose result is the path


def read_setup(path: Path) -> BuildFile:
    """Return the folders and macros of a setup.py; none if it cannot be read."""
    try:
        tree = ast.parse(read_regular(path, MAXIMUM_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return BuildFile((), ())
    reader = _SetupReader(path)
    try:
        reader.visit(tree)
    except RecursionError:
        return BuildFile((), ())
    folders = (path.parent / name for name in dict.fromkeys(reader.include))
    return BuildFile(tuple(filter(is_folder, folders)), tuple(filter(is_macro, dict.fromkeys(reader.define))))


class _SetupReader(ast.NodeVisitor):
    """The folders and macros that a syntax tree names, read in their order."""

    def __init__(self, path: Path) -> None:
        self._variables = {"__file__": str(path)}
        self.include: list[str] = []
        self.define: list[str] = []

    def visit(self, node: ast.AST) -> None:
        """Read a value: of an assignment, of an argument, or a word of the compiler's command line."""
        option = self._text(node) if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) else None
        if option is not None:
            if option.startswith(INCLUDE):
                self.include.append(option.removeprefix(INCLUDE).strip())
            elif option.startswith(DEFINE):
                self.define.append(option.removeprefix(DEFINE).strip())
            return
        self._read(node)
        self.generic_visit(node)

    def _read(self, node: ast.AST) -> None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AugAssign(target=ast.Name(id=name), value=value)
            ):
                if (text := self._text(value)) is not None and isinstance(node, ast.Assign):
                    self._variables[name] = text
                self._add(name, value)
            case ast.keyword(arg=str(name), value=value):
                self._add(name, value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"), args=[value]):
                self._add(name, value)

    def _add(self, name: str, value: ast.expr) -> None:
        if FOLDERS in name:
            self.include += [text for item in _items(value) if (text := self._text(item)) is not None]
        elif MACROS in name:
            self.define += [text for item in _items(value) if (text := self._macro(item)) is not None]

    def _macro(self, node: ast.expr) -> str | None:
        """Return the macro of a pair of its name and its value, which None stands for."""
        match node:
            case ast.Tuple(elts=[name, ast.Constant(value=None)]):
                return self._text(name)
            case ast.Tuple(elts=[name, value]):
                parts = self._text(name), self._text(value)
                return None if None in parts else f"{parts[0]}={parts[1]}"
        return None

    def _text(  # noqa: PLR0911  (a return for each kind of expression)
        self, node: ast.AST, depth: int = 0
    ) -> str | None:
        """Return the string or path that an expression is; None if it depends on more than the text."""
        if depth > MAXIMUM_DEPTH:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._variables.get(name)
            case ast.FormattedValue(value=value):
                return self._text(value, depth + 1)
            case ast.JoinedStr(values=values):
                return self._joined("", values, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined("", [left, right], depth)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self._joined("/", [left, right], depth)
            case ast.Attribute(value=value, attr="parent"):
                inner = self._text(value, depth + 1)
                return None if inner is None else str(Path(inner).parent)
            case ast.Call(func=function, args=values):
                return self._called(function, values, depth)
        return None

    def _called(self, function: ast.expr, values: list[ast.expr], depth: int) -> str | None:
        """Return the result of a function on paths."""
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name == "join":
            return self._joined("/", values, depth)
        if name == "resolve" and isinstance(function, ast.Attribute):
            return self._text(function.value, depth + 1)
        if name not in {*_SAME, "dirname"} or len(values) != 1:
            return None
        text = self._text(values[0], depth + 1)
        return str(Path(text).parent) if text is not None and name == "dirname" else text

    def _joined(self, between: str, nodes: list[ast.expr], depth: int) -> str | None:
        texts = [text for node in nodes if (text := self._text(node, depth + 1)) is not None]
        joined = between.join(texts)
        return joined if len(texts) == len(nodes) and len(joined) <= MAXIMUM_LENGTH else None


def _items(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the items of a list, also of lists that are added, and a value that is no list itself."""
    match value:
        case ast.List(elts=items) | ast.Tuple(elts=[ast.Tuple(), *_] as items):
            yield from items
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _items(left)
            yield from _items(right)
        case _:
            yield value
