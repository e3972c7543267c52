"""The functions, classes, variables and enumerators of the host code, by the last part of their names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.checker.sources.definitions import template_parameters
from shflbench.checker.sources.host.launch_structures import DECLARATIONS
from shflbench.checker.sources.host_code import DEVICE_WORDS, prefix
from shflbench.checker.sources.scopes import GLOBAL, declared_name
from shflbench.checker.sources.syntax_trees import function_declarator, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tree_sitter import Node

    from shflbench.checker.sources.definitions import TemplateParameter
    from shflbench.checker.sources.host_code import UserFile
    from shflbench.checker.sources.macros import Macro, Macros

_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_DEVICE_CALL = re.compile(r"^(?:::)?(?:cuda[A-Z]|cub::|thrust::|hip[A-Z]|cublas|cufft|curand)")
_CONSTANT = re.compile(r"[0-9\s()*+<uUlL-]*[0-9][0-9\s()*+<uUlL-]*")  # the body of a macro such as `(1 << 20)`
_NO_ARITHMETIC = frozenset({"=", "==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_MOST_DEPTH = 40  # of calls, in the search for launches


@dataclass(frozen=True, slots=True)
class HostFunction:
    """One function of the host code with a body."""

    name: str  # the last part
    owner: str  # of a member function: its class, else ""
    node: Node
    body: Node
    parameters: tuple[Node, ...]
    template: tuple[TemplateParameter, ...]
    pack: str = ""  # the name of its last parameter, which stands for all further arguments


@dataclass(frozen=True, slots=True)
class HostClass:
    """One class or structure with its members."""

    name: str
    bases: tuple[str, ...]
    body: Node
    template: tuple[TemplateParameter, ...]


class HostProgram:
    """The host code of one translation unit."""

    def __init__(
        self,
        files: Sequence[UserFile],
        macros: Macros,
        active: Mapping[str, Macro],
        numbers: Mapping[str, int | float] | None = None,
    ) -> None:
        """Index the files; of the `macros`, those that are `active` are defined when the host code is compiled.

        Constant macros stand for the `numbers` of their names, unless device code uses them.
        """
        self.macros, self.active = macros, dict(active)
        self.functions: dict[str, list[HostFunction]] = {}
        self.classes: dict[str, HostClass] = {}
        self.variables: dict[str, tuple[Node, Node]] = {}  # name → declaration, declarator
        self.enumerators: dict[str, Node] = {}
        self.kernels: set[str] = set()
        self._device_code: list[Node] = []
        self._effects: dict[int, bool] = {}
        self._library = parse(DECLARATIONS)
        self._paths = {file.tree.root_node.id: file.path for file in files}
        for file in files:
            for node in walk(file.tree.root_node):
                self._index(node)
        for node in walk(self._library.root_node):
            if node.type in _CLASSES:
                self._add_class(node)
        for name in self.variables.keys() & (self.functions.keys() | self.kernels):
            del self.variables[name]  # which is the declaration of the function
        for name, value in (numbers or {}).items():
            macro = self.macro(name)
            if macro is not None and self.is_number(name):
                self.active[name] = replace(macro, body=str(value))

    @cached_property
    def device_words(self) -> frozenset[str]:
        """The words of device code, and those that its macros may expand to."""
        return self.macros.words(" ".join(map(text_of, self._device_code)))

    def _index(self, node: Node) -> None:
        if node.type == "function_definition":
            self._add_function(node)
        elif node.type in _CLASSES:
            self._add_class(node)
        elif node.type == "enumerator":
            self.enumerators.setdefault(text_of(node.child_by_field_name("name")), node)
        elif node.type == "declaration" and _is_global(node):
            for declarator in node.children_by_field_name("declarator"):
                name = declared_name(declarator)
                if name:
                    self.variables.setdefault(name, (node, declarator))

    def _add_function(self, node: Node) -> None:
        declarator, body = function_declarator(node), node.child_by_field_name("body")
        if declarator is None:
            return
        name, _, _ = _without_arguments(text_of(declarator.child_by_field_name("declarator"))).rpartition("<")
        name = name or _without_arguments(text_of(declarator.child_by_field_name("declarator")))
        parts = [part.strip() for part in name.split("::")]
        words = self.macros.words(prefix(node))
        if words & DEVICE_WORDS:
            self._device_code.append(node)
        if "__global__" in words:
            self.kernels.add(parts[-1])
            return
        if body is None or (words & DEVICE_WORDS and "__host__" not in words):
            return
        owner = _class_of(node) or (parts[-2] if len(parts) > 1 else "")
        outer = node.parent
        template = template_parameters(outer) if outer is not None and outer.type == "template_declaration" else ()
        listed = declarator.child_by_field_name("parameters")
        parameters = tuple(
            item
            for item in (listed.named_children if listed is not None else ())
            if item.type in {"parameter_declaration", "optional_parameter_declaration"} and text_of(item) != "void"
        )
        function = HostFunction(parts[-1], owner, node, body, parameters, template, _pack_of(listed))
        self.functions.setdefault(parts[-1], []).append(function)

    def _add_class(self, node: Node) -> None:
        body, name = node.child_by_field_name("body"), text_of(node.child_by_field_name("name"))
        if body is None:
            return
        outer = node.parent
        if not name and outer is not None and outer.type == "type_definition":
            name = text_of(outer.child_by_field_name("declarator"))
        clause = next((item for item in node.children if item.type == "base_class_clause"), None)
        bases = tuple(
            text_of(item).rpartition("::")[2]
            for item in (clause.named_children if clause is not None else ())
            if item.type in {"type_identifier", "qualified_identifier", "template_type"}
        )
        template = template_parameters(outer) if outer is not None and outer.type == "template_declaration" else ()
        if name:
            self.classes.setdefault(name, HostClass(name, bases, body, template))

    def macro(self, name: str) -> Macro | None:
        """Return the macro of a name: the one that is defined in the end, or the only one of the files."""
        if name in self.active:
            return self.active[name]
        known = self.macros.definitions(name)
        return known[0] if len(known) == 1 else None

    def is_number(self, name: str) -> bool:
        """Whether a name is a macro that stands for a constant, and that device code does not use."""
        macro = self.macro(name)
        return macro is not None and bool(_CONSTANT.fullmatch(macro.body)) and name not in self.device_words

    def path(self, node: Node) -> Path | None:
        """Return the file of a node; None for one of a text that a macro stands for."""
        while node.parent is not None:
            node = node.parent
        return self._paths.get(node.id)

    def member(self, class_name: str, name: str) -> list[HostFunction]:
        """Return the member functions of a class, or of its bases, with a name."""
        plain = class_name.partition("<")[0]
        members = [item for item in self.functions.get(name, ()) if item.owner == plain]
        known = self.classes.get(plain)
        if members or known is None:
            return members
        return [item for base in known.bases if base != class_name for item in self.member(base, name)]

    def has_effects(self, node: Node, depth: int = 0) -> bool:
        """Whether code launches kernels or calls the library of CUDA, directly or through functions of the files."""
        known = self._effects.get(node.id)
        if known is None:
            self._effects[node.id] = False  # while it is looked for, in recursive functions
            known = self._effects[node.id] = depth < _MOST_DEPTH and any(
                self._is_effect(item, depth) for item in walk(node)
            )
        return known

    def _is_effect(self, item: Node, depth: int) -> bool:
        if item.type == "kernel_call_syntax":
            return True
        if item.type == "call_expression":
            function = item.child_by_field_name("function")
            text = text_of(function)
            if _DEVICE_CALL.match(text):
                return True
            name = called_name(function)
            macro = self.macro(name)
            if macro is not None and any(word in macro.body for word in ("<<<", "cudaMalloc", "cudaLaunch")):
                return True
            return any(self.has_effects(callee.body, depth + 1) for callee in self.functions.get(name, ()))
        if item.type in {"declaration", "new_expression"}:
            name = text_of(item.child_by_field_name("type")).partition("<")[0].rpartition("::")[2]
            return name in self.classes and any(
                self.has_effects(callee.body, depth + 1) for callee in self.member(name, name)
            )
        return False

    def selects(self, name: str) -> bool:
        """Whether a variable only chooses what runs, and no size or index is computed from it."""
        return name not in self._operands

    @cached_property
    def _operands(self) -> frozenset[str]:
        """The names that are operands of arithmetic, indices, or parts of launches."""
        wanted = {"binary_expression", "subscript_argument_list", "kernel_call_syntax", "assignment_expression"}
        return frozenset(
            text_of(child)
            for functions in self.functions.values()
            for function in functions
            for item in walk(function.body)
            if item.type in wanted and text_of(item.child_by_field_name("operator")) not in _NO_ARITHMETIC
            for child in item.named_children
            if child.type == "identifier"
        )

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of the functions that functions of the files call."""
        return frozenset(
            called_name(item.child_by_field_name("function"))
            for functions in self.functions.values()
            for function in functions
            for item in walk(function.body)
            if item.type == "call_expression"
        )

    @cached_property
    def launching(self) -> list[HostFunction]:
        """The functions that launch kernels themselves, in order."""
        return [
            function
            for functions in self.functions.values()
            for function in functions
            if any(item.type == "kernel_call_syntax" or _is_launch_call(item) for item in walk(function.body))
        ]


