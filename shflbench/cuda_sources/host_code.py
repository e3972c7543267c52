"""Find host code in a syntax tree, and replace it by spaces.

Only whole declarations whose limits grammar and braces agree on are replaced. What is not understood stays, and the
compiler decides about it. Device code cannot change its meaning: a host function or variable that device code uses is
an error in CUDA, and stays one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.defined_types import type_words
from shflbench.cuda_sources.lexer import Lexed, TextSpan
from shflbench.cuda_sources.spellings import for_grammar
from shflbench.cuda_sources.syntax_trees import SCOPES, function_declarator, nodes_of, parse, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from tree_sitter import Node, Tree

    from shflbench.cuda_sources.macros import Macros

DEVICE_WORDS = frozenset({"__global__", "__device__", "__constant__", "__shared__", "__managed__"})
_COMPILE_TIME = frozenset({"constexpr", "consteval", "concept"})
_DECLARATIONS = frozenset({"function_definition", "declaration", "template_instantiation"})
_HOST_TYPES = re.compile(
    rb"\bstd::(?:basic_|o|i|w|u8)?(?:string|vector|map|set|list|deque|stringstream|stream|iostream|ostream|function|thread|"
    rb"mutex|unordered_\w+|shared_ptr|unique_ptr|exception|runtime_error|chrono)\b|\b(?:timeval|FILE)\b"
)
# A table that turns each byte that is in no word into a space.
BLANKS = bytes(code if re.match(rb"\w", bytes([code])) else ord(" ") for code in range(256))
_TYPES = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
_NAMED_TYPES = _TYPES | {"alias_declaration"}


@dataclass(frozen=True)
class UserFile:
    """One file of the user: the main file or a header."""

    path: Path
    name: str  # as the compiler is given it
    text: bytes

    @classmethod
    def of(cls, path: Path, name: str, text: bytes) -> UserFile:
        """Keep `text`; it is parsed when its tree is asked for."""
        return cls(path, name, text)

    @cached_property
    def lexed(self) -> Lexed:
        """The directives and braces of the text."""
        return Lexed(self.text)

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree of the text."""
        return parse(for_grammar(self.text, self.lexed))

    @cached_property
    def type_words(self) -> frozenset[bytes]:
        """The names of the types that the text may define."""
        return type_words(self.text)

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The words of the text, those of comments too."""
        return frozenset(self.text.translate(BLANKS).split())

    @property
    def is_parsed(self) -> bool:
        """Whether the tree is known, so that a search in it costs no parsing."""
        return "tree" in self.__dict__

    def lines(self, span: TextSpan) -> range:
        """Return the numbers of the lines of a span."""
        first = self.text.count(b"\n", 0, span.start) + 1
        return range(first, first + self.text.count(b"\n", span.start, span.end) + 1)


def declarations(root: Node) -> Iterator[Node]:
    """Yield the declarations at the level of namespaces, also in `#if` and `extern "C"`."""
    for node in walk(root, lambda item: item.type in SCOPES):
        if node.type not in SCOPES and node.is_named:
            yield node


def inner(node: Node) -> Node:
    """Return the function, class or variable that a template declares, or else the declaration itself."""
    while node.type == "template_declaration":
        last = next((child for child in reversed(node.named_children) if child.type != "comment"), None)
        if last is None or last.type == "template_parameter_list":
            break
        node = last
    return node


def prefix(node: Node) -> str:
    """Return the text of a declaration before its parameters, its body or its value."""
    item = inner(node)
    declarator = function_declarator(item)
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    body = item.child_by_field_name("body")
    value = next((child for child in item.named_children if child.type == "init_declarator"), None)
    ends = [part.start_byte for part in (parameters, body, value) if part is not None]
    # Annotations may follow the parameters of a member: `int get() const __device__` is rare, and kept by the braces.
    text = node.text or b""
    return text[: min(ends) - node.start_byte if ends else len(text)].decode(errors="replace")


def host_spans(file: UserFile, macros: Macros) -> list[TextSpan]:
    """Return the host functions and host variables of a file."""
    return [
        _whole(node) for node in declarations(file.tree.root_node) if is_host(node, macros) and _certain(file, node)
    ]


def host_bodies(file: UserFile, macros: Macros) -> tuple[list[TextSpan], list[TextSpan]]:
    """Return the host functions and variables of a file that need to be removed, and the bodies of the others.

    A function that is declared only is as before for the code that names it. A member that is defined outside of its
    class is declared there, and one whose type follows from its body has none without it.
    """
    spans, bodies = [], []
    for node in declarations(file.tree.root_node):
        if not is_host(node, macros) or not _certain(file, node):
            continue
        function = inner(node)
        declarator = function_declarator(function) if function.type == "function_definition" else None
        name = declarator.child_by_field_name("declarator") if declarator is not None else None
        body = _body(function) if name is not None and name.type != "qualified_identifier" else None
        if body is None or "auto" in macros.words(prefix(node)):
            spans.append(_whole(node))
        else:
            bodies.append(body)
    return spans, bodies


def _body(function: Node) -> TextSpan | None:
    """Return the body of a function, with what initializes members before it."""
    body = function.child_by_field_name("body")
    if body is None or body.type != "compound_statement":
        return None
    values = next((item for item in function.children if item.type == "field_initializer_list"), body)
    return TextSpan(values.start_byte, body.end_byte)


def _whole(node: Node) -> TextSpan:
    """Return a declaration with the `extern "C"` that belongs to it alone."""
    outer = node.parent
    alone = outer is not None and outer.type == "linkage_specification"
    item = outer if alone and outer is not None else node
    return TextSpan(item.start_byte, item.end_byte)


def is_host(node: Node, macros: Macros) -> bool:  # noqa: PLR0911  (a return per kind of declaration)
    """Whether a declaration is a function or a variable of the host alone."""
    item = inner(node)
    if item.type not in _DECLARATIONS:
        return False
    kind = item.child_by_field_name("type")
    if kind is None and _is_bare_call(item):
        return False
    if kind is not None and kind.type in _TYPES and kind.child_by_field_name("body") is not None:
        return False  # defines a type besides
    words = macros.words(prefix(node))
    if words & (DEVICE_WORDS | _COMPILE_TIME | {"typedef", "using", "asm"}):
        return False
    if item.type == "template_instantiation":
        return function_declarator(item) is not None
    if item.type == "function_definition" or function_declarator(item) is not None:
        return True
    return "const" not in words or _has_call(item)  # device code may use constants


def _is_bare_call(item: Node) -> bool:
    """Whether a declaration without type looks like the use of a macro, which may stand for anything."""
    declarator = function_declarator(item)
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    return name is None or (name.type == "identifier" and name.text != b"main")


def _has_call(item: Node) -> bool:
    return any(node.type in {"call_expression", "lambda_expression", "new_expression"} for node in walk(item))


def _certain(file: UserFile, node: Node) -> bool:
    """Whether the braces confirm where a declaration ends."""
    text = file.text[node.start_byte : node.end_byte].rstrip()
    if _begins_before_condition(node):
        return False
    body = inner(node).child_by_field_name("body")
    if body is not None and body.type in {"compound_statement", "try_statement"}:
        return file.lexed.partners.get(body.start_byte) == body.end_byte - 1
    if text.endswith(b";"):
        return not node.has_error
    return False


def _begins_before_condition(node: Node) -> bool:
    """Whether the begin of a declaration stands before the `#if` around it, as in `template <class T>`, `#if …`."""
    outer, condition = node.parent, None
    while outer is not None and outer.type.startswith("preproc_"):
        outer, condition = outer.parent, outer
    before = condition.prev_sibling if condition is not None else None
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    while before is not None and before.type != "ERROR" and before.children:
        before = before.children[-1]  # a macro before the condition looks like a declaration without its end
    return before is not None and (before.type == "ERROR" or before.is_missing)


def enclosing_host_item(
    file: UserFile, line: int, macros: Macros, files: Sequence[UserFile], *, specializes_nothing: bool = False
) -> TextSpan | None:
    """Return the smallest item around a line that may be removed because the compiler rejects it.

    That is a member function of a class without annotation, or a declaration of the global scope, or a type that
    `files` define once, without any device code. A specialization of a template, whose removal would select another
    definition, is one only if it `specializes_nothing`: the compiler knows no template of its name.
    """
    best: TextSpan | None = None
    items: set[int] = set()  # ids of nodes in scopes; `parent` searches the whole tree
    for node in walk(file.tree.root_node, lambda item: item.start_point[0] < line <= item.end_point[0] + 1):
        if node.type in SCOPES:
            items.update(child.id for child in node.children)
        if not node.start_point[0] < line <= node.end_point[0] + 1 or not node.is_named:
            continue
        if node.type in {"function_definition", "declaration", "field_declaration"} and _is_member(node):
            if not macros.words(prefix(node)) & (DEVICE_WORDS | _COMPILE_TIME | {"virtual"}) and _function(node):
                best = _with_template(node)
        elif node.type in SCOPES or node.id not in items:
            continue
        elif _removable(node, macros, files, specializes_nothing=specializes_nothing):
            best = _whole(node)
    return best


def enclosing_host_body(file: UserFile, line: int, macros: Macros) -> TextSpan | None:
    """Return the body of the smallest host function around a line, without which the function is declared as before.

    None for a function whose type follows from its body.
    """
    best: TextSpan | None = None
    for node in walk(file.tree.root_node, lambda item: item.start_point[0] < line <= item.end_point[0] + 1):
        span = _body(node) if node.type == "function_definition" else None
        if span is None or not node.start_point[0] < line <= node.end_point[0] + 1:
            continue
        is_certain = _certain(file, node)
        if is_certain and not macros.words(prefix(node)) & (DEVICE_WORDS | _COMPILE_TIME | {"auto"}):
            best = span
    return best


def host_types(file: UserFile, macros: Macros, files: Sequence[UserFile]) -> list[TextSpan]:
    """Return the types that cannot belong to device code, because they use the host's library."""
    return [
        _whole(node)
        for node in declarations(file.tree.root_node)
        if inner(node).type != "function_definition"
        and _HOST_TYPES.search(node.text or b"")
        and _removable(node, macros, files)
    ]


