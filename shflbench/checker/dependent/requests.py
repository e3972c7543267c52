"""The options `--pdl` and `--same`: launches that overlap, and arguments of them that are one buffer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.selection import is_chosen, is_named
from shflbench.cuda_sources.naming import split_arguments
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.report import FileReport

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


def refuse_unknown_kernels(
    reports: Sequence[FileReport], chains: Sequence[Sequence[str]], same: Sequence[SameBuffer]
) -> None:
    """Raise UsageError for a kernel of `--pdl` or `--same` that none of the reports on several files has."""
    kernels = [kernel for report in reports for kernel in report.kernels]
    if not all(kernel.symbol for kernel in kernels):
        return  # a file that does not compile may have any kernel
    arguments = [argument for item in same for argument in (item.first, item.second)]
    named = [("--pdl", name) for chain in chains for name in chain]
    for option, name in (*named, *(("--same", argument.kernel) for argument in arguments)):
        if not any(is_named(kernel, name) or is_chosen(kernel.name, (name,)) for kernel in kernels):
            raise UsageError(f"{option}: none of the {len(reports)} files has a kernel `{name}`")