def _pack_of(parameters: Node | None) -> str:
    """Return the name of the pack of a parameter list; empty if there is none."""
    last = next(reversed(items(parameters)), None)
    if last is None or last.type != "variadic_parameter_declaration":
        return ""
    declarator = last.child_by_field_name("declarator")
    inside = walk(declarator) if declarator is not None else ()
    return next((text_of(item) for item in inside if item.type == "identifier"), "")


def called_name(function: Node | None) -> str:
    """Return the last part of the name of a called function, without template arguments."""
    if function is None:
        return ""
    if function.type == "field_expression":
        return called_name(function.child_by_field_name("field"))
    text = _without_arguments(text_of(function))
    return text.partition("<")[0].rpartition("::")[2].strip()


def items(node: Node | None) -> list[Node]:
    """Return the named children of a node but comments."""
    return [item for item in node.named_children if item.type != "comment"] if node is not None else []


def _is_launch_call(item: Node) -> bool:
    return item.type == "call_expression" and text_of(item.child_by_field_name("function")).startswith("cudaLaunch")


def _without_arguments(name: str) -> str:
    """Return `Map::init` of `Map<K, V>::init`."""
    previous = ""
    while previous != name:
        previous, name = name, re.sub(r"<[^<>]*>(?=\s*::)", "", name)
    return name.strip()


def _class_of(node: Node) -> str:
    outer = node.parent
    while outer is not None and outer.type != "translation_unit":
        if outer.type in _CLASSES:
            return text_of(outer.child_by_field_name("name"))
        outer = outer.parent
    return ""


def _is_global(node: Node) -> bool:
    outer = node.parent
    while outer is not None and outer.type in {"preproc_if", "preproc_ifdef", "preproc_else", "linkage_specification"}:
        outer = outer.parent
    return outer is not None and outer.type in GLOBAL
