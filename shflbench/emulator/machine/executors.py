"""Note for each piece of code that ran whether one thread alone executed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.opcodes.forms import Values

SEVERAL = -1  # instead of the number of a thread

_Code = TypeVar("_Code")


def note_executors(executors: dict[_Code, int], code: _Code, threads: Values) -> None:
    """Note that these threads, at least one, execute some code: its only thread so far, or `SEVERAL`."""
    known = executors.get(code)
    if known == SEVERAL:
        return
    thread = int(threads[0]) if threads.size == 1 else SEVERAL
    executors[code] = thread if known is None else joined(known, thread)


def joined(one: int, other: int) -> int:
    """Return who executed code that `one` and `other` executed, each a thread or `SEVERAL`."""
    return one if one == other else SEVERAL


def all_executors(one: Mapping[_Code, int], other: Mapping[_Code, int]) -> dict[_Code, int]:
    """Return who executed which code in two runs."""
    both = {code: joined(one[code], thread) for code, thread in other.items() if code in one}
    return {**one, **other, **both}