def _is_member(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type == "template_declaration":
        parent = parent.parent
    return parent is not None and parent.type == "field_declaration_list"


def _with_template(node: Node) -> TextSpan:
    """Return a declaration with the `template <…>` before it, which would begin the next one without it."""
    outer = node
    while outer.parent is not None and outer.parent.type == "template_declaration":
        outer = outer.parent
    return TextSpan(outer.start_byte, outer.end_byte)


def _function(node: Node) -> bool:
    return node.type == "function_definition" or function_declarator(node) is not None


def _removable(node: Node, macros: Macros, files: Sequence[UserFile], *, specializes_nothing: bool = False) -> bool:
    if node.type in {"using_declaration", "namespace_alias_definition"}:
        return True
    if node.type.startswith(("preproc", "comment")) or node.type in {"ERROR", "expression_statement"}:
        return False
    lacks_template = specializes_nothing and _specializes(node)
    scope = node.parent
    while scope is not None and scope.type != "translation_unit":
        if scope.type == "namespace_definition" and not (lacks_template or _is_defined_once(node, files)):
            return False  # a name of an outer scope could take its place
        scope = scope.parent
    text = (node.text or b"").decode(errors="replace")
    if macros.words(text) & DEVICE_WORDS or node.has_error or _begins_before_condition(node):
        return False
    item = inner(node)
    if item.type in _DECLARATIONS and item.child_by_field_name("type") is None and _is_bare_call(item):
        return False
    return lacks_template or not _specializes(node)


def _is_defined_once(node: Node, files: Sequence[UserFile]) -> bool:
    """Whether a declaration defines a type whose name no other declaration of the files has."""
    name = inner(node).child_by_field_name("name")
    if name is None or name.text is None or inner(node).type not in _NAMED_TYPES:
        return False
    having = [file for file in files if name.text in file.type_words]
    types = (item for file in having for item in nodes_of(file.tree.root_node, _NAMED_TYPES))
    return sum(_defines(item, name.text) for item in types) == 1


def _defines(node: Node, name: bytes) -> bool:
    """Whether a type is defined under a name, and not only declared."""
    named = node.child_by_field_name("name")
    is_whole = node.type == "alias_declaration" or node.child_by_field_name("body") is not None
    return is_whole and named is not None and named.text == name


def _specializes(node: Node) -> bool:
    name = inner(node).child_by_field_name("name")
    parameters = node.child_by_field_name("parameters") if node.type == "template_declaration" else None
    empty = parameters is not None and not parameters.named_children
    return empty or (name is not None and name.type == "template_type")


def blank(
    text: bytes, spans: Iterable[TextSpan], directives: Iterable[TextSpan] = (), bodies: Iterable[TextSpan] = ()
) -> bytes:
    """Replace the spans by spaces; line ends and directives stay, so that every line keeps its number.

    In place of `bodies`, semicolons end declarations.
    """
    result = bytearray(text)
    for span in bodies:
        result[span.start : span.end] = b";" + re.sub(rb"[^\r\n]", b" ", text[span.start + 1 : span.end])
    for span in spans:
        result[span.start : span.end] = re.sub(rb"[^\r\n]", b" ", text[span.start : span.end])
    for directive in directives:
        result[directive.start : directive.end] = text[directive.start : directive.end]
    return bytes(result)
