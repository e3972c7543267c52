"""Events that a run reports to the terminal: some events of its jobs, and progress of the whole run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shflbench.core.words import count_noun
from shflbench.measure.condensed import CaseTimed
from shflbench.measure.events import (
    CaseFailed,
    Converged,
    Note,
    RoundDone,
    SentinelFailed,
    StepStarted,
    Verified,
    WarmedUp,
)
from shflbench.measure.stopping import FEWEST_ROUNDS
from shflbench.session.further import NextPass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Trouble
    from shflbench.measure.condensed import CondensedEvent
    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class Compiling:
    """Progress of compiling, in kernels."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Counting:
    """Progress of counting what launches do, in cases."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Working:
    """The current step, and progress of the run, in units of which a case has two: verify and time."""

    text: str
    done: float
    total: float
    case_id: str = ""  # of the step, if it is about one case


@dataclass(frozen=True, slots=True)
class GroupDone:
    """The rows of one group are on disk; `troubles` are the disturbances in its samples, by case."""

    rows: tuple[Row, ...]
    troubles: Mapping[str, Sequence[Trouble]]


RunEvent: TypeAlias = Compiling | Counting | WarmedUp | Working | GroupDone | NextPass | Note


class RunProgress:
    """Computes the progress of a run: one unit to verify a case, and one to time it."""

    def __init__(self, cases: int) -> None:
        """Expect `cases` cases, each counted once per process."""
        self._cases, self._total, self._ended = cases, 2.0 * cases, 0.0
        self._earlier = 0.0  # of `_ended`: in earlier processes
        self._process = ""
        self._verified: set[str] = set()  # without those that have ended
        self._round = self._first = 0

    def start_process(self, number: int, of: int, *, cases: int, to_come: int) -> None:
        """Begin the process `number` of `of`, counted from 1, in which `cases` cases are measured.

        `to_come` are the cases of this process and of later ones, each counted once per process: one that failed is
        not measured again.
        """
        self._ended = self._earlier = self._total - 2.0 * to_come
        self._cases = cases
        self._process = f"process {number} of {of}: " if of > 1 else ""
        self._round = self._first = 0

    def report(self, event: CondensedEvent) -> Iterator[WarmedUp | Working | Note]:
        """Yield the events for the terminal that follow from an event of a job."""
        match event:
            case WarmedUp(steady, clock):
                yield event
                if not steady and clock:
                    yield Note(f"the SM clock was still moving after the warm-up, at {clock:.0f} MHz")
            case Note():
                yield event
            case SentinelFailed(sentinel, reason):
                yield Note(f"{sentinel} failed and is not timed any more: {reason}")
            case StepStarted(case_id, "verifying"):
                self._first = self._round
                yield self._at(f"verifying, {self._finished + len(self._verified)} of {count(self._cases)}", case_id)
            case Verified(case_id):
                self._verified.add(case_id)
            case RoundDone(number=number):
                self._round = number + 1
                yield self._at(f"timing {count(len(self._verified))}, round {self._round - self._first}")
            case CaseFailed(case_id) | Converged(case_id) | CaseTimed(case_id):
                self._verified.discard(case_id)
                self._ended += 2.0
                yield self._at(f"finished {self._finished} of {count(self._cases)}", case_id)

    @property
    def _finished(self) -> int:
        """The number of cases that have ended in this process."""
        return int((self._ended - self._earlier) / 2)

    def _at(self, text: str, case_id: str = "") -> Working:
        share = min(1.0, max(0, self._round - self._first) / FEWEST_ROUNDS)  # of the timing, with the fewest rounds
        done = min(self._total, self._ended + len(self._verified) * (1 + share))
        return Working(f"{self._process}{text}", done, self._total, case_id)


def count(cases: int) -> str:
    """Return a number of cases in words: `1 case`, `24 cases`."""
    return count_noun(cases, "case")
