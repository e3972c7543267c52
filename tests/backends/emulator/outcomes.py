"""Compare what the schedules led to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.explore import Report
    from shflbench.backends.emulator.forms import Values


def wrong_under(report: Report, expected: Sequence[Values]) -> tuple[str, ...]:
    """Return the policies under which an output differs in any bit from `expected`, or the kernel did not end."""
    return tuple(outcome.policy for outcome in report.outcomes if not _equal(outcome.outputs, expected))


def _equal(outputs: Sequence[Values], expected: Sequence[Values]) -> bool:
    return len(outputs) == len(expected) and all(
        got.tobytes() == wanted.tobytes() for got, wanted in zip(outputs, expected, strict=True)
    )
