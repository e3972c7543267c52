"""Kernels that were tried against an answer: the variants, the family, and kernels that experts wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.docs.answers.answer import Answer

# By pattern and type, of November 2026: how many kernels were timed, at how many settings, at how many of these one was
# over 3% faster than what was published, and where one still is. benchmarks/earlier.md has the times.
RECORD = Path(__file__).parents[1] / "records" / "challengers.json"


class FasterKernel(NamedTuple):
    """A kernel that is over 3% faster than all variants of today."""

    setting: str
    time: float
    unit: str


@dataclass(frozen=True, slots=True)
class Tried:
    """The kernels against an answer."""

    variants: int  # of the pattern
    members: int  # of its family, with the variants that are among them
    challengers: int = 0  # kernels of experts, at the settings of this pattern and type
    settings: int = 0  # at which these were timed
    fell: int = 0  # of the settings: a kernel was faster than what was published
    still_faster: Sequence[FasterKernel] = ()


@cache
def _challengers() -> Mapping[str, Mapping[str, Any]]:
    records: Mapping[str, Mapping[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return records


def tried(answer: Answer) -> Tried:
    """Return what was tried against an answer."""
    declared = builtin_declaration(answer.pattern)
    members = len(declared.members) if declared and declared.family else 0
    variants = len(declared.variants) if declared else 0
    record = _challengers().get(f"{answer.pattern} {answer.dtype}")
    if record is None:
        return Tried(variants, members)
    faster = [FasterKernel(*one) for one in record["still_faster"]]
    return Tried(variants, members, record["kernels"], record["settings"], record["fell"], faster)
