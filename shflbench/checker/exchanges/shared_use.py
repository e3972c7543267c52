"""The only store and the only load by a name of shared memory in the body of a kernel, as places in the source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.syntax_trees import line_of, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "for_range_loop"})


@dataclass(frozen=True, slots=True)
class SharedUse:
    """An array, or a pointer, that a kernel stores to in one place and loads from in another, and uses nowhere else."""

    function: int  # that has it, by its place among those of the text
    name: str
    declaration: Node
    store: Node  # the assignment
    load: Node

    @property
    def lines(self) -> tuple[int, int]:
        """The lines of the store and of the load."""
        return line_of(self.store), line_of(self.load)

    @property
    def stores_before_load(self) -> bool:
        """Whether a variable that the store declares is one that the load can name."""
        statement = self.store.parent
        scope = statement.parent if statement is not None else None
        is_block = scope is not None and scope.type == "compound_statement" and _contains(scope, self.load)
        return is_block and self.store.end_byte <= self.load.start_byte

    @property
    def type(self) -> str:
        """The type of an element, as it is written."""
        return text_of(self.declaration.child_by_field_name("type"))

    @property
    def stored_at(self) -> tuple[str, ...]:
        """The indices of the store, outermost first."""
        target = self.store.child_by_field_name("left")
        return _indices(target) if target is not None else ()

    @property
    def loaded_from(self) -> tuple[str, ...]:
        """The indices of the load."""
        return _indices(self.load)

    def unused_name(self, name: str) -> str:
        """Return a name that no word of the function is."""
        function = next(node for node in _ancestors(self.declaration) if node.type == "function_definition")
        words = set(re.findall(r"\w+", text_of(function)))
        while name in words:
            name += "_"
        return name

    @property
    def index(self) -> Node:
        """The last index of the load."""
        return _last_index(self.load)

    @property
    def conditions(self) -> Iterator[Node]:
        """The comparisons with `==` under which a thread stores, the innermost first."""
        for node in _ancestors(self.store):
            if node.type == "if_statement":
                clause = node.child_by_field_name("condition")
                inner = clause.named_children if clause is not None else []
                yield from (item for item in inner if item.type == "binary_expression" and _operator(item) == "==")

    @property
    def conditional_statement(self) -> Node | None:
        """The statement before which all threads could load, because they do under a condition; None if they all do."""
        lowest, condition = self.load, False
        for node in _ancestors(self.load):
            if node.type in LOOPS or (node.type == "compound_statement" and _contains(node, self.store)):
                break
            condition |= _is_condition(node, lowest)
            lowest = node
        parent = lowest.parent
        is_in_list = parent is not None and parent.type == "compound_statement"
        return lowest if condition and is_in_list else None

    @property
    def is_conditional(self) -> bool:
        """Whether only some threads may load."""
        lowest = self.load
        for node in _ancestors(self.load):
            if node.type == "function_definition":
                return False
            if _is_condition(node, lowest):
                return True
            lowest = node
        return False


def functions_of(text: bytes) -> list[Node]:
    """Return the definitions of functions in a text."""
    nodes = walk(parse(text).root_node, lambda node: node.type != "compound_statement")
    return [node for node in nodes if node.type == "function_definition"]


def function_at(functions: Sequence[Node], line: int) -> int:
    """Return which function has a line, or the lines before it, such as its template's; -1 for none."""
    return next((number for number, node in enumerate(functions) if line <= node.end_point[0] + 1), -1)


def shared_uses(text: bytes, *, pointers: bool = False) -> Iterator[SharedUse]:
    """Yield the arrays of shared memory with one store and one load; with `pointers`, pointers to any memory, too."""
    for number, function in enumerate(functions_of(text)):
        nodes = list(walk(function))
        for declaration in nodes:
            name = _array_name(declaration) or (_pointer_name(declaration) if pointers else "")
            if name and (use := _use(number, name, declaration, nodes)) is not None:
                yield use


