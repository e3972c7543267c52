"""The macros and the lines that the host's compiler sees, by the conditions around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.conditions import PREDEFINED, condition, is_defined
from shflbench.cuda_sources.host_code import UserFile, blank
from shflbench.cuda_sources.lexer import TextSpan
from shflbench.cuda_sources.macros import Macro

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

MOST_DEPTH = 40  # of headers in headers
_DIRECTIVE = re.compile(r"\s*#\s*(?P<word>\w+)(?P<rest>.*)", re.DOTALL)
_DEFINITION = re.compile(r"\s*(?P<name>\w+)(?P<parameters>\([^)]*\))?(?P<body>.*)", re.DOTALL)
_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDED = re.compile(r'\s*["<]([^">]+)[">]')
_WORD = re.compile(r"[A-Za-z_]\w*")
_OPEN_LINE = re.compile(rb"(?P<sign>\s*#\s*)(?P<word>\w+)")
_OPENING = frozenset({"if", "ifdef", "ifndef"})
_FURTHER = frozenset({"elif", "elifdef", "elifndef", "else"})


@dataclass(frozen=True, slots=True)
class DirectiveLine:
    """One line of the preprocessor, with its continuations."""

    span: TextSpan
    word: str
    rest: str


@dataclass(slots=True)
class ConditionBranch:
    """The lines between a directive of a condition and the next one of the same condition."""

    directive: DirectiveLine
    end: int = 0  # where the next directive begins
    results: set[bool | None] = field(default_factory=set)  # in each reading of the file; None: it may be compiled

    @property
    def is_compiled(self) -> bool | None:
        """Whether the compiler sees it, in one of the readings."""
        if True in self.results:
            return True
        return None if None in self.results else False


@dataclass(slots=True)
class Conditional:
    """An `#if` with its further branches."""

    branches: list[ConditionBranch]
    end: TextSpan | None = None  # the `#endif`

    @property
    def is_known(self) -> bool:
        """Whether the files say which branch is compiled."""
        results = [branch.is_compiled for branch in self.branches]
        return None not in results and results.count(True) <= 1

    @property
    def lines(self) -> Iterator[TextSpan]:
        """The directives of it."""
        yield from (branch.directive.span for branch in self.branches)
        if self.end is not None:
            yield self.end


@dataclass(slots=True)
class _Open:
    """A conditional whose `#endif` has not been read."""

    around: bool | None  # whether the lines around it are compiled
    holds: bool | None  # whether those of the present branch are, where the lines around it are
    taken: bool | None  # whether one of its branches is, likewise

    @property
    def now(self) -> bool | None:
        """Whether the lines of the present branch are compiled."""
        if self.around is False or self.holds is False:
            return False
        return True if self.around and self.holds else None


class FileConditions:
    """The directives of one file, and its conditionals."""

    def __init__(self, file: UserFile) -> None:
        """Read the directives of the file."""
        self.directives = [
            DirectiveLine(span, *_parts(file.text[span.start : span.end])) for span in file.lexed.directives
        ]
        self.guard = _guard(self.directives)
        self.branches: dict[int, ConditionBranch] = {}  # by the start of the directive
        self.conditionals: list[Conditional] = []
        stack: list[Conditional] = []
        for item in self.directives:
            if item.word in _OPENING:
                stack.append(Conditional([]))
                self.conditionals.append(stack[-1])
            elif stack and item.word in _FURTHER | {"endif"}:
                stack[-1].branches[-1].end = item.span.start
            if item.word in _OPENING or (item.word in _FURTHER and stack):
                branch = self.branches[item.span.start] = ConditionBranch(item, len(file.text))
                stack[-1].branches.append(branch)
            elif item.word == "endif" and stack:
                stack.pop().end = item.span


class Preprocessor:
    """Follows the directives of the files in the order in which a compiler reads them."""

    def __init__(
        self,
        roots: Sequence[UserFile],
        files: Sequence[UserFile],
        define: Mapping[str, Macro],
        unknown: Collection[str] = (),
    ) -> None:
        """Read the `roots`, in their order, and those of the files that they include.

        `define` is what `-D` gives, and of the `unknown` names the files do not say whether they are macros.
        """
        self._files = {file.path.name: file for file in files} | {file.name: file for file in files}
        self._structures: dict[str, FileConditions] = {}  # by the name of a file
        self._once: set[str] = set()  # names of files with `#pragma once` that have been read
        self._left_out: set[str] = set()  # names of files whose `#include` is not compiled
        self.unknown = set(unknown)  # names of which the files do not say whether they are macros, or which
        self.macros: dict[str, Macro] = {**PREDEFINED, **define}
        for file in roots:
            self._read(file, 0, certain=True)

    def compiled(self, file: UserFile) -> UserFile:
        """Return a file with blanks for what the compiler does not see, and for the conditions that are decided.

        Those that remain are include guards of files without other conditions, and those that are not known.
        """
        structure, absent = self._structures.get(file.name), self._absent(file)
        conditionals = structure.conditionals if structure is not None else []
        is_guarded = structure is not None and bool(structure.guard)
        if not absent and len(conditionals) == is_guarded:
            return file
        decided = [item for item in conditionals if item.is_known]
        text = blank(file.text, [*absent, *(line for item in decided for line in item.lines)])
        for item in conditionals:
            if not item.is_known:
                text = _with_plain_conditions(text, item)
        return UserFile.of(file.path, file.name, text)

    def _absent(self, file: UserFile) -> list[TextSpan]:
        """Return the parts of a file that the compiler does not see, with the directives of their branches."""
        structure = self._structures.get(file.name)
        if structure is None:
            return [TextSpan(0, len(file.text))] if file.name in self._left_out else []
        branches = (branch for item in structure.conditionals for branch in item.branches)
        spans = (TextSpan(item.directive.span.start, item.end) for item in branches if item.is_compiled is False)
        outer: list[TextSpan] = []
        for span in sorted(spans, key=lambda item: item.start):
            if not outer or span.start >= outer[-1].end:
                outer.append(span)
        return outer

    def _read(self, file: UserFile, depth: int, *, certain: bool) -> None:
        structure = self._structures.get(file.name)
        if structure is None:
            structure = self._structures[file.name] = FileConditions(file)
        elif structure.guard in self.macros:  # nothing more of it counts
            return
        stack = [_Open(True if certain else None, holds=True, taken=True)]
        for item in structure.directives:
            if item.word in _OPENING:
                around = stack[-1].now
                holds = around is not False and self._holds(item.word, item.rest)
                stack.append(_Open(around, holds, holds))
            elif item.word in _FURTHER and len(stack) > 1:
                self._enter(stack[-1], item)
            elif item.word == "endif" and len(stack) > 1:
                stack.pop()
            else:
                self._follow(file, item, depth, is_compiled=stack[-1].now)
            if item.span.start in structure.branches and stack[-1].around is not False:
                structure.branches[item.span.start].results.add(stack[-1].holds)

    def _enter(self, top: _Open, item: DirectiveLine) -> None:
        """Enter a further branch of a conditional."""
        if top.around is False or top.taken is True:
            top.holds = False
            return
        holds = item.word == "else" or self._holds(item.word.removeprefix("el"), item.rest)
        top.holds = None if top.taken is None and holds else holds
        top.taken = top.taken if holds is False else holds

    def _follow(self, file: UserFile, item: DirectiveLine, depth: int, *, is_compiled: bool | None) -> None:
        if item.word == "include" and (match := _INCLUDED.match(item.rest)) is not None:
            header = self._files.get(match[1]) or self._files.get(match[1].rpartition("/")[2])
            if header is None or header.name in self._once or depth >= MOST_DEPTH:
                return
            if is_compiled is False:
                self._left_out.add(header.name)
            else:
                self._read(header, depth + 1, certain=is_compiled is True)
        elif is_compiled is False:
            return
        elif item.word == "define" and (match := _DEFINITION.match(item.rest)) is not None:
            names = tuple(_WORD.findall(match["parameters"])) if match["parameters"] is not None else None
            self._set(Macro(match["name"], names, match["body"].strip()), certain=is_compiled is True)
        elif item.word == "undef":
            self.macros.pop(item.rest.strip(), None)
            (self.unknown.discard if is_compiled else self.unknown.add)(item.rest.strip())
        elif item.word == "pragma" and item.rest.split() == ["once"]:
            self._once.add(file.name)

    def _set(self, macro: Macro, *, certain: bool) -> None:
        if certain:
            self.macros[macro.name] = macro
            self.unknown.discard(macro.name)
        elif self.macros.get(macro.name) != macro:
            self.macros.pop(macro.name, None)
            self.unknown.add(macro.name)

    def _holds(self, word: str, rest: str) -> bool | None:
        if word == "if":
            return condition(rest, self.macros, self.unknown)
        known = is_defined(rest.strip(), self.macros, self.unknown)
        return None if known is None else known == (word == "ifdef")


def _with_plain_conditions(text: bytes, item: Conditional) -> bytes:
    """Return a text with `#if 1`, `#elif 1` and `#else` for the directives of the branches that may be compiled.

    The grammar does not know some conditions, such as `__has_include`.
    """
    is_first = True
    for branch in item.branches:
        span = branch.directive.span
        line = text[span.start : span.end]
        match = _OPEN_LINE.match(line)
        if branch.is_compiled is not False and match is not None:
            word = b"if 1" if is_first else b"else" if branch.directive.word == "else" else b"elif 1"
            rest = re.sub(rb"[^\r\n]", b" ", line[match.end("sign") + len(word) :])
            text = text[: span.start] + match["sign"] + word + rest + text[span.end :]
            is_first = False
    return text


def _parts(directive: bytes) -> tuple[str, str]:
    """Return the word and the rest of a directive, without comments and on one line; both empty for other lines."""
    text = _COMMENT.sub(" ", directive.decode(errors="replace"))
    match = _DIRECTIVE.match(_CONTINUED.sub(" ", text))
    return (match["word"], match["rest"].strip()) if match is not None else ("", "")


def _guard(lines: Sequence[DirectiveLine]) -> str:
    """Return the macro whose `#ifndef` is around all other directives of a file; empty if there is none."""
    if not lines or lines[0].word != "ifndef" or lines[-1].word != "endif":
        return ""
    depth = 0
    for item in lines[:-1]:
        depth += (item.word in _OPENING) - (item.word == "endif")
        if depth == 0 or (depth == 1 and item.word in _FURTHER):
            return ""
    return lines[0].rest if depth == 1 else ""
