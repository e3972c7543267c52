"""The host code of some files, as the interpreter runs it: with expanded launch macros, constants and types."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources.constants import Evaluator
from shflbench.cuda_sources.host.interpreter import Interpreter
from shflbench.cuda_sources.host.machine import MOST_OF_SEVERAL, MOST_TOTAL, HostBudget
from shflbench.cuda_sources.host.program import HostProgram
from shflbench.cuda_sources.launch_macros import with_launches
from shflbench.cuda_sources.launch_texts import LaunchSite, launches
from shflbench.cuda_sources.layouts import Types
from shflbench.cuda_sources.macros import Macros
from shflbench.cuda_sources.preprocessor import Preprocessor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.kernel_file import HostChange
    from shflbench.emulator.file_budget import FileBudget


NONE_KNOWN: Mapping[str, UserFile] = {}


class HostSource:
    """The host code of one translation unit, or of several files of a program."""

    def __init__(  # noqa: PLR0913, PLR0917  (what host code consists of)
        self,
        roots: Sequence[UserFile],
        files: Sequence[UserFile],
        define: Sequence[str],
        kernels: Mapping[str, Sequence[Definition]],
        change: HostChange,
        budget: FileBudget,
        known: Mapping[str, UserFile] = NONE_KNOWN,
    ) -> None:
        """Read the files; some may be `known` as the compiler sees them, by their names.

        `roots` are those that a compiler is given, in the order in which their macros count, `define` is as after `-D`,
        and `kernels` has the definitions of kernels by the last part of their names.
        """
        self._kernels, self._change = kernels, change
        self._budget = HostBudget(budget, MOST_TOTAL if len(roots) == 1 else MOST_OF_SEVERAL)
        self._preprocessor = Preprocessor(roots, files, Macros((), define).of_command_line())
        self._files = [known.get(file.name) or self._preprocessor.compiled(file) for file in files]
        self._macros = Macros([file.lexed for file in self._files], define)

    @cached_property
    def files(self) -> list[UserFile]:
        """The files as the compiler of the host sees them, with expanded launch macros."""
        templates = [name for name, known in self._kernels.items() if any(item.template for item in known)]
        return with_launches(self._files, self._macros, self._preprocessor.macros, templates)

    @cached_property
    def evaluator(self) -> Evaluator:
        """Constants of the host code."""
        evaluator = Evaluator(self.files, self._macros)
        evaluator.types = Types(self._files, evaluator.text)
        return evaluator

    @property
    def types(self) -> Types:
        """Typedefs and structures."""
        types = self.evaluator.types
        assert types is not None  # noqa: S101  (set with the evaluator)
        return types

    @cached_property
    def sites(self) -> list[LaunchSite]:
        """The launches in the text."""
        return launches(self.files, self.evaluator)

    @property
    def budget(self) -> HostBudget:
        """What the runs of the functions have left."""
        return self._budget

    @cached_property
    def interpreter(self) -> Interpreter:
        """The interpreter of the functions."""
        program = HostProgram(self.files, self._macros, self._preprocessor.macros, self._change.numbers)
        return Interpreter(program, self.types, self._kernels, self._change, self._budget)
