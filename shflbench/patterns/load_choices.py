"""Parameters and exclusions that families share whose members load part of the values, and shuffle the rest."""

from shflbench.core.model import WARP, Mechanism
from shflbench.patterns.family import Choice, Exclusion, FamilyParameter

WORD = 32  # bits
GROUPS_APART = (4, 8)  # whose sums each lane gets by one shuffle per group: fewer are one step, more are too many

BITS = FamilyParameter(name="bits", meaning="of a load", values={f"bits{bits}": bits for bits in (32, 64, 128)})
DOUBLE = FamilyParameter(
    name="double",
    meaning="two buffers in turn, or a second barrier of the warp before the slots are written again",
    values={"": 0, "double": 1},
)
CHAIN = FamilyParameter(
    name="chain",
    meaning="loaded values are added as a tree, or one after the other",
    values={"": 0, "chain": 1},
)

NO_LOADS = Exclusion(
    reason="a lane that loads nothing has no width of loads, no buffers and no order of loads",
    excludes=lambda it: (
        it["lanes"] == 1 and (it["bits"] > WORD or any(it.get(name) for name in ("double", "chain", "late")))
    ),
)
TOO_WIDE = Exclusion(
    reason="a load is wider than all its values", excludes=lambda it: 1 < it["lanes"] < it["bits"] // WORD
)
ONE_ORDER = Exclusion(
    reason="two values have one order",
    excludes=lambda it: it["lanes"] == 2 and bool(it["chain"]),  # noqa: PLR2004
)


def lanes(meaning: str) -> FamilyParameter:
    """Return the parameter that says how many values each lane loads."""
    return FamilyParameter(
        name="lanes", meaning=meaning, values={f"lanes{count}": count for count in (1, 2, 4, 8, 16, 32)}
    )


def accesses(choice: Choice, count: int) -> dict[str, int]:
    """Return the stores and loads of a lane that loads `count` values; none of a single one, which is its own."""
    return {"STS": 1, "LDS": count * WORD // choice["bits"]} if count > 1 else {}


def shuffles(parts: int, *, apart: bool) -> int:
    """Return how many shuffles add up so many parts: a step per doubling, or one per other part."""
    return parts - 1 if apart else parts.bit_length() - 1


def mechanism(choice: Choice) -> Mechanism:
    """Return what values are exchanged through, by the number that each lane loads."""
    return {1: Mechanism.SHFL, WARP: Mechanism.SMEM}.get(choice["lanes"], Mechanism.HYBRID)


def opcodes(choice: Choice, shuffle: str) -> tuple[str, ...]:
    """Return what the machine code of a member must have if its mechanism does not say which."""
    return ("STS", "LDS", shuffle) if mechanism(choice) is Mechanism.HYBRID else ()


def flags(choice: Choice, *names: str) -> str:
    """Return values of parameters as arguments of a template."""
    return ", ".join("true" if choice[name] else "false" for name in names)
