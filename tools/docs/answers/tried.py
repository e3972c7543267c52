"""Count the kernels that were written or generated to beat an answer, and name those that are still faster."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from benchmarks import challengers
from benchmarks.challenger_rounds import ROUNDS
from benchmarks.challengers import CHALLENGER, Fall, falls
from benchmarks.opponents import kept, of_model
from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tools.docs.answers.answer import Answer


@dataclass(frozen=True, slots=True)
class Tried:
    """The kernels against an answer."""

    variants: int  # of the pattern
    members: int  # of its family, with the variants that are among them
    challengers: int  # kernels of experts, at the settings of this pattern and type
    settings: int  # at which these were timed
    falls: Sequence[Fall]

    @property
    def open_falls(self) -> list[Fall]:
        """The settings at which a challenger is still faster."""
        return [one for one in self.falls if not one.is_answered]

    @property
    def answered(self) -> int:
        """At how many settings a variant is as fast now."""
        return len(self.falls) - len(self.open_falls)


@cache
def _rounds() -> list[Mapping[str, Any]]:
    records: list[Mapping[str, Any]] = json.loads(challengers.RECORD.read_text(encoding="utf-8"))
    return records


def tried(answer: Answer) -> Tried:
    """Return what was tried against an answer."""
    declared = builtin_declaration(answer.pattern)
    names: set[str] = set()
    settings: set[str] = set()
    fell: list[Fall] = []
    for one, record in zip(ROUNDS, _rounds(), strict=True):
        pattern = next((new for new in one.names if one.names[new] == answer.pattern), answer.pattern)
        begin = f"{pattern} {answer.dtype} "
        for setting, times in record["settings"].items():
            if setting.startswith(begin):
                names |= {f"{one.title} {name}" for name in times if name.startswith(CHALLENGER)}
                settings.add(f"{one.title} {setting}")
        every = falls(one, record, of_model(one.model, kept()))
        fell += [fall for fall in every if fall.setting.startswith(begin)]
    members = len(declared.members) if declared and declared.family else 0
    return Tried(len(declared.variants) if declared else 0, members, len(names), len(settings), fell)
