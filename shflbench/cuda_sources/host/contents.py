"""The functions, classes, variables and enumerators that one file defines, by the last part of their names."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import template_parameters
from shflbench.cuda_sources.host_code import DEVICE_WORDS, prefix
from shflbench.cuda_sources.name_places import calls
from shflbench.cuda_sources.naming import last_part, split_arguments
from shflbench.cuda_sources.scopes import GLOBAL, declared_name
from shflbench.cuda_sources.syntax_trees import function_declarator, nodes_of, text_of, walk
from shflbench.cuda_sources.type_names import member_aliases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import TemplateParameter
    from shflbench.cuda_sources.macros import Macros

_CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_DEFINING = _CLASSES | {"function_definition", "enumerator", "declaration", "template_instantiation"}
_CALLS = frozenset({"call_expression"})
_NO_ARITHMETIC = frozenset({"=", "==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_COMPUTING = frozenset({"binary_expression", "subscript_argument_list", "kernel_call_syntax", "assignment_expression"})
_WORD = re.compile(r"[A-Za-z_]\w*")


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
    scope: tuple[str, ...] = ()  # its namespaces, and the classes that its name writes
    specialization: tuple[str, ...] | None = None  # the arguments that it is for, as far as its name has them
    of_class: tuple[str, ...] = ()  # what its definition outside of a class template calls the arguments of that


@dataclass(frozen=True, slots=True)
class HostClass:
    """One class or structure with its members."""

    name: str  # of a specialization with its arguments
    bases: tuple[str, ...]
    body: Node
    template: tuple[TemplateParameter, ...]
    conversions: tuple[HostFunction, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()  # names of types in the class, and the types
    constants: tuple[tuple[str, Node], ...] = ()  # names of `static` members, and their values


class FileContents:
    """What the text of one file defines for the host; several definitions of a name are in their order."""

    def __init__(self, root: Node, macros: Macros) -> None:
        """Index the tree of the file."""
        self._macros = macros
        self.functions: dict[str, list[HostFunction]] = defaultdict(list)
        self.classes: dict[str, list[HostClass]] = defaultdict(list)
        self.specializations: dict[str, list[HostClass]] = defaultdict(list)  # of class templates, by their names
        self.variables: dict[str, list[tuple[Node, Node]]] = defaultdict(list)  # name → declaration, declarator
        self.enumerators: dict[str, list[Node]] = defaultdict(list)
        self.kernels: dict[str, list[Node]] = defaultdict(list)
        self.instantiations: dict[str, list[Node]] = defaultdict(list)  # of functions and of classes
        self._device_code: list[Node] = []
        for node in nodes_of(root, _DEFINING):
            self._index(node)

    def _index(self, node: Node) -> None:
        if node.type == "function_definition":
            self._add_function(node)
        elif node.type in _CLASSES:
            self._add_class(node)
        elif node.type == "enumerator":
            self.enumerators[text_of(node.child_by_field_name("name"))].append(node)
        elif node.type == "template_instantiation":
            self.instantiations[_instantiated(node)].append(node)
        elif node.type == "declaration" and _is_global(node):
            for declarator in node.children_by_field_name("declarator"):
                name = declared_name(declarator)
                if name:
                    self.variables[name].append((node, declarator))

    def _add_function(self, node: Node) -> None:
        declarator, body = function_declarator(node), node.child_by_field_name("body")
        if declarator is None:
            return
        whole = _without_arguments(text_of(declarator.child_by_field_name("declarator")))
        name, bracket, listed_arguments = whole.partition("<") if not whole.startswith("operator") else (whole, "", "")
        parts = [part.strip() for part in name.split("::")]
        words = self._macros.words(prefix(node))
        if words & DEVICE_WORDS:
            self._device_code.append(node)
        if "__global__" in words:
            self.kernels[parts[-1]].append(node)
            return
        if body is None or (words & DEVICE_WORDS and "__host__" not in words):
            return
        owner = class_of(node) or (parts[-2] if len(parts) > 1 else "")
        outer = node.parent
        templates = list(_templates_around(node))
        is_outside = "<" in text_of(_scope_node(declarator.child_by_field_name("declarator")))
        of_class = tuple(item.name for item in templates.pop()) if is_outside and templates else ()
        template = templates[0] if templates else ()
        listed = declarator.child_by_field_name("parameters")
        parameters = tuple(
            item
            for item in (listed.named_children if listed is not None else ())
            if item.type in {"parameter_declaration", "optional_parameter_declaration"} and text_of(item) != "void"
        )
        scope = (*namespaces_of(node), *parts[:-1])
        is_special = outer is not None and outer.type == "template_declaration" and not template and not of_class
        arguments = split_arguments(listed_arguments.removesuffix(">")) if bracket else []
        special = tuple(text.strip() for text in arguments) if is_special else None
        pack = _pack_of(listed)
        function = HostFunction(parts[-1], owner, node, body, parameters, template, pack, scope, special, of_class)
        self.functions[parts[-1]].append(function)

    def _conversion(self, node: Node, owner: str) -> HostFunction | None:
        """Return a member such as `operator float *()`, whose name is its type; None for another one."""
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        words = self._macros.words(prefix(node))
        if declarator is None or declarator.type != "operator_cast" or body is None:
            return None
        if words & DEVICE_WORDS and "__host__" not in words:
            return None
        stars = "*" * text_of(declarator.child_by_field_name("declarator")).partition("(")[0].count("*")
        return HostFunction(f"{text_of(declarator.child_by_field_name('type'))} {stars}", owner, node, body, (), ())

    def _add_class(self, node: Node) -> None:
        body, name = node.child_by_field_name("body"), text_of(node.child_by_field_name("name"))
        if body is None:
            return
        outer = node.parent
        if not name and outer is not None and outer.type == "type_definition":
            name = text_of(outer.child_by_field_name("declarator"))
        clause = next((item for item in node.children if item.type == "base_class_clause"), None)
        bases = tuple(
            last_part("".join(text_of(item).split()))
            for item in (clause.named_children if clause is not None else ())
            if item.type in {"type_identifier", "qualified_identifier", "template_type"}
        )
        template = template_parameters(outer) if outer is not None and outer.type == "template_declaration" else ()
        known = self.specializations if "<" in name else self.classes
        if name:
            inside = (item for item in body.named_children if item.type == "function_definition")
            members = (self._conversion(item, name) for item in inside)
            conversions = tuple(item for item in members if item is not None)
            made = HostClass(
                name, bases, body, template, conversions, tuple(member_aliases(body)), tuple(_constants(body))
            )
            known[name.partition("<")[0].strip()].append(made)

    def callers(self, name: str) -> Iterator[str]:
        """Yield the names of the functions whose bodies may call a function, also in comments."""
        words = _WORD.findall(name)
        for caller in self._users.get(words[-1], ()) if words else self.functions:
            if any(calls(function.body.text or b"", name) for function in self.functions[caller]):
                yield caller

    @cached_property
    def _users(self) -> Mapping[str, dict[str, None]]:
        """The names of the functions that have a word in their bodies, by the word."""
        users: dict[str, dict[str, None]] = defaultdict(dict)
        for name, known in self.functions.items():
            for function in known:
                for word in set(_WORD.findall(text_of(function.body))):
                    users[word][name] = None
        return users

    @cached_property
    def device_words(self) -> frozenset[str]:
        """The words of device code."""
        return frozenset(word for node in self._device_code for word in _WORD.findall(text_of(node)))

    @cached_property
    def operands(self) -> frozenset[str]:
        """The names that are operands of arithmetic, indices, or parts of launches."""
        return frozenset(
            text_of(child)
            for item in self._nodes(_COMPUTING)
            if text_of(item.child_by_field_name("operator")) not in _NO_ARITHMETIC
            for child in item.named_children
            if child.type == "identifier"
        )

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of the functions that functions of the file call."""
        return frozenset(called_name(item.child_by_field_name("function")) for item in self._nodes(_CALLS))

    def _nodes(self, types: frozenset[str]) -> Iterator[Node]:
        """Yield the nodes of these types in the bodies of functions."""
        for functions in self.functions.values():
            for function in functions:
                yield from nodes_of(function.body, types)


