"""Report stores of the source that the optimized PTX no longer has: a race on them is gone from the program.

A line of the source is reported if an unoptimized compilation has a store for it, and the optimized PTX has none. The
compiler may have merged the store with one of another line instead; the report says so. Not compared: stores through
pointers that may lead to local variables, stores through parameters of device functions, and lines next to a vector
store, which takes the place of several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import DEVICE_WORDS, prefix
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import line_of, text_of, walk
from shflbench.emulator.ptx.line_table import files_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.source import CudaSource

REMOVED = "removed-store"
_NEAR = 4  # lines around a vector store whose stores it may contain
# Lines of PTX, each with the line end before it, by which the search passes over what begins otherwise.
_FUNCTION = re.compile(r"\n[ \t]*(?:\.\w+[ \t]+)*\.(entry|func)\b")
_LOC_OR_STORE = re.compile(
    r"\n[ \t]*(?:\.loc[ \t]+(?P<file>\d+)[ \t]+(?P<line>\d+)"
    r"|(?:@!?%\w+[ \t]+)?(?P<name>st|atom|red|stmatrix|cp)\.(?!(?:local|param)\b)(?P<words>\S+)[ \t]+"
    r"(?:[^\[;\n]*,[ \t]*)?\[[ \t]*(?P<address>%?[\w$]+))"
)
_MOVED = re.compile(r"\n[ \t]*(?:@!?%\w+[ \t]+)?[a-z][\w.:]*[ \t]+(%[\w$]+),[ \t]*(.+);")
_REGISTER = re.compile(r"%[\w$]+")
_LOCAL = frozenset({"%SP", "%SPL"})
_VECTOR = re.compile(r"\.v[248]\b|\.b128\b")


@dataclass(frozen=True, slots=True)
class StoreLine:
    """A line of the source for which the PTX has a store."""

    file: str
    line: int
    vector: bool


def store_lines(ptx: str, *, certain: bool) -> set[StoreLine]:
    """Return the lines with stores to global, shared or generic addresses.

    With `certain`, without stores whose address may be that of a local variable.
    """
    files = files_of(ptx)
    result = set()
    for text, is_kernel in _functions(ptx):
        local = _LocalRegisters(text, is_kernel=is_kernel)
        place = ("", 0)
        for match in _LOC_OR_STORE.finditer(text):
            if match["file"] is not None:
                place = (files.get(int(match["file"]), ""), int(match["line"]))
            elif not certain or (match["name"] == "st" and match["address"] not in local):
                result.add(StoreLine(*place, _VECTOR.search(f".{match['words']}") is not None))
    return result


def _functions(ptx: str) -> Iterator[tuple[str, bool]]:
    """Yield the text of each function, with the line end before it, and whether it is a kernel."""
    text = f"\n{ptx}"
    starts = list(_FUNCTION.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        yield text[match.start() : end], match[1] == "entry"


class _LocalRegisters:
    """The registers of a function that may hold the address of a local variable; its text is read when one is asked."""

    def __init__(self, text: str, *, is_kernel: bool) -> None:
        self._text, self._is_kernel = text, is_kernel
        self._known: dict[str, bool] = {}

    @cached_property
    def _moved(self) -> dict[str, list[str]]:
        """The operands from which each register is computed."""
        result: dict[str, list[str]] = {}
        for match in _MOVED.finditer(self._text):
            result.setdefault(match[1], []).append(match[2])
        return result

    def __contains__(self, register: str) -> bool:
        """Whether a register is computed from such an address, or in a device function from a parameter."""
        if register not in self._known:
            self._known[register] = self._leads_to_local(register)
        return self._known[register]

    def _leads_to_local(self, register: str) -> bool:
        reached, waiting = {register}, [register]
        while waiting:
            item = waiting.pop()
            if item in _LOCAL or self._known.get(item):
                return True
            for operands in self._moved.get(item, ()):
                if not self._is_kernel and "_param_" in operands:
                    return True
                new = set(_REGISTER.findall(operands)) - reached
                reached |= new
                waiting += new
        return False


class Suspects:
    """The assignments to memory for which the PTX has no store; a file is parsed when it is asked for them."""

    def __init__(self, source: CudaSource, ptx: str, files: Mapping[str, Path]) -> None:
        """Keep the source, and the lines with stores; `files` are those of the line table of `ptx`."""
        known = [item for item in store_lines(ptx, certain=False) if item.file in files]
        self._source = source
        self._stored = {(files[item.file].resolve(), item.line) for item in known}
        self.vectors = {(files[item.file].resolve(), item.line) for item in known if item.vector}

    def __bool__(self) -> bool:
        """Whether there is any; files that are parsed, and small ones, are searched first."""
        ordered = sorted(self._source.unit.files, key=lambda file: (not file.is_parsed, len(file.text)))
        return any(self._in(file) for file in ordered)

    def of(self, path: Path) -> Iterator[tuple[int, int]]:
        """Yield the first and the last line of those in a file."""
        for file in self._source.unit.files:
            if file.path.resolve() == path:
                yield from self._in(file)

    def _in(self, file: UserFile) -> list[tuple[int, int]]:
        path = file.path.resolve()
        kept: list[Node] = []
        missing: list[Node] = []
        for node in _assignments(self._source, file.tree.root_node):
            lines = range(line_of(node), node.end_point[0] + 2)
            (kept if any((path, line) in self._stored for line in lines) else missing).append(node)
        return [
            (line_of(node), node.end_point[0] + 1)
            for node in missing
            if not any(_target(node) == _target(other) and _in_other_branch(node, other) for other in kept)
        ]


def _target(node: Node) -> str:
    """Return what an assignment changes, as it is written."""
    return text_of(node.child_by_field_name("left") or node.child_by_field_name("argument"))


def _in_other_branch(node: Node, other: Node) -> bool:
    """Whether two assignments are in the two branches of one `if`, whose equal ends the compiler joins."""
    inside, outer = node, node.parent
    while outer is not None and outer.type != "function_definition":
        if outer.type == "if_statement":
            for one, two in (("consequence", "alternative"), ("alternative", "consequence")):
                branch = outer.child_by_field_name(two)
                if inside == outer.child_by_field_name(one) and branch is not None:
                    return branch.start_byte <= other.start_byte < branch.end_byte
        inside, outer = outer, outer.parent
    return False


def _assignments(source: CudaSource, root: Node) -> Iterator[Node]:
    for function in walk(root, lambda item: item.type != "compound_statement"):
        if function.type != "function_definition" or not source.macros.words(prefix(function)) & DEVICE_WORDS:
            continue
        shared = _shared_names(function)
        arrays, values = _local_names(function)
        for node in walk(function):
            if node.type in {"assignment_expression", "update_expression"}:
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                if target is not None and not _is_local(target, arrays, values, shared):
                    yield node


def _is_local(target: Node, arrays: set[str], values: set[str], shared: set[str]) -> bool:
    """Whether an assignment changes a local variable: `x`, `x.y` of a value, `x[i]` of an array."""
    if target.type == "identifier":
        return text_of(target) not in shared
    item: Node | None = target
    while item is not None and item.type in {"field_expression", "subscript_expression"}:
        indexed = item.type == "subscript_expression"
        if not indexed and text_of(item.child_by_field_name("operator")) != ".":
            return False
        item = item.child_by_field_name("argument")
        if item is not None and item.type == "identifier":
            return text_of(item) in (arrays if indexed else values) - shared
    return False


def _local_names(function: Node) -> tuple[set[str], set[str]]:
    """Return the names of local arrays, and of other local variables that are neither pointers nor references."""
    arrays: set[str] = set()
    values: set[str] = set()
    for node in walk(function):
        if node.type in {"declaration", "parameter_declaration"}:
            for declarator in node.children_by_field_name("declarator"):
                item: Node | None = declarator
                if item is not None and item.type == "init_declarator":
                    item = item.child_by_field_name("declarator")
                names = arrays if item is not None and item.type == "array_declarator" else values
                while item is not None and item.type == "array_declarator":
                    item = item.child_by_field_name("declarator")
                if item is not None and item.type == "identifier":
                    names.add(text_of(item))
    return arrays, values


def _shared_names(function: Node) -> set[str]:
    declared = (node for node in walk(function) if node.type == "declaration" and b"__shared__" in (node.text or b""))
    return {text_of(item) for node in declared for item in walk(node) if item.type == "identifier"}


def find_removed(
    suspects: Suspects, debug: str, files: Mapping[str, Path], shown: Mapping[Path, Path]
) -> list[SourceNote]:
    """Return a note for each suspect for which the unoptimized PTX `debug` has a store."""
    before = {
        (files[item.file].resolve(), item.line) for item in store_lines(debug, certain=True) if item.file in files
    }
    notes = {}
    places = [(path, *lines) for path in dict.fromkeys(path for path, _ in before) for lines in suspects.of(path)]
    for path, first, last in places:
        near = any(file == path and abs(line - first) <= _NEAR for file, line in suspects.vectors)
        if near or not any((path, line) in before for line in range(first, last + 1)):
            continue
        line = SourceLine(shown.get(path, path), first)
        text = f"the compiler removed or merged the store of line {first}: a race on it cannot be found"
        notes[path, first] = SourceNote(REMOVED, text, line)
    return [notes[key] for key in sorted(notes)]
