"""Tell how far a run has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure.messages import Doing, Ended, Message, Remark, Round, Settled, Unwatched, Verified, Warm
from shflbench.measure.stopping import FEWEST_ROUNDS
from shflbench.session.events import Event, Note, WarmedUp, Working

if TYPE_CHECKING:
    from collections.abc import Iterator


class Progress:
    """Counts one unit to verify a case, and one to time it."""

    def __init__(self, cases: int) -> None:
        """Expect so many cases, counted once for each process that they are measured in."""
        self._total, self._ended = 2.0 * cases, 0.0
        self._verified: set[str] = set()  # and not ended
        self._round = self._first = 0

    def expect(self, cases: int) -> None:
        """Count as done whatever is not to come: a case that failed is not measured in later processes."""
        self._ended = self._total - 2.0 * cases

    def events(self, message: Message) -> Iterator[Event]:
        """Yield what whoever watches should be told of a message."""
        match message:
            case Warm(steady, clock):
                yield WarmedUp(steady, clock)
                if not steady and clock:
                    yield Note(f"the SM clock was still moving after the warm-up, at {clock:.0f} MHz")
            case Remark(sentence):
                yield Note(sentence)
            case Unwatched(sentinel, reason):
                yield Note(f"{sentinel} failed, and watches the machine no more: {reason}")
            case Doing(case_id, "verifying"):
                self._first = self._round
                yield self._at(f"verifying {case_id}")
            case Verified(case_id):
                self._verified.add(case_id)
            case Round(number=number):
                self._round = number + 1
                yield self._at(f"timing {len(self._verified)} cases")
            case Ended(case_id) | Settled(case_id):
                self._verified.discard(case_id)
                self._ended += 2.0
                yield self._at(case_id)

    def _at(self, text: str) -> Working:
        share = min(1.0, max(0, self._round - self._first) / FEWEST_ROUNDS)  # of the timing, if all goes well
        return Working(text, min(self._total, self._ended + len(self._verified) * (1 + share)), self._total)
