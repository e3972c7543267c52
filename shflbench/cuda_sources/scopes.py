"""Find the declarations that names of the source refer to, and the expressions that change variables."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import surrounding_parameters
from shflbench.cuda_sources.name_places import may_declare_global, may_define_function, mentions
from shflbench.cuda_sources.named_items import NamedItems
from shflbench.cuda_sources.scoped_names import ScopedName
from shflbench.cuda_sources.syntax_trees import belongs_to, function_declarator, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.macros import Macros

GLOBAL = frozenset({"translation_unit", "declaration_list"})
_SCOPES = GLOBAL | {
    "compound_statement", "for_statement", "function_definition", "lambda_expression", "field_declaration_list",
    "for_range_loop", "template_declaration",
}  # fmt: skip
_QUALIFIERS = frozenset({"storage_class_specifier", "type_qualifier"})
_NOT_LOCAL = GLOBAL | {"field_declaration_list"}
_PARTS = frozenset(
    {"field_expression", "subscript_expression", "parenthesized_expression", "pointer_expression", "cast_expression"}
)
MOST_LEVELS = 100  # of declarators or operators around a name; the grammar takes the depth of a node to find its parent
_CHANGE_THEIR_ARGUMENTS = frozenset({"std::swap", "swap", "std::tie", "std::exchange", "std::ref"})


class _FileNames:
    """Declarations, writes and functions of one file, by name."""

    def __init__(self, root: Node) -> None:
        """Index the tree of the file."""
        self.declared: dict[str, list[Node]] = defaultdict(list)  # init_declarator or plain declarator
        self.writes: dict[str, list[Node]] = defaultdict(list)
        self.functions: dict[str, list[Node]] = defaultdict(list)
        self.passed: dict[str, list[tuple[Node, int]]] = defaultdict(list)  # variable → call, position
        self.constants: dict[str, list[Node]] = defaultdict(list)  # of classes, with their values
        self._scoped: dict[str, ScopedName] = {}
        for node in walk(root):
            self._index(node)

    @cached_property
    def global_declared(self) -> dict[str, list[Node]]:
        """The declarators outside of functions and classes."""
        known = {name: [node for node in nodes if _is_global(node)] for name, nodes in self.declared.items()}
        return {name: nodes for name, nodes in known.items() if nodes}

    def scoped(self, name: str) -> ScopedName:
        """Return the declarators of a name that are not visible everywhere, by their scopes."""
        known = self._scoped.get(name)
        if known is None:
            pairs = ((scope_of(node), node) for node in self.declared.get(name, ()))
            local = [(scope, node) for scope, node in pairs if scope is not None and scope.type not in _NOT_LOCAL]
            known = self._scoped[name] = ScopedName(local)
        return known

    def _index(self, node: Node) -> None:
        if node.type in {"declaration", "parameter_declaration", "optional_parameter_declaration"}:
            self._index_declaration(node)
        elif node.type == "field_declaration":
            declarator = node.child_by_field_name("declarator")
            if declarator is not None and node.child_by_field_name("default_value") is not None:
                self.constants[text_of(declarator)].append(node)
        elif node.type == "function_definition":
            declarator = function_declarator(node)
            if declarator is not None:
                self.functions[text_of(declarator.child_by_field_name("declarator"))].append(node)
        elif node.type == "call_expression":
            listed = node.child_by_field_name("arguments")
            for position, item in enumerate(listed.named_children if listed is not None else ()):
                if item.type == "identifier":
                    self.passed[text_of(item)].append((node, position))
        else:
            target = _written(node)
            if target is not None:
                self.writes[_root(target)].append(node)

    def _index_declaration(self, node: Node) -> None:
        if node.type != "declaration" and not _is_of_definition(node):
            return
        for declarator in node.children_by_field_name("declarator"):
            name = declared_name(declarator)
            if name:
                self.declared[name].append(declarator)


class Names:
    """Declarations, writes and functions of the files of one translation unit, by name.

    A file is parsed when its text may have what is asked for.
    """

    def __init__(self, files: Sequence[UserFile], macros: Macros) -> None:
        """Keep the files."""
        self._files, self._macros = files, macros
        self._read: dict[int, _FileNames] = {}  # by the id of a file
        self._changes: dict[int, list[Node]] = {}  # by the id of a declarator
        self._changes_of_name: dict[tuple[int, str], list[Node]] = {}  # of a file
        self._global = NamedItems(files, lambda file: self._of(file).global_declared, may_declare_global)
        self._functions = NamedItems(files, lambda file: self._of(file).functions, may_define_function)
        self._constants = NamedItems(files, lambda file: self._of(file).constants, mentions)

    def _of(self, file: UserFile) -> _FileNames:
        known = self._read.get(id(file))
        if known is None:
            known = self._read[id(file)] = _FileNames(file.tree.root_node)
        return known

    def _file_of(self, node: Node) -> UserFile | None:
        """Return the file of a node, None for one of a text that a macro stands for."""
        parsed = (file for file in self._files if file.is_parsed)
        return next((file for file in parsed if belongs_to(node, file.tree.root_node)), None)

    def declared(self, name: str, use: Node) -> Sequence[Node]:
        """Return the declarators of a name in the file where it is used, and those of global variables elsewhere."""
        file = self._file_of(use)
        if file is None:
            return self._global.get(name)
        local = self._of(file).declared.get(name, [])
        known = {node.id for node in local}
        return [*local, *(node for node in self._global.get(name) if node.id not in known)]

    def constant(self, class_: str, name: str) -> Node | None:
        """Return the value that a class gives a member in all of its instances; None if it is not certain."""
        known = [item for item in self._constants.get(name) if _is_constant_of(item, class_)]
        return known[0].child_by_field_name("default_value") if len(known) == 1 else None

    def functions(self, name: str) -> Sequence[Node]:
        """Return the definitions of functions of a name."""
        return self._functions.get(name)

    def declaration(self, node: Node, name: str) -> Node | None:
        """Return the declarator that `name` refers to where `node` stands; None if it is not certain."""
        file = self._file_of(node)
        names = self._of(file) if file is not None else None
        if names is not None and (local := names.scoped(name).at(node)):
            return local[0] if len(local) == 1 else None
        of_file = names.global_declared.get(name, []) if names is not None else []
        known = [*of_file[:2], *self._global.get(name)[:2]]
        return known[0] if len({item.id for item in known}) == 1 else None

    def changes(self, declarator: Node, name: str) -> list[Node]:
        """Return the expressions that may change the variable that `declarator` declares, all or none of one file."""
        if declarator.id not in self._changes:
            self._changes[declarator.id] = self._find_changes(declarator, name)
        return self._changes[declarator.id]

    def _find_changes(self, declarator: Node, name: str) -> list[Node]:
        scope, home = scope_of(declarator), self._file_of(declarator)
        local = self._changes_in(home, name) if home is not None else []
        if scope is not None and scope.type not in GLOBAL:
            return [node for node in local if node != declarator and contains(scope, node)]
        elsewhere = (file for file in self._files if file is not home and mentions(file, name))
        return local or next(filter(None, (self._changes_in(file, name) for file in elsewhere)), [])

    def _changes_in(self, file: UserFile, name: str) -> list[Node]:
        key = (id(file), name)
        if key not in self._changes_of_name:
            known = [*self._of(file).writes.get(name, ()), *self._changing_calls(file, name)]
            self._changes_of_name[key] = known
        return self._changes_of_name[key]

    def _changing_calls(self, file: UserFile, name: str) -> list[Node]:
        """Return the calls that take a variable by reference, as far as the files define the function or macro."""
        calls = []
        for call, position in self._of(file).passed.get(name, ()):
            function = text_of(call.child_by_field_name("function"))
            definitions = [*self.functions(function.partition("<")[0].rpartition("::")[2])]
            by_reference = any(_takes_reference(definition, position) for definition in definitions)
            assigns = any("=" in macro.body or "++" in macro.body for macro in self._macros.definitions(function))
            if by_reference or assigns or function in _CHANGE_THEIR_ARGUMENTS:
                calls.append(call)
        return calls


def _written(node: Node) -> Node | None:
    """Return the expression that a node may change."""
    if node.type == "assignment_expression":
        return node.child_by_field_name("left")
    if node.type == "update_expression":
        return node.child_by_field_name("argument")
    if node.type == "pointer_expression" and _takes_address(node) and not _is_launch_argument(node):
        return node.child_by_field_name("argument")
    if node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) == ">>":
        return node.child_by_field_name("right")  # as `std::cin >> n`
    if node.type == "init_declarator":
        declarator = node.child_by_field_name("declarator")
        if declarator is not None and declarator.type == "reference_declarator":
            return node.child_by_field_name("value")
    return None


def _takes_address(node: Node) -> bool:
    """Whether a node is `&` and a variable; `&*p` is `p`, and nested ones are none of C++."""
    argument = node.child_by_field_name("argument")
    nested = argument is not None and argument.type == "pointer_expression"
    return not nested and text_of(node.child_by_field_name("operator")) == "&"


def _is_launch_argument(node: Node) -> bool:
    """Whether an address is part of `void *args[] = {&a, &b}`, as for cudaLaunchKernel, which only reads."""
    outer = node.parent
    while outer is not None and outer.type in {"cast_expression", "initializer_list"}:
        outer = outer.parent
    declaration = outer.parent if outer is not None and outer.type == "init_declarator" else None
    return declaration is not None and text_of(declaration.child_by_field_name("type")) == "void"


def _is_constant_of(field: Node, class_: str) -> bool:
    """Whether a member is a constant of a class of this name, with a value that no template parameter decides."""
    body = field.parent
    owner = body.parent if body is not None and body.type == "field_declaration_list" else None
    if owner is None or text_of(owner.child_by_field_name("name")) != class_:
        return False
    words = {text_of(item) for item in field.named_children if item.type in _QUALIFIERS}
    used = {text_of(item) for item in walk(field.child_by_field_name("default_value") or field)}
    return "static" in words and bool(words & {"const", "constexpr"}) and not used & surrounding_parameters(field)


def _is_of_definition(node: Node) -> bool:
    """Whether a parameter belongs to a function with a body."""
    outer = node.parent
    for _ in range(MOST_LEVELS):
        if outer is None or not (outer.type == "parameter_list" or outer.type.endswith("declarator")):
            break
        outer = outer.parent
    return outer is not None and outer.type in {"function_definition", "lambda_expression"}


def _takes_reference(definition: Node, position: int) -> bool:
    declarator = function_declarator(definition)
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    parameters = [item for item in listed.named_children if item.type != "comment"] if listed is not None else []
    if position >= len(parameters):
        return False
    text = text_of(parameters[position])
    return "&" in text and "const" not in text.split()


def declared_name(node: Node | None) -> str:
    """Return the name that a declarator declares."""
    while node is not None and node.type not in {"identifier", "field_identifier"}:
        node = node.child_by_field_name("declarator") or next(
            (item for item in node.named_children if item.type.endswith(("declarator", "identifier"))), None
        )
    return text_of(node)


def _root(node: Node | None) -> str:
    """Return the variable that an expression such as `a.b[i]` belongs to."""
    for _ in range(MOST_LEVELS):
        if node is None or node.type == "identifier":
            break
        if node.type not in _PARTS:
            return ""
        node = (
            node.child_by_field_name("argument")
            or node.child_by_field_name("value")
            or next(iter(node.named_children), None)
        )
    return text_of(node) if node is None or node.type == "identifier" else ""


def scope_of(node: Node) -> Node | None:
    """Return the block, loop, function or namespace in which a declarator is visible; None if it is nested too deep."""
    outer = node.parent
    for _ in range(MOST_LEVELS):
        if outer is None or outer.type in _SCOPES:
            return outer
        outer = outer.parent
    return None


def contains(outer: Node, node: Node) -> bool:
    """Whether a node lies in another of the same file."""
    return outer.start_byte <= node.start_byte <= node.end_byte <= outer.end_byte


def _is_global(declarator: Node) -> bool:
    scope = scope_of(declarator)
    return scope is not None and scope.type in GLOBAL
