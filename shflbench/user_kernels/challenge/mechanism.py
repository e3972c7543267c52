"""Name the mechanism of a challenger by its machine code, because nobody declares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism
from shflbench.cuda.compile.rules import NEEDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Kernel

UNKNOWN = Mechanism.LIBRARY  # before a kernel is compiled: no instruction is required of it

_STORES, _LOADS = {"STS", "STSM"}, {"LDS", "LDSM"}  # to and from shared memory
# Without VOTEU, by which the compiler makes decisions of a warp that are no exchange of the kernel.
_COLLECTIVES = {"VOTE", "REDUX", "CREDUX", "MATCH"}
_MATRIX = {opcode for choice in NEEDED[Mechanism.MATRIX] for opcode in choice} - {"STSM"}
_ATOMICS = {"ATOMG", "ATOM", "RED", "REDG", "ATOMS"}
_LOCAL, _GLOBAL = {"LDL", "STL"}, {"LDG", "LD", "STG", "ST"}


_CLUSTERS = {opcode for kind in (Mechanism.CLUSTER, Mechanism.ASYNC) for choice in NEEDED[kind] for opcode in choice}
EXCHANGES = frozenset(
    _STORES | _LOADS | _COLLECTIVES | _MATRIX | _ATOMICS | _LOCAL | _GLOBAL | _CLUSTERS | {"SHFL", "VOTEU"}
)  # opcodes through which values leave a thread, or reach it


def mechanism_of(kernels: Sequence[Kernel]) -> Mechanism:
    """Return the mechanism that the machine code of a challenger shows, the same for all launches it is compiled for.

    A kernel that stores its values to shared memory and shuffles them as well is a hybrid. Instructions of one launch
    only, such as spills where registers do not suffice, decide nothing.
    """
    if any(kernel.sass is None for kernel in kernels):
        return UNKNOWN
    shared = set.intersection(*({item.base for item in kernel.sass or ()} for kernel in kernels))
    return _of_exchange(shared) or _of_memory(kernels)


def _of_exchange(opcodes: set[str]) -> Mechanism | None:
    """Return the mechanism of the instructions by which threads exchange values; None without any."""
    for mechanism in (Mechanism.CLUSTER, Mechanism.ASYNC):
        if all(opcodes & set(choice) for choice in NEEDED[mechanism]):
            return mechanism
    is_through_shared = bool(opcodes & _STORES and opcodes & _LOADS)
    is_within_warp = bool(opcodes & (_COLLECTIVES | _MATRIX | {"SHFL"}) - _LOADS)
    if is_through_shared and is_within_warp:
        return Mechanism.HYBRID
    if is_through_shared and "LDSM" not in opcodes:
        return Mechanism.SMEM
    for mechanism, needed in (
        (Mechanism.MATRIX, _MATRIX),
        (Mechanism.COLLECTIVE, _COLLECTIVES),
        (Mechanism.SHFL, {"SHFL"}),
        (Mechanism.ATOMIC, _ATOMICS),
    ):
        if opcodes & needed:
            return mechanism
    return None


def _of_memory(kernels: Sequence[Kernel]) -> Mechanism:
    """Return the mechanism of threads that exchange nothing, or only through global memory."""
    every = [{item.base for item in kernel.sass or ()} for kernel in kernels]
    if all("LDL" in opcodes for opcodes in every):
        return Mechanism.LOCAL
    has_local = any(opcodes & _LOCAL for opcodes in every)
    reads_in_loop = any(set(kernel.loop.counts) & _GLOBAL for kernel in kernels if kernel.loop)
    is_one_pass = all(kernel.loop is None for kernel in kernels)
    return Mechanism.GLOBAL if has_local or reads_in_loop or is_one_pass else Mechanism.REGISTER
