"""Names of charts, as a suite declares them: `reduce-time-by-width`, `limits`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import did_you_mean
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.suite.problems import KEYS_ADVICE, Problem
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.patterns.discover import LoadedPattern

MAX_CHARTS = 6  # so many are looked at; `plot --all` draws the others
OF_RUN = ("samples", "limits", "predictions")  # charts of a whole run
_QUANTITIES = ("time", "bandwidth")
_SPEEDUPS = ("speedup", "speedup-by-launch")
_AXES = ("grid", "block", "size")  # of every pattern, besides its options


def check_charts(names: Sequence[str], patterns: Iterable[LoadedPattern]) -> Iterator[Problem]:
    """Yield the names that no chart of the patterns can have, and those that stand there twice."""
    known = [*OF_RUN, *(name for pattern in patterns for name in _names(pattern))]
    seen: set[str] = set()
    for index, name in enumerate(names):
        at = ("charts", index)
        if name not in known:
            needed = (
                f"allowed: {', '.join(OF_RUN)}, or a pattern of this suite with what is drawn, such as `{known[-1]}`"
            )
            yield Problem(at, f"unknown chart {quote(name)}", needed + did_you_mean(name, known), advice=KEYS_ADVICE)
        elif name in seen:
            yield Problem(at, f"found {quote(name)} a second time", "allowed: each chart once")
        seen.add(name)


def _names(pattern: LoadedPattern) -> Iterator[str]:
    yield from (f"{pattern.name}-{kind}" for kind in (*_SPEEDUPS, *_QUANTITIES))
    axes = (*LAUNCH_OPTIONS, *pattern.declaration.options, *_AXES)
    yield from (f"{pattern.name}-{quantity}-by-{axis}" for quantity in reversed(_QUANTITIES) for axis in axes)
