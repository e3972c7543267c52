"""The table of litmus tests: two threads, a mechanism between them, its orders and its scopes.

Thread `first` accesses a word, signals, and thread `second` waits and accesses the word. A row is sound if the first
access happened before the second one in each execution in which the wait ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product

ACCESSES = {"RAW": ("write", "read"), "WAR": ("read", "write"), "WAW": ("write", "write")}
BLOCK, CLUSTER, GRID = "block", "cluster", "grid"  # what the two threads have in common; of a block, other warps
SCOPES = ("cta", "cluster", "gpu")
NONE = ""
USED = "used"  # in words, as it stands in the name of a row


@dataclass(frozen=True)
class Litmus:
    """One row; what is empty does not exist."""

    mechanism: str  # barrier of the block or the cluster, mbarrier, flag, or atomics of the word itself
    together: str  # the smallest that holds both threads: block, cluster or grid
    access: str  # RAW, WAR or WAW
    memory: str  # of the word: shared (of the block of the second thread) or global
    fence: str = NONE  # scope of a fence before the signal
    signal: str = NONE  # order and scope of the signal: `release.cta`
    wait: str = NONE  # order and scope of the wait: `acquire.cta`
    fence_after: str = NONE  # scope of a fence after the wait
    used: str = NONE  # whether an instruction uses what the first thread reads before its fence and its signal

    @property
    def name(self) -> str:
        """The row as a word."""
        return "-".join(str(getattr(self, item.name)) for item in fields(self) if getattr(self, item.name))

    def differences(self, other: "Litmus") -> int:
        """Return in how many columns two rows differ."""
        return sum(getattr(self, item.name) != getattr(other, item.name) for item in fields(self))


def rows() -> list[Litmus]:
    """Return all rows."""
    return list(dict.fromkeys([*_barriers(), *_mbarriers(), *_flags(), *_atomics()]))


def _in_both_forms(row: Litmus) -> Iterator[Litmus]:
    """Yield a row, and if its first thread reads also the row in which that uses the value."""
    yield row
    if ACCESSES[row.access][0] == "read":
        yield replace(row, used=USED)


def _barriers() -> Iterator[Litmus]:
    for together, access in product((BLOCK, CLUSTER), ACCESSES):
        yield Litmus("block barrier", together, access, "shared")
    for access, memory, fence, signal in product(
        ACCESSES, ("shared", "global"), (NONE, *SCOPES), ("release", "relaxed")
    ):
        yield from _in_both_forms(Litmus("cluster barrier", CLUSTER, access, memory, fence, signal))
    for access, signal in product(ACCESSES, ("release", "relaxed")):
        yield from _in_both_forms(Litmus("cluster barrier", BLOCK, access, "shared", NONE, signal))
        yield Litmus("cluster barrier", GRID, access, "global", NONE, signal)


def _mbarriers() -> Iterator[Litmus]:
    signals = ("release.cta", "release.cluster", "relaxed.cluster")
    waits = ("acquire.cta", "acquire.cluster", "relaxed.cluster")
    for together, access, signal, wait in product((BLOCK, CLUSTER), ACCESSES, signals, waits):
        yield from _in_both_forms(Litmus("mbarrier", together, access, "shared", NONE, signal, wait))
    for fence, fence_after in product((NONE, *SCOPES), repeat=2):
        yield Litmus("mbarrier", CLUSTER, "RAW", "shared", fence, "relaxed.cluster", "relaxed.cluster", fence_after)
        yield Litmus("mbarrier", CLUSTER, "RAW", "shared", fence, "release.cluster", "relaxed.cluster", fence_after)


def _flags() -> Iterator[Litmus]:
    for together, memory, scope, other in product((BLOCK, CLUSTER, GRID), ("shared", "global"), SCOPES, SCOPES):
        if together != GRID or memory == "global":
            yield Litmus("flag", together, "RAW", memory, NONE, f"release.{scope}", f"acquire.{other}")
    for together, scope in product((BLOCK, CLUSTER, GRID), SCOPES):
        for access, signal, wait in product(ACCESSES, ("release", "relaxed"), ("acquire", "relaxed")):
            yield Litmus("flag", together, access, "global", NONE, f"{signal}.{scope}", f"{wait}.{scope}")
        for fence, fence_after in product((NONE, scope), repeat=2):
            relaxed = f"relaxed.{scope}"
            yield Litmus("flag", together, "RAW", "global", fence, relaxed, relaxed, fence_after)


def _atomics() -> Iterator[Litmus]:
    for together, memory, scope, other in product((BLOCK, CLUSTER, GRID), ("shared", "global"), SCOPES, SCOPES):
        if together != GRID or memory == "global":
            yield Litmus("atomics", together, "WAW", memory, NONE, f"relaxed.{scope}", f"relaxed.{other}")
