"""Find accesses that take more passes or sectors than their data needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.model import AccessKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.model import AccessRequests, KernelRequests

CONFLICT = 1.01  # the least ratio of passes to those without conflicts: rare conflicts cost nothing
UNCOALESCED = 1.5  # the least ratio of sectors; a misaligned access of a full warp has 5 sectors instead of 4


class AccessProblem(StrEnum):
    """Why an access is slower than its amount of data requires."""

    BANK_CONFLICT = "bank-conflict"
    UNCOALESCED = "uncoalesced"


@dataclass(frozen=True, slots=True)
class AccessFinding:
    """A source line whose requests take more passes or sectors than necessary."""

    kind: AccessProblem
    access: AccessRequests
    per_request: float  # passes through the banks, or sectors of 32 bytes
    least: float  # likewise, without the problem

    @property
    def location(self) -> str:
        """The source line as `file:line`; empty if the compiler names none."""
        return f"{self.access.file}:{self.access.line}" if self.access.file else ""

    @property
    def requests(self) -> float:
        """Requests per block in one iteration, or in the whole kernel if it has no timed loop."""
        return self.access.requests


def findings(requests: KernelRequests) -> tuple[AccessFinding, ...]:
    """Return the findings on loads and stores, in the order of the source lines.

    Where atomics go depends on what they count.
    """
    moves = (access for access in requests.accesses if access.kind is not AccessKind.ATOMIC)
    return tuple(finding for access in moves for finding in _of(access))


def _of(access: AccessRequests) -> Iterator[AccessFinding]:
    pairs = (
        (AccessProblem.BANK_CONFLICT, access.passes, access.conflict_free_passes, CONFLICT),
        (AccessProblem.UNCOALESCED, access.sectors, access.least_sectors, UNCOALESCED),
    )
    for kind, taken, least, ratio in pairs:
        if taken is not None and least is not None and taken >= ratio * least:
            yield AccessFinding(kind, access, taken, least)
