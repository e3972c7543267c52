"""The fields of a suite file's `compare`: the smallest change that matters."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator

from shflbench.suite.section import Section, axis
from shflbench.suite.values import VariantName, at_most, parsed_by, says
from shflbench.thresholds import ALLOWED, AMOUNT, Special, Threshold, Thresholds

MAX_ENTRIES = 100  # each is held against every case


def _threshold(value: object) -> Threshold:
    return Threshold.parse(value if isinstance(value, str) else "")


_THRESHOLD = PlainValidator(parsed_by(_threshold), json_schema_input_type=Annotated[str, Field(pattern=f"^{AMOUNT}$")])
_Pattern = Annotated[str, Field(min_length=1), says("the name of a pattern")]
_Glob = Annotated[str, Field(min_length=1), says("ids of cases such as `reduce/*`, where `*` stands for anything")]


class SomeCases(Section):
    """Cases with a threshold of their own: those that match every key. Where entries overlap, the last one counts."""

    threshold: Annotated[Threshold, _THRESHOLD] = Field(description="the smallest change of these cases that matters")
    pattern: _Pattern = Field(default_factory=str, description="a pattern of this suite; omitted: all")
    variant: VariantName = Field(default_factory=str, description="a variant of this suite; omitted: all")
    case: _Glob = Field(
        default_factory=str, description="ids of cases, where `*` stands for anything, such as `reduce/*`; omitted: all"
    )


class Compare(Section):
    """What `shflbench compare` takes for a change, unless its flags say otherwise. No measurement depends on it."""

    threshold: Annotated[Threshold | None, _THRESHOLD] = Field(
        default_factory=lambda: None,
        description=f"the smallest change that matters: {ALLOWED}; omitted: that of the comparison",
    )
    cases: Annotated[tuple[SomeCases, ...], axis(SomeCases), at_most(MAX_ENTRIES, "entries")] = Field(
        default_factory=tuple,
        description="cases for which another change matters, such as "
        "`{pattern: neighbor, variant: shfl, threshold: 0.5%}`; each entry must match at least one",
    )

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds that the section stands for."""
        return Thresholds(
            self.threshold,
            tuple(Special(some.threshold, some.case, some.pattern, some.variant) for some in self.cases),
        )
