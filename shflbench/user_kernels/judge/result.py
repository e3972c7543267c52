"""The result of `shflbench.judge`, for a program and for a notebook."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from shflbench.user_kernels.judge.verdict import Decision, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMA = 1  # of `to_dict()`: keys may be added, and none changes its meaning, without another number
_HEADINGS = ("candidate", "decision", "reason", "time_us", "speedup", "sentence")


@dataclass(frozen=True, slots=True, repr=False)
class JudgeResult:
    """One verdict per candidate, in the order that was given."""

    verdicts: tuple[Verdict, ...]
    inputs: tuple[str, ...]  # for which results were compared
    skipped: Mapping[str, str]  # inputs that the reference does not take → why
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what `shflbench judge --format json` prints."""
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
        """Return the decisions, without times."""
        return f"JudgeResult({', '.join(f'{verdict.candidate}: {verdict.decision}' for verdict in self.verdicts)})"

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
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _cells(item))}</tr>" for item in self.verdicts
        )
        head = "".join(f"<th>{name}</th>" for name in _HEADINGS)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


def _cells(verdict: Verdict) -> Iterator[str]:
    yield verdict.candidate
    yield verdict.decision
    yield verdict.reason.code if verdict.reason else ""
    yield "" if verdict.time_us is None else f"{verdict.time_us:.4g}"
    yield "" if verdict.speedup is None else f"{verdict.speedup[0]:.2f}"
    yield verdict.reason.sentence if verdict.reason else ""
