"""Hold a kernel's machine code against what its pattern promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import Mechanism
from shflbench.patterns.declare import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.model import Dtype, Instruction, Loop
    from shflbench.patterns.declare import Pattern, Variant

_OTHER_NAMES = {"VOTEU": "VOTE", "ATOMSG": "ATOMS", "BARRIER": "BAR"}

# Each inner list: one of these must be in the code, or the mechanism is not there.
NEEDED: Mapping[Mechanism, tuple[tuple[str, ...], ...]] = {
    Mechanism.SHFL: (("SHFL",),),
    Mechanism.SMEM: (("STS",), ("LDS",)),
    Mechanism.SMEM_UNSAFE: (("STS",), ("LDS",)),
    Mechanism.COLLECTIVE: (("VOTE", "REDUX", "CREDUX", "MATCH"),),
    Mechanism.LOCAL: (("LDL",),),
}


def exchanges(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the exchange instructions among `counts`, under one name for each kind; zeros left out."""
    found: dict[str, int] = {}
    for opcode, count in counts.items():
        name = _OTHER_NAMES.get(opcode, opcode)
        if name in EXCHANGES and count:
            found[name] = found.get(name, 0) + count
    return {name: found[name] for name in EXCHANGES if name in found}


def timed_loop(loops: Sequence[Loop]) -> Loop | None:
    """Return the loop with the largest step: the unrolled one, and not that for the remaining trips."""
    return max(loops, key=lambda loop: (loop.trips, -loop.start), default=None)


def violations(
    pattern: Pattern,
    variant: Variant,
    dtype: Dtype,
    sass: Sequence[Instruction],
    loops: Sequence[Loop],
) -> Iterator[str]:
    """Yield one sentence for each promise that the machine code breaks."""
    present = {_OTHER_NAMES.get(instruction.base, instruction.base) for instruction in sass}
    for choice in NEEDED.get(variant.mechanism, ()):
        if not present & set(choice):
            yield f"the machine code has no {' or '.join(choice)}: the {variant.mechanism} mechanism was optimised away"
    timed = timed_loop(loops)
    if timed is None:
        yield "the machine code has no loop: the compiler folded or unrolled it away"
        return
    if timed.trips != pattern.unroll:
        steps = ", ".join(str(loop.trips) for loop in loops)
        yield f"the loop is unrolled by {timed.trips}, not by the declared {pattern.unroll} (steps found: {steps})"
        return
    promised = variant.promised(dtype)
    if promised is None:
        return
    found = exchanges(timed.counts)
    for opcode in EXCHANGES:
        expected = promised.get(opcode, 0) * timed.trips
        if found.get(opcode, 0) != expected:
            yield (
                f"the loop has {found.get(opcode, 0) / timed.trips:g} {opcode} a trip, "
                f"not the declared {promised.get(opcode, 0)}"
            )
