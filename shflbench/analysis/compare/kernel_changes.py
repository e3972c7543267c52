"""Describe in words how a kernel changed between two rows of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.store import Row

NAMES = {  # column → name
    "registers": "registers",
    "spill_bytes": "spill bytes",
    "local_bytes": "local bytes",
    "shared_bytes": "shared bytes",
}


def kernel_changes(base: Row, new: Row) -> tuple[str, ...]:
    """Return each property of the kernel that differs, `registers 32 → 40`, if it is known on both sides."""
    resources = (column_change(base, new, column) for column in NAMES)
    return tuple(filter(None, (*resources, occupancy_change(base, new), *count_changes(base, new).values())))


def column_change(base: Row, new: Row, column: str) -> str:
    """Return the change of one of the columns in `NAMES`; empty if it is the same, or unknown on a side."""
    before, after = getattr(base, column), getattr(new, column)
    return "" if None in {before, after} or before == after else f"{NAMES[column]} {before} → {after}"


def occupancy_change(base: Row, new: Row) -> str:
    """Return the change of the occupancy; empty if it is the same, or unknown on a side."""
    if base.occupancy is None or new.occupancy is None or base.occupancy == new.occupancy:
        return ""
    return f"occupancy {base.occupancy:.0%} → {new.occupancy:.0%}"


def count_changes(base: Row, new: Row) -> dict[str, str]:
    """Return the changes of the data-movement instructions per iteration, by opcode."""
    return dict(_counts(base, new))


def _counts(base: Row, new: Row) -> Iterator[tuple[str, str]]:
    if not (base.sass_per_iteration and new.sass_per_iteration):
        return
    for opcode in sorted(base.sass_per_iteration.keys() | new.sass_per_iteration.keys()):
        before, after = (counts.get(opcode, 0) for counts in (base.sass_per_iteration, new.sass_per_iteration))
        if before != after:
            yield opcode, f"{opcode} per iteration {before:g} → {after:g}"
