"""The macros that the user's files define, for annotations of functions and for constants."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.cuda_sources.lexer import Lexed

_DEFINE = re.compile(r"\s*#\s*define\s+(?P<name>\w+)(?P<parameters>\([^)]*\))?(?P<body>.*)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Macro:
    """One `#define`."""

    name: str
    parameters: tuple[str, ...] | None  # None for a macro without parentheses
    body: str


def substitute(macro: Macro, arguments: Sequence[str]) -> str:
    """Return the body of a macro with its arguments."""
    names = macro.parameters or ()
    given = dict(zip(names, arguments, strict=False))
    given["__VA_ARGS__"] = ", ".join(arguments[len([name for name in names if name != "__VA_ARGS__"]) :])
    body = re.sub(r"(?<!#)#(?!#)\s*(\w+)", r'"\1"', macro.body)
    return re.sub(r"\s*##\s*", "", _WORD.sub(lambda match: given.get(match[0], match[0]), body))


class Macros:
    """All definitions by name; a name may have several, of which the preprocessor chooses."""

    def __init__(self, files: Iterable[Lexed], define: Sequence[str] = ()) -> None:
        """Read the definitions of `files` and of `define`, which are as after `-D`."""
        self._all: dict[str, list[Macro]] = {}
        self._users: dict[str, set[str]] = defaultdict(set)  # word → macros that have it in their text
        self._given = set()
        for item in define:
            name, _, value = item.partition("=")
            name, _, parameters = name.partition("(")
            named = tuple(parameters.rstrip(")").split(",")) if parameters else None
            self._all[name] = [Macro(name, named, value or "1")]
            self._given.add(name)
        for file in files:
            for span in file.directives:
                self._read(file.text[span.start : span.end].decode(errors="replace"))

    def _read(self, text: str) -> None:
        match = _DEFINE.match(re.sub(r"\\\r?\n", " ", text))
        if match is None:
            return
        parameters = match["parameters"]
        names = tuple(_WORD.findall(parameters)) if parameters is not None else None
        self._all.setdefault(match["name"], []).append(
            Macro(match["name"], names, _COMMENT.sub(" ", match["body"]).strip())
        )

    def leading_to(self, name: str) -> frozenset[str]:
        """Return a name, and those of the macros that may expand to it."""
        if not self._users:
            for macro in (macro for known in self._all.values() for macro in known):
                for word in _WORD.findall(macro.body):
                    self._users[word].add(macro.name)
        names: set[str] = set()
        waiting = [name]
        while waiting:
            word = waiting.pop()
            if word not in names:
                names.add(word)
                waiting.extend(self._users.get(word, ()))
        return frozenset(names)

    def of_command_line(self) -> dict[str, Macro]:
        """Return what `-D` gives."""
        return {name: self._all[name][0] for name in self._given}

    def definitions(self, name: str) -> Sequence[Macro]:
        """Return the definitions of `name`, none if it is no macro of the files."""
        return self._all.get(name, ())

    @property
    def names(self) -> Iterable[str]:
        """All names of macros."""
        return self._all.keys()

    def body_words(self, name: str) -> Counter[str]:
        """Return how often each word and number occurs in the longest of the definitions of `name`."""
        bodies = [Counter(_TOKEN.findall(macro.body)) for macro in self.definitions(name)]
        return max(bodies, key=Counter.total, default=Counter())

    def constant(self, name: str) -> str | None:
        """Return what `name` stands for if all definitions agree and `-D` or a file gives one; else None.

        A name that `-D` gives has that value, because files guard their own by `#ifndef`.
        """
        known = self._all.get(name, [])
        if not known or any(macro.parameters is not None for macro in known):
            return None
        if name in self._given:
            return known[0].body
        bodies = {macro.body for macro in known}
        return known[0].body if len(bodies) == 1 else None

    def words(self, text: str) -> frozenset[str]:
        """Return the words of `text` and those that its macros may expand to."""
        words: set[str] = set()
        waiting = _WORD.findall(text)
        while waiting:
            word = waiting.pop()
            if word not in words:
                words.add(word)
                for macro in self.definitions(word):
                    waiting.extend(_WORD.findall(macro.body))
        return frozenset(words)
