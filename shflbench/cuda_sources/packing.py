"""Read which alignment members of structures have at most: `#pragma pack` and `__attribute__((packed))`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

UNPACKED = 1 << 10  # more than any alignment
PACKED = re.compile(r"__attribute__\s*\(\(\s*(?:__packed__|packed)\s*\)\)")
_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\(([^()\n]*)\)", re.MULTILINE)


def packing(node: Node) -> int:
    """Return the largest alignment of the members of a structure in a file, as `#pragma pack` before it says."""
    root = node
    while root.parent is not None:
        root = root.parent
    kept: list[int] = []
    most = UNPACKED
    if PACKED.search(text_of(node)):
        return 1
    for match in _PRAGMA.finditer(root.text or b"", 0, node.start_byte - root.start_byte):
        words = match[1].decode(errors="replace").replace(",", " ").split()
        if "push" in words:
            kept.append(most)
        elif "pop" in words:
            most = kept.pop() if kept else UNPACKED
        numbers = [int(word) for word in words if word.isdecimal()]
        if numbers or not words:
            most = numbers[-1] if numbers and numbers[-1] else UNPACKED
    return most
