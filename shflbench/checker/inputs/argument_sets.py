"""Several values of `--arg`, which are an axis: `n=1e6,1e7` and `in=f32[1e6],f32[1e7]` are two sets of arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.inputs.grammar import BufferValue, GivenArgument, NumberValue, parse_arguments
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ADVICE = "Give each argument one value, or as many values as the others have."
# Names that options of a case have already, or that arguments of functions of a pattern have.
NO_NAMES = frozenset(
    {"l2", "carveout", "extra_shared", "at", "iterations", "pattern", "variant", "dtype", "launch", "skip"}
)

_NEXT_BUFFER = re.compile(r",(?=\s*[A-Za-z_]\w*\[)")  # a fill such as `i32[4]:1,2,3` has commas of its own


@dataclass(frozen=True, slots=True)
class ArgumentSet:
    """Values that the arguments have together."""

    arguments: tuple[GivenArgument, ...]
    option: tuple[str, str] | None = None  # the set as an option of a case, `n` and `1000000`; None if there is one set
    varied: tuple[str, ...] = ()  # names of the arguments whose values are those of this set only


def parse_argument_sets(texts: Sequence[str]) -> tuple[ArgumentSet, ...]:
    """Return the sets of arguments that the texts of `--arg` give, at least one.

    UsageError for a text that gives no value, for different numbers of values, and for sets that are equal.
    """
    values = [_values(text) for text in texts]
    counts = {len(item): item[0].partition("=")[0] for item in values if len(item) > 1}
    if len(counts) > 1:
        (few, one), (many, other) = sorted(counts.items())
        raise UsageError(f"--arg gives {few} values of `{one}` and {many} of `{other}`", ADVICE)
    count = next(iter(counts), 1)
    rows = [parse_arguments([item[min(number, len(item) - 1)] for item in values]) for number in range(count)]
    varied = tuple(row.name for row, item in zip(rows[0], values, strict=True) if len(item) > 1)
    if position := next((name for name in varied if name.isdecimal()), ""):
        raise UsageError(f"--arg gives several values of the parameter at position {position}", "Give it by its name.")
    if count == 1:
        return (ArgumentSet(rows[0]),)
    sets = tuple(ArgumentSet(row, _option(row, varied), varied) for row in rows)
    if len({item.option for item in sets}) < count:
        raise UsageError(f"--arg gives two values of `{varied[0]}` that are equal", "Leave one of them out.")
    return sets


def with_values(base: ArgumentSet, name: str, numbers: Iterable[int | float]) -> tuple[ArgumentSet, ...]:
    """Return a set for each value of one more number."""
    given = [GivenArgument(name, NumberValue(number)) for number in numbers]
    return tuple(ArgumentSet((*base.arguments, item), _option([item], [name]), (name,)) for item in given)


def _values(text: str) -> list[str]:
    """Return a text for each value of an argument."""
    name, equals, values = text.partition("=")
    parts = _NEXT_BUFFER.split(values) if "[" in values else values.split(",")
    return [f"{name.strip()}={part}" for part in parts] if equals else [text]


def _option(arguments: Sequence[GivenArgument], varied: Sequence[str]) -> tuple[str, str]:
    """Return the numbers of a set as the name and the value of an option, or the sizes of buffers without a number."""
    values = {item.name: item.value for item in arguments if item.name in varied}
    numbers = {name: str(value.value) for name, value in values.items() if isinstance(value, NumberValue)}
    sizes = {name: str(value.count) for name, value in values.items() if isinstance(value, BufferValue)}
    known = numbers or sizes
    if not known:
        raise UsageError(
            f"--arg: several values of `{varied[0]}` need a size that names them", "Give a number, or TYPE[COUNT]."
        )
    name = "-".join(re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-") for name in known)
    plain = name if re.match(r"[a-z_]", name) and name not in NO_NAMES else f"arg-{name}"
    return plain, "_".join(known.values())