def _use(function: int, name: str, declaration: Node, nodes: list[Node]) -> SharedUse | None:
    places = [node for node in nodes if node.type == "identifier" and text_of(node) == name]
    uses = [node for node in places if not _contains(declaration, node)]
    if len(places) != 3 or len(uses) != 2:  # noqa: PLR2004  (its declaration, the store and the load)
        return None
    accesses = [_access(node) for node in uses]
    stores = [node.parent for node in accesses if _is_stored_to(node)]
    loads = [node for node in accesses if not _is_stored_to(node) and node.type == "subscript_expression"]
    if len(stores) != 1 or len(loads) != 1 or stores[0] is None or not _is_read(loads[0]):
        return None
    dimensions = sum(node.type in {"array_declarator", "pointer_declarator"} for node in walk(declaration))
    use = SharedUse(function, name, declaration, stores[0], loads[0])
    is_element = len(use.stored_at) == len(use.loaded_from) == dimensions
    return use if is_element and not _contains(use.store, use.load) and not _has_effects(loads[0]) else None


def _access(node: Node) -> Node:
    """Return the element of an array that an expression names: all of its indices belong to it."""
    parent = node.parent
    while parent is not None and parent.type == "subscript_expression" and parent.children[0] == node:
        node, parent = parent, parent.parent
    return node


def _is_stored_to(node: Node) -> bool:
    parent = node.parent
    if parent is None or parent.type != "assignment_expression" or _operator(parent) != "=":
        return False
    is_statement = parent.parent is not None and parent.parent.type == "expression_statement"
    return is_statement and parent.child_by_field_name("left") == node


def _is_read(node: Node) -> bool:
    """Whether nothing but the value of an element is used: neither its address nor a reference, and it stays."""
    parent = node.parent
    if parent is None or parent.type in {"pointer_expression", "update_expression", "field_expression"}:
        return False
    return not (parent.type == "assignment_expression" and parent.child_by_field_name("left") == node)


def _has_effects(node: Node) -> bool:
    return any(item.type in {"call_expression", "assignment_expression", "update_expression"} for item in walk(node))


def _array_name(node: Node) -> str:
    """Return the name of the only array that a declaration of shared memory declares; empty if there is none."""
    item = _declarator(node) if "__shared__" in map(text_of, node.children) else None
    if item is None or item.type != "array_declarator":
        return ""
    while item is not None and item.type == "array_declarator":
        item = item.child_by_field_name("declarator")
    return text_of(item)


def _pointer_name(node: Node) -> str:
    """Return the name of the only pointer that a declaration declares and sets; empty if there is none."""
    item = _declarator(node)
    pointer = item.child_by_field_name("declarator") if item is not None and item.type == "init_declarator" else None
    return text_of(pointer.named_children[-1]) if pointer is not None and pointer.type == "pointer_declarator" else ""


def _declarator(node: Node) -> Node | None:
    declarators = node.children_by_field_name("declarator") if node.type == "declaration" else []
    return declarators[0] if len(declarators) == 1 else None


def _indices(node: Node) -> tuple[str, ...]:
    indices: list[str] = []
    item: Node | None = node
    while item is not None and item.type == "subscript_expression":
        indices.append(text_of(_last_index(item)))
        item = item.children[0]
    return tuple(reversed(indices))


def _last_index(node: Node) -> Node:
    return node.children[1].named_children[0]


def _contains(node: Node, other: Node) -> bool:
    return node.start_byte <= other.start_byte and other.end_byte <= node.end_byte


def _ancestors(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _operator(node: Node) -> str:
    return text_of(node.child_by_field_name("operator"))


def _is_condition(node: Node, child: Node) -> bool:
    """Whether a node evaluates its child for some threads only."""
    if node.type in {"if_statement", "conditional_expression"}:
        return node.child_by_field_name("condition") != child
    return node.type == "binary_expression" and _operator(node) in {"&&", "||"} and node.children[0] != child