def _templates_around(node: Node) -> Iterator[tuple[TemplateParameter, ...]]:
    """Yield the parameters of the templates that directly surround a function, from the inside."""
    outer = node.parent
    while outer is not None and outer.type == "template_declaration":
        yield template_parameters(outer)
        outer = outer.parent


def _scope_node(name: Node | None) -> Node | None:
    """Return the innermost scope that the name of a function writes: `Map<K>` of `ns::Map<K>::init`."""
    scope = None
    while name is not None and name.type == "qualified_identifier":
        scope, name = name.child_by_field_name("scope"), name.child_by_field_name("name")
    return scope


def _constants(body: Node) -> Iterator[tuple[str, Node]]:
    """Yield the names and the values of the `static` members of a class that are constants."""
    for item in items(body):
        words = {text_of(child) for child in item.children if child.type.endswith(("specifier", "qualifier"))}
        if item.type != "field_declaration" or "static" not in words or not words & {"const", "constexpr"}:
            continue
        name = ""
        for index, child in enumerate(item.children):
            field = item.field_name_for_child(index)
            if field == "declarator":
                name = declared_name(child)
            elif field == "default_value":
                yield name, child


def _instantiated(node: Node) -> str:
    """Return the last part of the name of what an explicit instantiation instantiates."""
    declarator, class_ = function_declarator(node), node.child_by_field_name("type")
    outer, field = (declarator, "declarator") if declarator is not None else (class_, "name")
    return called_name(outer.child_by_field_name(field)) if outer is not None else ""


