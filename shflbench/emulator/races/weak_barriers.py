"""A sentence on the barriers of a program that order the execution of threads, but not their accesses to memory."""

from collections.abc import Iterator

from shflbench.emulator.link.program import Program
from shflbench.emulator.link.weak_orders import weakness
from shflbench.emulator.races.rule import place_of

_MOST_NAMED = 3


def weak_barriers(program: Program) -> str:
    """Return a sentence on the operations by which barriers order execution only, with their lines; "" for none."""
    named = list(dict.fromkeys(_named(program)))
    if not named:
        return ""
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return f"they are ordered in execution only, not in memory: {', '.join(named[:_MOST_NAMED])}{more}"


def _named(program: Program) -> Iterator[str]:
    for op in program.ops():
        if (why := weakness(op)) != "":
            yield f"{why} at {place_of(op)}"
