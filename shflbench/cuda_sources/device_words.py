"""The words of declarations that device code can reach: what others of these name decides nothing in kernels."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import BLANKS, DEVICE_WORDS, declarations, inner, is_host
from shflbench.cuda_sources.lexer import code_only
from shflbench.cuda_sources.syntax_trees import function_declarator, function_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.macros import Macros

_DEFINE = re.compile(rb"\s*#\s*define\b")
_NAMED = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "alias_declaration"})
_NAME = re.compile(rb"\w+")


def reachable_words(files: Sequence[UserFile], macros: Macros, expressions: Iterable[str]) -> frozenset[bytes]:
    """Return the words of device code, of all macros, of the instances of kernels, and of what these name.

    A class or an alias is reached by its name, and so is a function; any other declaration is taken as reached.
    """
    waiting = set(_words(" ".join(expressions).encode()))
    named: dict[bytes, set[bytes]] = defaultdict(set)  # words of the declarations of a name
    for file in files:
        defines = (span for span in file.lexed.directives if _DEFINE.match(file.text, span.start, span.end))
        waiting.update(*(_words(file.text[span.start : span.end]) for span in defines))
        for name, words in _declared(file, macros):
            (named[name] if name else waiting).update(words)
    reached: set[bytes] = set()
    while waiting:
        reached |= waiting
        waiting = set().union(*(named[name] for name in waiting if name in named)) - reached
    return frozenset(reached)


def _declared(file: UserFile, macros: Macros) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield each declaration that may be device code: its name, "" if it counts as reached, and its words."""
    for node in declarations(file.tree.root_node):
        if is_host(node, macros) and not node.has_error:
            continue
        words = _words(code_only(node.text or b""))
        yield (b"" if _is_device_code(node, words, macros) else _name(inner(node))), words


def _is_device_code(node: Node, words: Sequence[bytes], macros: Macros) -> bool:
    used = macros.words(b" ".join(words).decode(errors="replace"))
    return node.has_error or bool(used & DEVICE_WORDS)


def _name(item: Node) -> bytes:
    """Return the name of a class, an alias or a function; "" for what may declare anything."""
    name = item.child_by_field_name("name") if item.type in _NAMED else None
    if name is not None and name.type == "template_type":
        name = name.child_by_field_name("name")
    if name is None and function_declarator(item) is not None:
        text = function_name(item).rpartition("::")[2].encode()
    else:
        text = (name.text or b"") if name is not None else b""
    return text if _NAME.fullmatch(text) else b""


def _words(text: bytes) -> list[bytes]:
    return text.translate(BLANKS).split()
