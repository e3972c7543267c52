"""Compare the results of the schedules."""

from collections.abc import Sequence

from shflbench.emulator.explore import Exploration
from shflbench.emulator.opcodes.forms import Values


def wrong_under(report: Exploration, expected: Sequence[Values]) -> tuple[str, ...]:
    """Return the policies under which an output differs in any bit from `expected`, or the kernel did not end."""
    return tuple(result.policy for result in report.results if not _equal(result.outputs, expected))


def _equal(outputs: Sequence[Values], expected: Sequence[Values]) -> bool:
    return len(outputs) == len(expected) and all(
        got.tobytes() == wanted.tobytes() for got, wanted in zip(outputs, expected, strict=True)
    )
