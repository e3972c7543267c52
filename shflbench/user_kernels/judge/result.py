"""The result of `shflbench.judge`, for a program and for a notebook."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.notebook import html_table, paragraphs, shown_number
from shflbench.schemas.judge import SCHEMA
from shflbench.user_kernels.judge.verdict import Decision, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.schemas.judge import JudgeDocument

_HEADINGS = ("candidate", "decision", "reason", "time_us", "speedup", "sentence")


@dataclass(frozen=True, slots=True, repr=False)
class JudgeResult:
    """One verdict per candidate, in the order that was given."""

    verdicts: tuple[Verdict, ...]
    inputs: tuple[str, ...]  # for which results were compared
    skipped: Mapping[str, str]  # inputs that the reference does not take → why
    notes: tuple[str, ...] = ()

    def to_dict(self) -> JudgeDocument:
        """Return what `shflbench judge --format json` prints; see `shflbench schema judge`."""
        return {
            "schema": SCHEMA,
            "decision": self.decision.value,
            "candidates": [verdict.to_dict() for verdict in self.verdicts],
            "inputs": list(self.inputs),
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
        }

    def json(self) -> str:
        """Return `to_dict()` as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        """Return the decisions in one line, without times, which differ between runs."""
        return f"<JudgeResult: {', '.join(f'{verdict.candidate} {verdict.decision}' for verdict in self.verdicts)}>"

    @property
    def decision(self) -> Decision:
        """Accepted if all candidates are, rejected if one is, else undecided."""
        decisions = {verdict.decision for verdict in self.verdicts}
        if Decision.REJECTED in decisions:
            return Decision.REJECTED
        return Decision.UNDECIDED if Decision.UNDECIDED in decisions else Decision.ACCEPTED

    def __getitem__(self, candidate: str) -> Verdict:
        """Return the verdict on a candidate; KeyError if there is none of this name."""
        return {verdict.candidate: verdict for verdict in self.verdicts}[candidate]

    def text(self) -> str:
        """Return the verdicts with all reasons, and the notes."""
        return "\n".join([*self._lines(), *self.notes])

    def __str__(self) -> str:
        """Return `text()`."""
        return self.text()

    def _lines(self) -> Iterator[str]:
        for verdict in self.verdicts:
            yield f"{verdict.candidate}: {verdict.sentence}"
            yield from (
                f"  {reason.question}: {reason.code}: {reason.sentence}"
                for reason in verdict.reasons
                if reason is not verdict.reason
            )
            if verdict.repeat:
                yield f"  repeat: {verdict.repeat}"

    def _repr_html_(self) -> str:
        """Return the verdicts as a table, as a notebook shows them."""
        return html_table(_HEADINGS, map(_cells, self.verdicts)) + paragraphs(*self.notes)


def _cells(verdict: Verdict) -> tuple[object, ...]:
    reason = verdict.reason
    speed = verdict.speedup[0] if verdict.speedup else None
    numbers = (shown_number(verdict.time_us), shown_number(speed))
    return (
        verdict.candidate,
        verdict.decision,
        reason.code if reason else None,
        *numbers,
        reason.sentence if reason else None,
    )
