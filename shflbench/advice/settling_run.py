"""The run that would settle a question: a shipped suite that has the setting, else a suite of a few lines."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.patterns.discover import builtin
from shflbench.printable import escape
from shflbench.suite.find import find_shipped
from shflbench.suite.loader import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.answers.answer import Answer
    from shflbench.analysis.answers.request import Request
    from shflbench.patterns.declare import Pattern

OWN_SUITE = "advise.yaml"  # the name of the file that a user is asked to write
MOST_PROCESSES = 5  # of a run that shall tell two variants apart


@dataclass(frozen=True, slots=True)
class SettlingRun:
    """A run that measures a requested setting."""

    command: str
    suite: str = ""  # the text of `OWN_SUITE`, where no shipped suite has the setting


def settling_run(
    request: Request, answer: Answer, declaration: Pattern | None, *, precisely: bool
) -> SettlingRun | None:
    """Return the run that measures what was requested; `precisely` where intervals were too wide.

    None for a pattern that does not come with shflbench, whose suite is not known here.
    """
    if declaration is None or answer.pattern not in builtin():
        return None
    dtype = request.dtype or answer.dtype
    options = {**dict(answer.options), **request.options}
    launch = _launch(request, answer, declaration)
    more = ["--processes", str(MOST_PROCESSES), "--precision", "0.2%"] if precisely else []
    filters = ["--pattern", answer.pattern, "--dtype", dtype, "--launch", launch, *more]
    if suite := _suite_with(answer, dtype, options):
        return SettlingRun(shlex.join(["shflbench", "run", suite, *filters]))
    if dtype not in declaration.dtypes:
        return None
    text = _suite_text(answer, dtype, options, launch)
    return SettlingRun(shlex.join(["shflbench", "run", OWN_SUITE, *more]), text)


def _launch(request: Request, answer: Answer, declaration: Pattern) -> str:
    """Return the launch to measure: as requested; else of the requested blocks, so many that all SMs are full.

    A kernel that passes once over its data keeps their size.
    """
    if request.launch:
        return request.launch
    if request.block is None or request.block == answer.block:
        return answer.launch
    if declaration.one_pass:
        return f"{max(1, (answer.grid or 1) * answer.block // request.block)}x{request.block}"
    return f"fill x {request.block}"


def _suite_with(answer: Answer, dtype: str, options: Mapping[str, str]) -> str:
    """Return the shipped suite that has at least two variants at these settings, if possible the answer's; or empty."""
    shipped = find_shipped()
    for name in sorted(shipped, key=lambda name: (name != answer.suite, name)):
        cases = load(shipped[name]).cases
        variants = {
            case.variant
            for case in cases
            if (case.pattern, case.dtype) == (answer.pattern, dtype) and dict(case.options) == options
        }
        if len(variants) > 1:
            return name
    return ""


def _suite_text(answer: Answer, dtype: str, options: Mapping[str, str], launch: str) -> str:
    parts = [f"pattern: {answer.pattern}", f"dtypes: {dtype}", *(f"{name}: {value}" for name, value in options.items())]
    parts += [f"launch: {launch}", *([f"iterations: {answer.iterations}"] if answer.iterations > 1 else [])]
    lines = ["schema: 1", "name: advise", f"title: {answer.pattern} as in my kernel", "experiments:"]
    return escape_lines([*lines, f"  - {{{', '.join(parts)}}}"])


def escape_lines(lines: list[str]) -> str:
    """Return lines as text, with escapes for what is not printable."""
    return "".join(f"{escape(line)}\n" for line in lines)
