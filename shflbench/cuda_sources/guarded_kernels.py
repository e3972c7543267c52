"""Files whose kernels stand behind a condition of the preprocessor that holds only with a macro of the build."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from shflbench.core.words import join_words
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.lexer import code_only, without_comments
from shflbench.cuda_sources.macros import Macros
from shflbench.cuda_sources.preprocessor import FileConditions, Preprocessor
from shflbench.errors import CompileError, KernelError, NoKernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.cuda_sources.preprocessor import DirectiveLine

_KERNEL = re.compile(rb"\b__global__\b")
_ASKED = re.compile(r"(?P<negated>!\s*)?(?:\bdefined\s*\(\s*(\w+)\s*\)|\bdefined\s+(\w+)|\b([A-Za-z]\w*))")


class KernelGuard(NamedTuple):
    """The condition that leaves out the kernels of a file, with the macros for which it holds."""

    line: int
    condition: str  # as the file writes it: `#ifdef USE_CUDA`
    macros: tuple[str, ...]  # none if it is not known which ones

    @property
    def words(self) -> str:
        """What to pass: `-D USE_CUDA`."""
        return join_words([f"-D {name}" for name in self.macros])


def kernel_guard(unit: SourceUnit, define: Sequence[str]) -> KernelGuard | None:
    """Return the condition that leaves out all kernels of the main file; None if there are kernels, or it has none."""
    main = unit.main
    first = _KERNEL.search(code_only(main.text)) if b"__global__" in main.text else None
    if first is None or _has_kernel(unit, define):
        return None
    around = list(_conditions(main, first.start()))
    if not around:
        return None
    line = main.text.count(b"\n", 0, around[-1].span.start) + 1
    names = tuple(dict.fromkeys(name for item in around for name in _wanted(item)))
    holds = bool(names) and _has_kernel(unit, (*define, *names))
    return KernelGuard(line, f"#{around[-1].word} {around[-1].rest}", names if holds else ())


def with_guarding_macros(options: CompileOptions, guard: KernelGuard | None) -> tuple[CompileOptions, list[SourceNote]]:
    """Return the options with the macros without which a file has no kernel, and a note on them."""
    if guard is None or not guard.macros:
        return options, []
    text = f"compiled with {guard.words}: without, the file has no kernel (`{guard.condition}` in line {guard.line})"
    return replace(options, define=(*options.define, *guard.macros)), [SourceNote("build", text)]


def no_kernel(path: Path, guard: KernelGuard | None) -> NoKernelError:
    """Return the error for a file without kernels, which names the condition that leaves them out."""
    what = f": `{guard.condition}` in line {guard.line} leaves them out" if guard is not None else ""
    return NoKernelError(f"{path} has no kernel{what}", "Pass a file that defines a __global__ function.")


def not_compiled_with(path: Path, guard: KernelGuard, error: CompileError) -> KernelError:
    """Return the error for a file that has no kernel without the macros of its guard and does not compile with them."""
    return KernelError(
        f"{path} has no kernel without {guard.words} (`{guard.condition}` in line {guard.line}), and with it the file "
        f"does not compile: {error.reason or error.message}",
        f"Pass {guard.words} and the other options of the build.",
    )


def _has_kernel(unit: SourceUnit, define: Sequence[str]) -> bool:
    """Whether the compiler sees a kernel, or the text of a macro with one, in the main file."""
    macros = Macros((), (*unit.versions, *define)).of_command_line()
    preprocessor = Preprocessor([unit.main, *unit.sources], unit.files, macros, {"__CUDA_ARCH__"})
    return _KERNEL.search(without_comments(preprocessor.compiled(unit.main).text)) is not None


def _conditions(file: UserFile, place: int) -> Iterator[DirectiveLine]:
    """Yield the directives whose branches have a place, the outermost first."""
    branches = FileConditions(file).branches.values()
    around = [item.directive for item in branches if item.directive.span.end <= place < item.end]
    yield from sorted(around, key=lambda item: item.span.start)


def _wanted(directive: DirectiveLine) -> Iterator[str]:
    """Yield the names that a condition asks for, without those that it wants undefined and reserved ones."""
    if directive.word not in {"if", "ifdef", "elif", "elifdef"}:
        return
    for match in _ASKED.finditer(directive.rest):
        name = match[2] or match[3] or match[4]
        if not match["negated"] and name != "defined" and not name.startswith("_"):
            yield name
