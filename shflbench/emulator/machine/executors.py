"""Note for each piece of code that ran which thread alone executed it, or how many did at once.

The former is the number of the thread, and the latter the negative number of threads, at least two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.opcodes.forms import Values

TWO = -2  # different threads, one after the other

_Code = TypeVar("_Code")


def note_executors(executors: dict[_Code, int], code: _Code, threads: Values) -> None:
    """Note that these threads, at least one, execute some code."""
    known = executors.get(code)
    if known is not None and threads.size <= -known:
        return
    executed = int(threads[0]) if threads.size == 1 else -threads.size
    executors[code] = executed if known is None else joined(known, executed)


def joined(one: int, other: int) -> int:
    """Return who executed code that `one` and `other` executed, each a thread or several."""
    return one if one == other else min(one, other, TWO)


def workers(executors: int) -> int:
    """Return how many threads executed some code at once."""
    return max(-executors, 1)


def all_executors(one: Mapping[_Code, int], other: Mapping[_Code, int]) -> dict[_Code, int]:
    """Return who executed which code in two runs."""
    both = {code: joined(one[code], thread) for code, thread in other.items() if code in one}
    return {**one, **other, **both}
