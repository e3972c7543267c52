"""Prefer the simpler one of equally fast variants.

Unsafe variants are never candidates, so that all of them are safe. Simpler is, in this order: the mechanism that needs
less of its surroundings, fewer instructions that move values or wait per iteration, and the name that comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism

if TYPE_CHECKING:
    from shflbench.store.columns import Row

# First what exchanges nothing between threads, then what a warp does with one instruction, then memory that needs
# barriers, state that all threads of the GPU share, and code of others.
MECHANISMS = (
    Mechanism.REGISTER,
    Mechanism.LOCAL,
    Mechanism.GLOBAL,
    Mechanism.SHFL,
    Mechanism.COLLECTIVE,
    Mechanism.MATRIX,
    Mechanism.SMEM,
    Mechanism.HYBRID,
    Mechanism.ASYNC,
    Mechanism.CLUSTER,
    Mechanism.ATOMIC,
    Mechanism.LIBRARY,
    Mechanism.SMEM_UNSAFE,
)
_PLACES = {str(mechanism): place for place, mechanism in enumerate(MECHANISMS)}


def mechanism_place(mechanism: str) -> int:
    """Return the place of a mechanism, the simplest first; unknown ones are last."""
    return _PLACES.get(mechanism, len(_PLACES))


def simplicity(row: Row) -> tuple[int, float, str]:
    """Return a key by which simpler variants sort first."""
    return mechanism_place(row.mechanism), sum((row.sass_per_iteration or {}).values()), row.variant
