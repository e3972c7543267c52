"""A file with shuffles and weaker barriers: what advice says of each line, as an edit of the source."""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.advice import BarrierNeed, advise_file
from shflbench.checker.exchanges.same_memory import leaves_same_memory
from shflbench.checker.exchanges.shared_use import function_at, functions_of, shared_uses
from shflbench.checker.exchanges.shuffle_edits import shuffled_texts
from shflbench.checker.files import check_kernels, read_file, with_given_numbers
from shflbench.errors import CompileError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from shflbench.checker.exchanges.advice import ExchangeAdvice, KernelAdvice
    from shflbench.checker.files import FileOptions
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.link.program import Program
    from shflbench.checker.runs.evidence import KernelEvidence

_BARRIER = re.compile(r"\b__syncthreads\s*\(\s*\)")
_ALONE = re.compile(r"\s*__syncthreads\s*\(\s*\)\s*;\s*(?://.*)?")
_COMMENT = re.compile(r"//.*")


def patched(path: Path, advice: Sequence[KernelAdvice], options: FileOptions) -> str:
    """Return the text of a file with shuffles and weaker barriers as advised; as it is if nothing can be changed.

    Each change is compiled and checked in a folder of its own: all kernels get the verdicts that they have, and leave
    the same memory for all inputs of the launches that the advice rests on. The file itself stays as it is.
    """
    text = _read(path)
    shuffled = _with_shuffles(path, text, advice, options)
    if shuffled != text:
        with _copy(path, shuffled, options) as (copy, given):
            needs = _needs(copy, shuffled, advise_file(copy, given, lambda _: None))
    else:
        needs = _needs(path, text, advice)
    changed = edited(shuffled, needs)
    return changed if changed == shuffled or _is_same(path, changed, advice, options) else shuffled


def patch_text(path: Path, changed: str) -> str:
    """Return the unified diff from a file to its changed text; empty if they are equal."""
    diff = unified_diff(_lines(_read(path)), _lines(changed), f"a/{path.name}", f"b/{path.name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def _read(path: Path) -> str:
    return path.read_bytes().decode(errors="surrogateescape")  # as it is: a diff for other line ends does not apply


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


@contextmanager
def _copy(path: Path, text: str, options: FileOptions) -> Iterator[tuple[Path, FileOptions]]:
    """Write a changed text to a folder of its own; yield its path, and options that find the headers of the file."""
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(_bytes(text))
        yield copy, replace(options, include=(path.resolve().parent, *options.include))


def _with_shuffles(path: Path, text: str, advice: Sequence[KernelAdvice], options: FileOptions) -> str:
    """Return a text with shuffles instead of arrays, where one of the ways to write them does the same."""
    exchanges: dict[tuple[int, int], list[ExchangeAdvice]] = {}
    for kernel in advice:
        for item in kernel.exchanges:
            if item.store.file.resolve() == item.load.file.resolve() == path.resolve():
                exchanges.setdefault((item.store.line, item.load.line), []).append(item)
    may_change = _changeable(path, text, advice)
    known = {(use.function, use.name): exchanges.get(use.lines, []) for use in shared_uses(_bytes(text))}
    for key, items in known.items():
        if not items or not may_change(items[0].load.line) or not all(item.instead for item in items):
            continue
        use = next(use for use in shared_uses(_bytes(text)) if (use.function, use.name) == key)
        for candidate in shuffled_texts(_bytes(text), use, items[0]):
            changed = candidate.decode(errors="surrogateescape")
            if _is_same(path, changed, advice, options):
                text = changed
                break
    return text


def _changeable(path: Path, text: str, advice: Sequence[KernelAdvice]) -> Callable[[int], bool]:
    """Return whether a line may change: not one of a kernel without advice, or of a function that it may call."""
    functions = functions_of(_bytes(text))

    def of_kernels(kernels: Iterable[KernelAdvice]) -> set[int]:
        places = [kernel.report.place for kernel in kernels]
        return {function_at(functions, place.line) for place in places if place.file.resolve() == path.resolve()}

    unknown = [kernel for kernel in advice if kernel.missing]
    known = of_kernels(advice) - of_kernels(unknown)
    return lambda line: not unknown or function_at(functions, line) in known


def _is_same(path: Path, text: str, advice: Sequence[KernelAdvice], options: FileOptions) -> bool:
    """Whether a changed text compiles, its kernels get the same verdicts, and they leave the same memory."""
    programs: dict[str, Program] = {}

    def study(linked: LinkedKernel, _: KernelEvidence) -> None:
        programs[linked.kernel.symbol] = linked.program

    with _copy(path, text, options) as (copy, given):
        try:
            file, numbered = with_given_numbers(read_file(copy, given, given.deadline), given)
            report = check_kernels(file, numbered, given.deadline, study=study)
        except (CompileError, KernelError):
            return False
    if [(item.name, item.verdict) for item in report.kernels] != [
        (item.report.name, item.report.verdict) for item in advice
    ]:
        return False
    return all(
        kernel.report.symbol in programs
        and leaves_same_memory(kernel.runs, programs[kernel.report.symbol], options.deadline)
        for kernel in advice
        if kernel.runs is not None
    )


def _lines(text: str) -> list[str]:
    """Return the lines as compilers count them: form feeds and other separators of `str.splitlines` end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _needs(path: Path, text: str, advice: Sequence[KernelAdvice]) -> dict[int, BarrierNeed]:
    """Return what the barriers in the lines of a file are needed for by all kernels that have them."""
    needs: dict[int, set[BarrierNeed]] = {}
    for kernel in advice:
        for barrier in kernel.barriers:
            if barrier.line.file.resolve() == path.resolve():
                needs.setdefault(barrier.line.line, set()).add(barrier.need)
    may_change = _changeable(path, text, advice)
    return {line: kinds.pop() for line, kinds in needs.items() if len(kinds) == 1 and may_change(line)}


def edited(text: str, needs: Mapping[int, BarrierNeed]) -> str:
    """Return a text whose barriers, by the numbers of their lines, are weakened or removed.

    A barrier is removed only with its whole line, and not where it is all that a condition or a loop executes.
    """
    lines = _lines(text)
    kept = []
    for number, line in enumerate(lines, 1):
        need = needs.get(number)
        if need is BarrierNeed.WARP and len(_BARRIER.findall(line)) == 1:
            kept.append(_BARRIER.sub("__syncwarp()", line))
        elif need is not BarrierNeed.NOTHING or not _is_alone(line, lines[: number - 1]):
            kept.append(line)
    return "".join(kept)


def _is_alone(line: str, before: Sequence[str]) -> bool:
    """Whether a line is a barrier behind a whole statement."""
    code = [text for item in before if (text := _COMMENT.sub("", item).strip())]
    return bool(_ALONE.fullmatch(line.rstrip("\r\n")) and code and code[-1].endswith((";", "{", "}")))
