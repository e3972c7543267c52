"""A file with weaker barriers: what advice says of each line, as an edit of the source."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.advice import BarrierNeed
from shflbench.checker.file_check import check_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.checker.exchanges.advice import KernelAdvice
    from shflbench.checker.file_check import FileOptions
    from shflbench.checker.report import FileReport

_BARRIER = re.compile(r"\b__syncthreads\s*\(\s*\)")
_ALONE = re.compile(r"\s*__syncthreads\s*\(\s*\)\s*;\s*(?://.*)?")
_COMMENT = re.compile(r"//.*")


def barrier_patch(path: Path, advice: Sequence[KernelAdvice], options: FileOptions) -> str:
    """Return a unified diff that weakens or removes barriers of a file as advised; empty if nothing can be changed.

    Only of a text whose kernels all get the verdicts that they have: the changed file is compiled and checked in a
    folder of its own. The file itself stays as it is.
    """
    text = path.read_bytes().decode(errors="surrogateescape")  # as it is: a diff for other line ends does not apply
    changed = edited(text, _needs(path, advice))
    if changed == text:
        return ""
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(changed.encode(errors="surrogateescape"))
        include = (path.resolve().parent, *options.include)
        after = check_file(copy, replace(options, include=include))
    if _verdicts(after) != [(kernel.report.name, kernel.report.verdict) for kernel in advice]:
        return ""
    diff = unified_diff(_lines(text), _lines(changed), f"a/{path.name}", f"b/{path.name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def _lines(text: str) -> list[str]:
    """Return the lines as compilers count them: form feeds and other separators of `str.splitlines` end none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _verdicts(report: FileReport) -> list[tuple[str, str]]:
    return [(kernel.name, kernel.verdict) for kernel in report.kernels]


def _needs(path: Path, advice: Sequence[KernelAdvice]) -> dict[int, BarrierNeed]:
    """Return what the barriers in the lines of a file are needed for by all kernels that have them."""
    needs: dict[int, set[BarrierNeed]] = {}
    for kernel in advice:
        for barrier in kernel.barriers:
            if barrier.line.file.resolve() == path.resolve():
                needs.setdefault(barrier.line.line, set()).add(barrier.need)
    return {line: kinds.pop() for line, kinds in needs.items() if len(kinds) == 1}


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
