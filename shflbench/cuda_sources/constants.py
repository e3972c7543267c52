"""Evaluate expressions of host code that are constant; everything else is None, never a guess."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.arithmetic import COMPARISONS, Value, convert, number, operate
from shflbench.cuda_sources.scopes import GLOBAL, Names, declared_name, scope_of
from shflbench.cuda_sources.syntax_trees import function_declarator, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.kernel_file import Dims
    from shflbench.cuda_sources.layouts import Types
    from shflbench.cuda_sources.macros import Macro, Macros

MAXIMUM_DEPTH = 60  # nested expressions and names; host code has a few
_LIMIT = 2**63
_CONDITIONAL = frozenset(
    {"if_statement", "for_statement", "while_statement", "do_statement", "switch_statement", "case_statement",
     "try_statement", "conditional_expression", "lambda_expression", "preproc_if", "preproc_ifdef", "preproc_else",
     "preproc_elif", "for_range_loop", "catch_clause"}
)  # fmt: skip


class Evaluator:
    """Evaluates expressions of the files of one translation unit."""

    def __init__(self, files: Sequence[UserFile], macros: Macros) -> None:
        """Index the names of the files."""
        self._macros = macros
        self.names = Names(files, macros)
        self.types: Types | None = None  # set by the owner: structures need constants, and sizeof needs structures

    def text(self, text: str, bound: Mapping[str, Value] | None = None) -> int | None:
        """Return the integer that a text without context stands for; `bound` gives values of names in it."""
        value = self._parsed(text, 0, bound)
        return value if isinstance(value, int) else None

    def at(self, text: str, use: Node) -> Value:
        """Return the value of a text where `use` stands."""
        return self._parsed(text, 0, use=use)

    def value(self, node: Node | None, depth: int = 0, bound: Mapping[str, Value] | None = None) -> Value:
        """Return the value of an expression; `bound` gives values of parameters."""
        if node is None or depth > MAXIMUM_DEPTH:
            return None
        handler = _HANDLERS.get(node.type)
        value = handler(self, node, depth + 1, bound or {}) if handler is not None else None
        if isinstance(value, int) and not -_LIMIT <= value < 2 * _LIMIT:
            return None
        return value

    def dims(self, node: Node | None) -> Dims | None:
        """Return the value of an expression as grid or block."""
        value = self.value(node)
        if isinstance(value, int):
            value = (value, 1, 1)
        return value if isinstance(value, tuple) and all(size >= 0 for size in value) else None

    def _parsed(
        self, text: str, depth: int, bound: Mapping[str, Value] | None = None, use: Node | None = None
    ) -> Value:
        if len(text) > 2000:  # noqa: PLR2004  (no constant is that long)
            return None
        tree = parse(f"auto v = ({text});".encode())
        nodes = [node for node in walk(tree.root_node) if node.type == "init_declarator"]
        if tree.root_node.has_error or len(nodes) != 1:
            return None
        names = dict(bound or {})
        if use is not None:
            for node in walk(nodes[0]):
                name = text_of(node)
                if node.type == "identifier" and name != "v" and (known := self._named(name, use, depth)) is not None:
                    names[name] = known
        return self.value(nodes[0].child_by_field_name("value"), depth, names)

    def _identifier(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        name = text_of(node)
        return bound[name] if name in bound else self._named(name, node, depth)

    def _named(self, name: str, node: Node, depth: int) -> Value:
        if self._macros.definitions(name):
            body = self._macros.constant(name)
            return self._parsed(body, depth) if body else None
        declarator = self.names.declaration(node, name)
        return self._variable(declarator, name, node, depth) if declarator is not None else None

    def _qualified(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:  # noqa: ARG002
        scope, _, name = text_of(node).rpartition("::")
        known = self.names.declared(name, node)
        if known:
            return self._variable(known[0], name, node, depth) if len(known) == 1 else None
        constant = self.names.constant(scope.partition("<")[0].rpartition("::")[2].strip(), name)
        return self.value(constant, depth) if constant is not None else None

    def _variable(  # noqa: PLR0911  (a return for each form of declaration)
        self, declarator: Node, name: str, use: Node, depth: int
    ) -> Value:
        declaration = declarator.parent
        if declaration is None or declaration.type != "declaration":
            return None  # a parameter
        type_ = text_of(declaration.child_by_field_name("type"))
        words = set(re.findall(r"\w+", text_of(declaration).partition("=")[0]))
        if declarator.type == "init_declarator":
            inside = declarator.child_by_field_name("declarator")
            if inside is None or inside.type != "identifier":
                return None
            if not words & {"const", "constexpr"} and self.names.changes(declarator, name):
                return None
            return self._converted(declarator.child_by_field_name("value"), type_, depth)
        if declarator.type == "identifier":
            return self._assigned_once(declarator, name, use, type_, depth)
        if declarator.type == "function_declarator" and type_ == "dim3":  # `dim3 grid(N)` may parse as a function
            return self._dim3(declarator.child_by_field_name("parameters"), depth, {})
        return None

    def _assigned_once(self, declarator: Node, name: str, use: Node, type_: str, depth: int) -> Value:
        scope = scope_of(declarator)
        if scope is None or scope.type in GLOBAL:
            return None
        changes = self.names.changes(declarator, name)
        if not changes:
            return (1, 1, 1) if type_ == "dim3" else None
        first = changes[0]
        if len(changes) > 1 or first.type != "assignment_expression" or first.start_byte > use.start_byte:
            return None
        if text_of(first.child_by_field_name("operator")) != "=" or text_of(first.child_by_field_name("left")) != name:
            return None
        outer = first.parent
        while outer is not None and outer != scope:
            if outer.type in _CONDITIONAL:
                return None
            outer = outer.parent
        return self._converted(first.child_by_field_name("right"), type_, depth)

    def _converted(self, node: Node | None, type_: str, depth: int) -> Value:
        """Return the value of an initializer after conversion to the type of the variable."""
        if node is None:
            return None
        if type_ == "dim3" and node.type in {"argument_list", "initializer_list"}:
            return self._dim3(node, depth, {})
        if node.type in {"argument_list", "initializer_list"}:
            if len(node.named_children) != 1:
                return None
            node = node.named_children[0]
        value = self.value(node, depth)
        if type_ == "dim3" and isinstance(value, int):
            return (value, 1, 1)
        return convert(value, type_)

    def _dim3(self, listed: Node | None, depth: int, bound: Mapping[str, Value]) -> Value:
        if listed is None:
            return None
        items = [item for item in listed.named_children if item.type != "comment"]
        sizes = [self.value(_expression(item), depth, bound) for item in items]
        if len(sizes) == 1 and isinstance(sizes[0], tuple):
            return sizes[0]
        whole = [convert(size, "unsigned int") for size in sizes]
        numbers = [size for size in whole if isinstance(size, int)]
        if len(numbers) != len(sizes) or len(numbers) > 3:  # noqa: PLR2004
            return None
        x, y, z = [*numbers, 1, 1, 1][:3]
        return (x, y, z)

    def _number(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:  # noqa: ARG002
        return number(text_of(node))

    def _boolean(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:  # noqa: ARG002
        return int(node.type == "true")

    def _inside(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        items = [item for item in node.named_children if item.type != "comment"]
        return self.value(items[0], depth, bound) if len(items) == 1 else None

    def _unary(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        value = self.value(node.child_by_field_name("argument"), depth, bound)
        sign = text_of(node.child_by_field_name("operator"))
        if value is None or isinstance(value, tuple):
            return None
        if sign == "-":
            return -value
        if sign == "+":
            return value
        if sign in {"!", "not"}:
            return int(not value)
        return ~value if sign == "~" and isinstance(value, int) else None

    def _binary(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        first = self.value(node.child_by_field_name("left"), depth, bound)
        second = self.value(node.child_by_field_name("right"), depth, bound)
        if first is None or second is None or isinstance(first, tuple) or isinstance(second, tuple):
            return None
        sign = text_of(node.child_by_field_name("operator"))
        return int(COMPARISONS[sign](first, second)) if sign in COMPARISONS else operate(sign, first, second)

    def _conditional(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        condition = self.value(node.child_by_field_name("condition"), depth, bound)
        if condition is None or isinstance(condition, tuple):
            return None
        return self.value(node.child_by_field_name("consequence" if condition else "alternative"), depth, bound)

    def _cast(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        value = self.value(node.child_by_field_name("value"), depth, bound)
        return convert(value, text_of(node.child_by_field_name("type")))

    def _sizeof(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:  # noqa: ARG002
        type_ = node.child_by_field_name("type")
        text = text_of(type_) if type_ is not None else text_of(node.child_by_field_name("value")).strip("() ")
        if type_ is None and (self.names.declared(text, node) or not re.fullmatch(r"[\w: ]+", text)):
            return self._sizeof_variable(node, text)
        layout = self.types.value(text) if self.types is not None else None
        return layout[0] if layout is not None else None

    def _sizeof_variable(self, node: Node, name: str) -> Value:
        declarator = self.names.declaration(node, name) if re.fullmatch(r"\w+", name) else None
        declaration = declarator.parent if declarator is not None else None
        if declarator is None or declaration is None or self.types is None:
            return None
        item = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
        total = 1
        while item is not None and item.type == "array_declarator":
            size = self.value(item.child_by_field_name("size"))
            if not isinstance(size, int):
                return None
            total *= size
            item = item.child_by_field_name("declarator")
        if item is None or item.type != "identifier":
            return None
        layout = self.types.value(text_of(declaration.child_by_field_name("type")))
        return total * layout[0] if layout is not None else None

    def _field(self, node: Node, depth: int, bound: Mapping[str, Value]) -> Value:
        value = self.value(node.child_by_field_name("argument"), depth, bound)
        name = text_of(node.child_by_field_name("field"))
        return value[("x", "y", "z").index(name)] if isinstance(value, tuple) and name in {"x", "y", "z"} else None

    def _call(  # noqa: PLR0911  (a return for each kind of call)
        self, node: Node, depth: int, bound: Mapping[str, Value]
    ) -> Value:
        function = node.child_by_field_name("function")
        listed = node.child_by_field_name("arguments")
        if function is None or listed is None:
            return None
        name = text_of(function).removeprefix("std::")
        if name == "dim3":
            return self._dim3(listed, depth, bound)
        arguments = [item for item in listed.named_children if item.type != "comment"]
        if macro := next(iter(self._macros.definitions(name)), None):
            return self._macro(macro, name, arguments, depth, bound)
        values = [self.value(item, depth, bound) for item in arguments]
        if function.type == "primitive_type" or name in {"size_t", "uint"}:
            return convert(values[0], name) if len(values) == 1 else None
        if function.type == "template_function" and text_of(function.child_by_field_name("name")) == "static_cast":
            return (
                convert(values[0], text_of(function.child_by_field_name("arguments")).strip("<> ")) if values else None
            )
        numbers = [value for value in values if isinstance(value, int | float)]
        if len(numbers) == len(values) == 2 and name in {"min", "max"}:  # noqa: PLR2004
            return min(numbers) if name == "min" else max(numbers)
        if len(numbers) == len(values) == 1 and name in {"ceil", "floor", "ceilf", "floorf"}:
            return float(-(-numbers[0] // 1) if name.startswith("ceil") else numbers[0] // 1)
        return self._function(name, values, depth)

    def _macro(
        self, macro: Macro, name: str, arguments: Sequence[Node], depth: int, bound: Mapping[str, Value]
    ) -> Value:
        if len(self._macros.definitions(name)) != 1 or macro.parameters is None:
            return None
        if len(macro.parameters) != len(arguments):
            return None
        values = [self.value(item, depth, bound) for item in arguments]
        if any(value is None or isinstance(value, tuple) for value in values):
            return None
        return self._parsed(macro.body, depth, dict(zip(macro.parameters, values, strict=True)))

    def _function(self, name: str, values: Sequence[Value], depth: int) -> Value:
        """Return the result of a function that consists of one return."""
        definitions = self.names.functions(name)
        body = definitions[0].child_by_field_name("body") if len(definitions) == 1 else None
        declarator = function_declarator(definitions[0]) if body is not None else None
        if body is None or declarator is None or any(value is None for value in values):
            return None
        statements = [item for item in body.named_children if item.type != "comment"]
        if len(statements) != 1 or statements[0].type != "return_statement" or not statements[0].named_children:
            return None
        listed = declarator.child_by_field_name("parameters")
        parameters = listed.named_children if listed is not None else []
        names = [declared_name(item.child_by_field_name("declarator")) for item in parameters]
        if len(names) != len(values) or not all(names):
            return None
        types = [text_of(item.child_by_field_name("type")) for item in parameters]
        given = {key: convert(value, type_) for key, value, type_ in zip(names, values, types, strict=True)}
        result = self.value(statements[0].named_children[0], depth, given)
        return convert(result, text_of(definitions[0].child_by_field_name("type")))


def _expression(item: Node) -> Node:
    """Return what `N` is in `dim3 grid(N)`, which the grammar may read as the type of a parameter."""
    type_ = item.child_by_field_name("type") if item.type == "parameter_declaration" else None
    return type_ if type_ is not None and item.child_by_field_name("declarator") is None else item


_HANDLERS: Mapping[str, Callable[[Evaluator, Node, int, Mapping[str, Value]], Value]] = {
    "identifier": Evaluator._identifier,  # noqa: SLF001  (the class's own methods)
    "type_identifier": Evaluator._identifier,  # noqa: SLF001
    "qualified_identifier": Evaluator._qualified,  # noqa: SLF001
    "number_literal": Evaluator._number,  # noqa: SLF001
    "true": Evaluator._boolean,  # noqa: SLF001
    "false": Evaluator._boolean,  # noqa: SLF001
    "parenthesized_expression": Evaluator._inside,  # noqa: SLF001
    "unary_expression": Evaluator._unary,  # noqa: SLF001
    "binary_expression": Evaluator._binary,  # noqa: SLF001
    "conditional_expression": Evaluator._conditional,  # noqa: SLF001
    "cast_expression": Evaluator._cast,  # noqa: SLF001
    "sizeof_expression": Evaluator._sizeof,  # noqa: SLF001
    "field_expression": Evaluator._field,  # noqa: SLF001
    "call_expression": Evaluator._call,  # noqa: SLF001
}
