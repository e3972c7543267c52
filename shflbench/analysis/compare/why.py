"""What changed in a kernel beside its time: the likely cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.store import Row

FACTS = {  # column → what it is called
    "registers": "registers",
    "spill_bytes": "spill bytes",
    "local_bytes": "local bytes",
    "shared_bytes": "shared bytes",
}


def why(base: Row, new: Row) -> tuple[str, ...]:
    """Return each fact of the kernel that differs, `registers 32 → 40`; what a side does not know is left out."""
    return tuple(_changes(base, new))


def _changes(base: Row, new: Row) -> Iterator[str]:
    for column, words in FACTS.items():
        before, after = getattr(base, column), getattr(new, column)
        if None not in {before, after} and before != after:
            yield f"{words} {before} → {after}"
    if base.occupancy is not None and new.occupancy is not None and base.occupancy != new.occupancy:
        yield f"occupancy {base.occupancy:.0%} → {new.occupancy:.0%}"
    if base.sass_per_iteration and new.sass_per_iteration:
        for opcode in sorted(base.sass_per_iteration.keys() | new.sass_per_iteration.keys()):
            before, after = (counts.get(opcode, 0) for counts in (base.sass_per_iteration, new.sass_per_iteration))
            if before != after:
                yield f"{opcode} a trip {before:g} → {after:g}"
