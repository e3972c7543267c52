"""Name the mechanism of a challenger by its machine code, because nobody declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.compile.rules import NEEDED, exchanges
from shflbench.model import Mechanism

if TYPE_CHECKING:
    from shflbench.model import Kernel

# The first one whose instructions the code has. What a block or a warp does through shared memory and otherwise is a
# hybrid; `WARPSYNC` and `VOTE` of a convergence barrier are no exchange, so that votes come after shuffles.
_ORDER = (
    Mechanism.CLUSTER,
    Mechanism.ASYNC,
    Mechanism.HYBRID,
    Mechanism.MATRIX,
    Mechanism.SHFL,
    Mechanism.COLLECTIVE,
    Mechanism.SMEM,
    Mechanism.LOCAL,
)
_ATOMICS = {"ATOMG", "RED", "ATOMS"}
UNKNOWN = Mechanism.LIBRARY  # of a kernel without machine code: no instruction is required of it


def mechanism_of(kernel: Kernel) -> Mechanism:
    """Return the mechanism that a kernel's machine code shows."""
    if kernel.sass is None:
        return UNKNOWN
    counts = dict.fromkeys((instruction.base for instruction in kernel.sass), 1)
    present = set(counts) | set(exchanges(counts))
    for mechanism in _ORDER:
        if all(present & set(choice) for choice in NEEDED[mechanism]):
            return mechanism
    if present & _ATOMICS:
        return Mechanism.ATOMIC
    return Mechanism.GLOBAL if kernel.loop is None else Mechanism.REGISTER
