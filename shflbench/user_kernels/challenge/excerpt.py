"""Cut one kernel out of a file of several, with what it uses of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|else|elif|endif)\b")
_INCLUDE = re.compile(r"#\s*include\b")
# Names that an item defines: macros, types, constants and functions.
_DEFINED = re.compile(
    r"#\s*define\s+(\w+)|\b(?:struct|class|union|enum|using|namespace)\s+(\w+)|\b(\w+)(?:\[[^\]]*\])*\s*=(?!=)|\b(\w+)\s*\("
)


@dataclass(frozen=True, slots=True)
class FileItem:
    """A definition of a file with the comment before it, and the conditions of the preprocessor around it."""

    text: str
    conditions: tuple[str, ...]  # the lines `#if …` that enclose it, with `#else` behind one that it follows

    @property
    def is_comment(self) -> bool:
        """Whether it has no code."""
        return all(line.startswith("//") for line in self.text.splitlines())

    @property
    def is_kernel(self) -> bool:
        """Whether it defines a kernel."""
        return "__global__" in self.text

    @property
    def names(self) -> frozenset[str]:
        """The names that it may define: those of its first lines, before the body of a function."""
        head = self.text.partition("{")[0]
        return frozenset(filter(None, (name for match in _DEFINED.finditer(head) for name in match.groups())))

    @property
    def words(self) -> frozenset[str]:
        """The words of its code."""
        code = re.sub(r"//[^\n]*", "", self.text)
        return frozenset(re.findall(r"\w+", code))


def includes_of(text: str) -> list[str]:
    """Return the lines that include headers, in their order."""
    return [line for line in text.splitlines() if _INCLUDE.match(line)]


def kernel_excerpt(text: str, kernel: str) -> list[FileItem]:
    """Return the item that defines `kernel` and those before it that it uses, directly or through others."""
    items = [item for item in items_of(text) if not item.is_comment]
    chosen = next((item for item in items if item.is_kernel and kernel in item.names), None)
    if chosen is None:
        return []
    candidates = [item for item in items[: items.index(chosen)] if not item.is_kernel]
    kept, words = [chosen], set(chosen.words)
    for item in reversed(candidates):
        if item.names & words:
            kept.insert(0, item)
            words |= item.words
    return kept


def items_of(text: str) -> Iterator[FileItem]:
    """Yield the items of a file: texts that empty lines separate where no brace is open."""
    conditions: list[str] = []
    lines: list[str] = []
    depth = 0
    for line in text.splitlines():
        if depth == 0 and (match := _CONDITION.match(line)):
            yield from _item(lines, conditions)
            _follow(conditions, match[1], line)
        elif depth == 0 and (not line.strip() or _INCLUDE.match(line) or line.startswith("#pragma once")):
            yield from _item(lines, conditions)
        else:
            lines.append(line)
            code = line.partition("//")[0]
            depth += code.count("{") - code.count("}")
    yield from _item(lines, conditions)


def _item(lines: list[str], conditions: Sequence[str]) -> Iterator[FileItem]:
    if lines:
        yield FileItem("\n".join(lines), tuple(conditions))
        lines.clear()


def _follow(conditions: list[str], word: str, line: str) -> None:
    if word.startswith("if"):
        conditions.append(line)
    elif word == "endif":
        conditions.pop()
    else:
        conditions[-1] += f"\n{line}"


def with_conditions(item: FileItem, text: str) -> str:
    """Return a text between the conditions of an item."""
    ends = "\n#endif" * len(item.conditions)
    return "\n".join([*item.conditions, text]) + ends