def namespaces_of(node: Node) -> tuple[str, ...]:
    """Return the names of the namespaces around a node, and of the classes that the name of its function has."""
    names: list[str] = []
    outer = node.parent
    while outer is not None:
        if outer.type == "namespace_definition":
            names[:0] = text_of(outer.child_by_field_name("name")).split("::")
        elif outer.type == "function_definition" and (declarator := function_declarator(outer)) is not None:
            names[:0] = _without_arguments(text_of(declarator.child_by_field_name("declarator"))).split("::")[:-1]
        outer = outer.parent
    return tuple(name for name in names if name)


def launches(function: HostFunction) -> bool:
    """Whether a function launches a kernel itself."""
    return any(item.type == "kernel_call_syntax" or _is_launch_call(item) for item in walk(function.body))


def _pack_of(parameters: Node | None) -> str:
    """Return the name of the pack of a parameter list; empty if there is none."""
    last = next(reversed(items(parameters)), None)
    if last is None or last.type != "variadic_parameter_declaration":
        return ""
    declarator = last.child_by_field_name("declarator")
    inside = walk(declarator) if declarator is not None else ()
    return next((text_of(item) for item in inside if item.type == "identifier"), "")


def type_of_result(function: Node) -> str:
    """Return the type that a function returns, as it is written before the name or behind the parameters."""
    text = text_of(function.child_by_field_name("type"))
    declarator = function_declarator(function) if text == "auto" else None
    behind = declarator.children if declarator is not None else ()
    trailing = next((item for item in behind if item.type == "trailing_return_type"), None)
    return text_of(items(trailing)[-1]) if trailing is not None else text


def scope_of(function: Node) -> str:
    """Return what the name of a called function writes before its last part: `Pool<float>` of `Pool<float>::make`."""
    parts: list[str] = []
    while function.type == "qualified_identifier":
        parts.append(text_of(function.child_by_field_name("scope")))
        name = function.child_by_field_name("name")
        if name is None:
            break
        function = name
    return "::".join(parts)


def called_name(function: Node | None) -> str:
    """Return the last part of the name of a called function, without template arguments."""
    if function is None:
        return ""
    if function.type == "field_expression":
        return called_name(without_keyword(function.child_by_field_name("field")))
    text = _without_arguments(text_of(function))
    return text.partition("<")[0].rpartition("::")[2].strip()


def without_keyword(name: Node | None) -> Node | None:
    """Return the name in `object.template name<…>()`, or a name as it is."""
    return name.named_children[0] if name is not None and name.type == "dependent_name" else name


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


def class_of(node: Node) -> str:
    """Return the name of the innermost class whose text a node stands in."""
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
