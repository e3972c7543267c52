"""The functions, classes, variables and enumerators of the host code, by the last part of their names."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import FileContents, called_name, launches
from shflbench.cuda_sources.host.launch_structures import DECLARATIONS
from shflbench.cuda_sources.host.open_questions import OpenQuestions
from shflbench.cuda_sources.name_places import (
    may_call,
    may_declare_global,
    may_define_function,
    may_define_type,
    may_enumerate,
    mentions,
)
from shflbench.cuda_sources.named_items import FirstItems, NamedItems
from shflbench.cuda_sources.naming import last_part, normalize, split_arguments
from shflbench.cuda_sources.syntax_trees import belongs_to, parse, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tree_sitter import Node

    from shflbench.cuda_sources.host.contents import HostClass, HostFunction
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.macros import Macro, Macros
    from shflbench.cuda_sources.type_names import KnownAliases

_DEVICE_CALL = re.compile(r"^(?:::)?(?:cuda[A-Z]|cub::|thrust::|hip[A-Z]|cublas|cufft|curand)")
_CONSTANT = re.compile(r"(?=[^0-9]*+[0-9])[0-9\s()*+<uUlL-]++")  # the body of a macro such as `(1 << 20)`
NO_ALIASES: dict[str, str] = {}
_MOST_DEPTH = 40  # of calls, in the search for launches


class HostProgram:
    """The host code of one translation unit."""

    def __init__(
        self,
        files: Sequence[UserFile],
        macros: Macros,
        active: Mapping[str, Macro],
        numbers: Mapping[str, int | float] | None = None,
    ) -> None:
        """Index the files; of the `macros`, those that are `active` are defined when the host code is compiled.

        Constant macros stand for the `numbers` of their names, unless device code uses them.
        """
        self.macros, self.active = macros, dict(active)
        self._files = files
        self._effects: dict[int, bool] = {}
        self._operands: dict[str, bool] = {}
        self._used_by_device: dict[str, bool] = {}
        self._contents: dict[int, FileContents] = {}  # by the id of a file
        self._library = FileContents(parse(DECLARATIONS).root_node, macros)
        library = {name: items[0] for name, items in self._library.classes.items()}
        self.functions = NamedItems(files, lambda file: self.contents(file).functions, may_define_function)
        self.kernels = NamedItems(files, lambda file: self.contents(file).kernels, may_define_function)
        self.instantiations = NamedItems(files, lambda file: self.contents(file).instantiations, may_call)
        self.undecided = undecided = OpenQuestions()
        classes = NamedItems(files, lambda file: self.contents(file).classes, may_define_type)
        specializations = NamedItems(files, lambda file: self.contents(file).specializations, may_define_type)
        self._specializations = specializations
        self.aliases: KnownAliases = NO_ALIASES  # set by the interpreter
        self.classes = FirstItems(classes, lambda known: undecided.is_open(item.body for item in known), library)
        enumerators = NamedItems(files, lambda file: self.contents(file).enumerators, may_enumerate)
        self.enumerators = FirstItems(enumerators, undecided.is_open)
        self._variables = NamedItems(files, lambda file: self.contents(file).variables, may_declare_global)
        for name, value in (numbers or {}).items():
            macro = self.macro(name)
            if macro is not None and self.is_number(name):
                self.active[name] = replace(macro, body=str(value))

    def contents(self, file: UserFile) -> FileContents:
        """Return what a file defines."""
        known = self._contents.get(id(file))
        if known is None:
            known = self._contents[id(file)] = FileContents(file.tree.root_node, self.macros)
        return known

    def _mentioning(self, words: Collection[str]) -> Iterator[UserFile]:
        """Yield the files that have one of the words, those that are parsed first."""
        yield from sorted(
            (file for file in self._files if any(mentions(file, word) for word in words)),
            key=lambda file: not file.is_parsed,
        )

    def _in_order(self, names: Iterable[str]) -> list[HostFunction]:
        """Return the functions of some names, the names in the order in which the files define them first."""
        places = {file.path: index for index, file in enumerate(self._files)}
        known = [functions for name in dict.fromkeys(names) if (functions := self.functions.get(name))]

        def place(functions: Sequence[HostFunction]) -> tuple[int, int]:
            path = self.path(functions[0].node)
            return places[path] if path is not None else 0, functions[0].node.start_byte

        return [function for functions in sorted(known, key=place) for function in functions]

    def variable(self, name: str) -> tuple[Node, Node] | None:
        """Return the declaration of a global variable, and the declarator in it."""
        known = self._variables.get(name)
        if self.undecided.is_open(declaration for declaration, _ in known):
            return None
        return known[0] if known and name not in self.functions and name not in self.kernels else None

    def declarations(self, name: str) -> list[Node]:
        """Return the declarations of variables, and of functions without a body, that have a name."""
        return [declaration for declaration, _ in self._variables.get(name)]

    @property
    def main(self) -> HostFunction | None:
        """The function that the program begins with, None if the files do not say which of several it is."""
        known = self.functions.get("main")
        is_open = self.undecided.is_open(function.node for function in known)
        return known[0] if known and not is_open else None

    def macro(self, name: str) -> Macro | None:
        """Return the macro of a name: the one that is defined in the end, or the only one of the files."""
        if name in self.active:
            return self.active[name]
        known = self.macros.definitions(name)
        return known[0] if len(known) == 1 else None

    def is_number(self, name: str) -> bool:
        """Whether a name is a macro that stands for a constant, and that device code does not use."""
        macro = self.macro(name)
        return macro is not None and bool(_CONSTANT.fullmatch(macro.body)) and not self.is_used_by_device(name)

    def is_used_by_device(self, name: str) -> bool:
        """Whether device code has a word, itself or by macros."""
        if name not in self._used_by_device:
            words = self.macros.leading_to(name)
            self._used_by_device[name] = any(
                not words.isdisjoint(self.contents(file).device_words) for file in self._mentioning(words)
            )
        return self._used_by_device[name]

    def path(self, node: Node) -> Path | None:
        """Return the file of a node; None for one of a text that a macro stands for."""
        parsed = (file for file in self._files if file.is_parsed)
        return next((file.path for file in parsed if belongs_to(node, file.tree.root_node)), None)

    def class_of(self, type_name: str) -> HostClass | None:
        """Return the class of a type, or the specialization for its template arguments; None if it is not certain."""
        plain, _, listed = (name := last_part(type_name)).partition("<")
        special = self._specializations.get(plain) if listed else []
        if special:
            wanted = self._arguments(name)
            exact = next((item for item in special if self._arguments(item.name) == wanted), None)
            if exact is not None or any(item.template for item in special):
                return exact
        return self.classes.get(plain)

    def _arguments(self, type_name: str) -> list[str]:
        listed = type_name.partition("<")[2].rpartition(">")[0]
        return [normalize(text, self.aliases) for text in split_arguments(listed)]

    def member(self, class_name: str, name: str) -> list[HostFunction]:
        """Return the member functions of a class, or of its bases, with a name."""
        known = self.class_of(class_name)
        owner = known.name if known is not None and "<" in known.name else last_part(class_name).partition("<")[0]
        members = [item for item in self.functions.get(name) if item.owner == owner]
        if members or known is None:
            return members
        return [item for base in known.bases if base != class_name for item in self.member(base, name)]

    def conversions(self, class_name: str) -> list[HostFunction]:
        """Return the conversion functions of a class, or else those of its bases."""
        known = self.class_of(class_name)
        if known is None or known.conversions:
            return list(known.conversions) if known is not None else []
        return [item for base in known.bases if base != class_name for item in self.conversions(base)]

    def has_effects(self, node: Node, depth: int = 0) -> bool:
        """Whether code launches kernels or calls the library of CUDA, directly or through functions of the files."""
        known = self._effects.get(node.id)
        if known is None:
            self._effects[node.id] = False  # while it is looked for, in recursive functions
            known = self._effects[node.id] = depth < _MOST_DEPTH and any(
                self._is_effect(item, depth) for item in walk(node)
            )
        return known

    def _is_effect(self, item: Node, depth: int) -> bool:
        if item.type == "kernel_call_syntax":
            return True
        if item.type == "call_expression":
            function = item.child_by_field_name("function")
            text = text_of(function)
            if _DEVICE_CALL.match(text):
                return True
            name = called_name(function)
            macro = self.macro(name)
            if macro is not None and any(word in macro.body for word in ("<<<", "cudaMalloc", "cudaLaunch")):
                return True
            return any(self.has_effects(callee.body, depth + 1) for callee in self.functions.get(name))
        if item.type in {"declaration", "new_expression"}:
            name = text_of(item.child_by_field_name("type")).partition("<")[0].rpartition("::")[2]
            return name in self.classes and any(
                self.has_effects(callee.body, depth + 1) for callee in self.member(name, name)
            )
        return False

    def selects(self, name: str) -> bool:
        """Whether a variable only chooses what runs, and no size or index is computed from it."""
        if name not in self._operands:
            self._operands[name] = any(name in self.contents(file).operands for file in self._mentioning({name}))
        return not self._operands[name]

    def is_called(self, name: str) -> bool:
        """Whether a function of the files calls one of this name."""
        return any(name in self.contents(file).called for file in self._files if may_call(file, name))

    @cached_property
    def launching(self) -> list[HostFunction]:
        """The functions that launch kernels themselves, in order."""
        files = [file for file in self._files if any(mark in file.text for mark in (b"<<<", b"cudaLaunch"))]
        return self._in_order(
            name for file in files for name, known in self.contents(file).functions.items() if any(map(launches, known))
        )

    @cached_property
    def names_that_may_launch(self) -> frozenset[str]:
        """The names of the functions that launch kernels, themselves or through others, and some more names."""
        marks = {"<<<", "cudaLaunch"}
        marks |= {name for name in self.macros.names if any("<<<" in one.body for one in self.macros.definitions(name))}
        files = [file for file in self._files if any(mark.encode() in file.text for mark in marks)]
        names = self._having(files, lambda text: any(mark.encode() in text for mark in marks))
        reached = names
        while reached:
            files = [file for file in self._files if any(may_call(file, name) for name in reached)]
            callers = {caller for file in files for name in reached for caller in self.contents(file).callers(name)}
            reached = callers - names
            names |= callers
        return frozenset(names)

    @cached_property
    def may_launch(self) -> list[HostFunction]:
        """The functions of these names, in order."""
        return self._in_order(self.names_that_may_launch)

    def _having(self, files: Iterable[UserFile], is_wanted: Callable[[bytes], bool]) -> set[str]:
        """Return the names of the functions of files whose bodies are wanted."""
        return {
            name
            for file in files
            for name, known in self.contents(file).functions.items()
            if any(is_wanted(function.body.text or b"") for function in known)
        }

    @property
    def texts_of_words(self) -> Iterator[str]:
        """The bodies of the functions that may count the words of the command line."""
        for file in self._mentioning({"argc"}):
            for known in self.contents(file).functions.values():
                yield from (text_of(function.body) for function in known)
