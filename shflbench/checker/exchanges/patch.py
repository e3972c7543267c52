"""A file with shuffles and weaker barriers: what advice says of each line, as an edit of the source."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.advice import advise_file
from shflbench.checker.exchanges.barrier_advice import BarrierNeed
from shflbench.checker.exchanges.barrier_edits import edit_barriers, lines_of
from shflbench.checker.exchanges.diff_paths import name_in_diff
from shflbench.checker.exchanges.same_memory import leaves_same_memory
from shflbench.checker.exchanges.shared_use import function_at, functions_of, shared_uses
from shflbench.checker.exchanges.shuffle_edits import shuffled_texts
from shflbench.checker.file_check import check_kernels
from shflbench.checker.file_reading import read_file, with_given_numbers
from shflbench.emulator.races.hazards import HazardKind
from shflbench.errors import CompileError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from shflbench.checker.exchanges.advice import ExchangeAdvice, KernelAdvice
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.options import FileOptions
    from shflbench.checker.report import KernelReport
    from shflbench.checker.runs.evidence import KernelEvidence
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.link.program import Program


@dataclass(frozen=True, slots=True)
class Patch:
    """A file with shuffles and weaker barriers, which computes the same."""

    path: Path
    text: str  # of the changed file
    kernels: tuple[str, ...] = ()  # whose code differs, as `--kernel` takes them

    @property
    def diff(self) -> bytes:
        """The unified diff from the file to its changed text, with the bytes of the file; empty if they are equal."""
        before, after = lines_of(_read(self.path)), lines_of(self.text)
        diff = unified_diff(before, after, name_in_diff(self.path, "a"), name_in_diff(self.path, "b"))
        lines = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)
        return _bytes("".join(lines))

    @contextmanager
    def copy(self) -> Iterator[Path]:
        """Write the changed file to a folder of its own, which lacks the headers beside the file."""
        with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
            copy = Path(folder) / self.path.name
            copy.write_bytes(_bytes(self.text))
            yield copy


def make_patch(path: Path, advice: Sequence[KernelAdvice], options: FileOptions) -> Patch:
    """Return the text of a file with shuffles and weaker barriers as advised; as it is if nothing can be changed.

    Each change is compiled and checked in a folder of its own: all kernels get the verdicts that they have, and leave
    the same memory for all inputs of the launches that the advice rests on. The file itself stays as it is.
    """
    patch = _with_shuffles(Patch(path, _read(path)), advice, options)
    needs = _needs(path, patch.text, advice)
    if patch.kernels:
        with patch.copy() as copy:
            needs = _needs(copy, patch.text, advise_file(copy, _beside(path, options), lambda _: None))
    changed = edit_barriers(patch.text, needs)
    return patch if changed == patch.text else _confirmed(path, changed, advice, options) or patch


def _read(path: Path) -> str:
    return path.read_bytes().decode(errors="surrogateescape")  # as it is: a diff for other line ends does not apply


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _beside(path: Path, options: FileOptions) -> FileOptions:
    """Return options with which a file in another folder finds the headers beside `path`."""
    return options.including(path.resolve().parent)


def _with_shuffles(patch: Patch, advice: Sequence[KernelAdvice], options: FileOptions) -> Patch:
    """Return a patch with shuffles instead of arrays, where one of the ways to write them does the same."""
    path, text = patch.path, _bytes(patch.text)
    exchanges: dict[tuple[int, int], list[ExchangeAdvice]] = {}
    for kernel in advice:
        for item in kernel.exchanges:
            if item.store.file.resolve() == item.load.file.resolve() == path.resolve():
                exchanges.setdefault((item.store.line, item.load.line), []).append(item)
    may_change_any = _changeable(path, patch.text, advice)
    may_change_tried = _changeable(path, patch.text, advice, [kernel for kernel in advice if kernel.only])
    is_reached = all(kernel.is_reached for kernel in advice)
    known = {(use.function, use.name): exchanges.get(use.lines, []) for use in shared_uses(text, pointers=is_reached)}
    for key, items in known.items():
        may_change = may_change_any if all(item.is_proved for item in items) else may_change_tried
        if not items or not may_change(items[0].load.line) or not all(item.instead for item in items):
            continue
        use = next(use for use in shared_uses(text, pointers=is_reached) if (use.function, use.name) == key)
        candidates = (item.decode(errors="surrogateescape") for item in shuffled_texts(text, use, items[0]))
        patches = (_confirmed(path, candidate, advice, options) for candidate in candidates)
        if changed := next(filter(None, patches), None):
            patch, text = changed, _bytes(changed.text)
    return patch


def _changeable(
    path: Path, text: str, advice: Sequence[KernelAdvice], excluded: Sequence[KernelAdvice] = ()
) -> Callable[[int], bool]:
    """Return whether a line may change: not one of a kernel without advice, or of a function that it may call.

    Neither one of the `excluded` kernels.
    """
    functions = functions_of(_bytes(text))

    def of_places(places: Iterable[SourceLine]) -> set[int]:
        return {function_at(functions, place.line) for place in places if place.file.resolve() == path.resolve()}

    unknown = {place for kernel in advice for place in kernel.others}
    unknown |= {kernel.report.place for kernel in (*advice, *excluded) if kernel.missing or kernel in excluded}
    known = of_places(kernel.report.place for kernel in advice) - of_places(unknown)
    return lambda line: not unknown or function_at(functions, line) in known


def _confirmed(path: Path, text: str, advice: Sequence[KernelAdvice], options: FileOptions) -> Patch | None:
    """Return the patch to a text if it compiles, its kernels get the same verdicts, and they leave the same memory."""
    programs: dict[str, Program] = {}

    def study(linked: LinkedKernel, _: KernelEvidence) -> None:
        programs[linked.kernel.symbol] = linked.program

    with Patch(path, text).copy() as copy:
        given = _beside(path, options).begun()
        try:
            file, given = with_given_numbers(read_file(copy, given), given)
            report = check_kernels(file, given, study=study)
        except (CompileError, KernelError):
            return None
    if list(map(_verdict, report.kernels)) != [_verdict(item.report) for item in advice]:
        return None
    changed = []
    for kernel in advice:
        if (runs := kernel.runs) is None:
            continue
        program = programs.get(kernel.report.symbol)
        if program is None or not leaves_same_memory(runs, program, given.budget):
            return None
        if _texts(program) != _texts(runs.program):
            changed.append(kernel.report.choice)
    return Patch(path, text, tuple(changed))


def _verdict(report: KernelReport) -> tuple[object, ...]:
    """Return what a changed kernel has in common with the kernel; a shuffle should not name lanes that have exited."""
    names_exited = any(finding.kind is HazardKind.EXITED for finding in report.findings)
    return report.symbol, report.verdict, names_exited


def _texts(program: Program) -> list[str]:
    return [op.instruction.text for op in program.ops()]


def _needs(path: Path, text: str, advice: Sequence[KernelAdvice]) -> dict[int, BarrierNeed]:
    """Return what the barriers in the lines of a file are needed for by all kernels that have them."""
    needs: dict[int, set[BarrierNeed]] = {}
    for kernel in advice:
        for barrier in kernel.barriers:
            if barrier.line.file.resolve() == path.resolve():
                need = barrier.need if barrier.is_proved else BarrierNeed.UNKNOWN
                needs.setdefault(barrier.line.line, set()).add(need)
    may_change = _changeable(path, text, advice)
    return {line: kinds.pop() for line, kinds in needs.items() if len(kinds) == 1 and may_change(line)}
