"""The options `--pdl` and `--same`: launches that overlap, and arguments of them that are one buffer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shflbench.cuda_sources.naming import split_arguments
from shflbench.errors import UsageError

_FEWEST = 2  # kernels of a chain
_ARGUMENT = re.compile(r"(?P<kernel>.+?)\.(?P<name>[A-Za-z_]\w*(?:\.\w+)*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """An argument of a kernel, by the names that the user gives."""

    kernel: str
    name: str

    def __str__(self) -> str:
        """Return it as the user writes it."""
        return f"{self.kernel}.{self.name}"


@dataclass(frozen=True, slots=True)
class SameBuffer:
    """Two arguments that point to one buffer."""

    first: KernelArgument
    second: KernelArgument


def parse_chain(text: str) -> tuple[str, ...]:
    """Return the kernels that a text of `--pdl` names, in the order of their launches; UsageError for anything else."""
    names = tuple(part.strip() for part in split_arguments(text))
    if len(names) < _FEWEST or not all(names):
        raise UsageError(f"--pdl `{text}` does not name two kernels", "Write it as --pdl PRIMARY,SECONDARY.")
    return names


def parse_same(text: str) -> SameBuffer:
    """Return the arguments that a text of `--same` names; UsageError for anything else."""
    parts = [_ARGUMENT.fullmatch(part.strip()) for part in text.split("=")]
    if len(parts) != _FEWEST or parts[0] is None or parts[1] is None:
        advice = "Write it as --same PRIMARY.out=SECONDARY.in."
        raise UsageError(f"--same `{text}` does not name an argument of each of two kernels", advice)
    first, second = (KernelArgument(part["kernel"], part["name"]) for part in parts if part is not None)
    return SameBuffer(first, second)
