"""The family of prefix sums: how many values come from shared memory, in what loads, and how shuffles add the rest."""

from collections.abc import Mapping

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Variant, elements_per_thread
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits
GROUPS_APART = (4, 8)  # whose sums each lane gets by one shuffle per group: fewer are one step, more are too many


def _counts(choice: Choice) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values."""
    lanes, parts = choice["lanes"], WARP // choice["lanes"]
    shuffles = parts - 1 if choice["apart"] else parts.bit_length() - 1
    accesses = {"STS": 1, "LDS": lanes * 32 // choice["bits"]} if lanes > 1 else {}
    return accesses | ({"SHFL": shuffles} if shuffles else {})


def _mechanism(choice: Choice) -> Mechanism:
    if choice["lanes"] == 1:
        return Mechanism.SHFL
    return Mechanism.SMEM if choice["lanes"] == WARP else Mechanism.HYBRID


def _variant(name: str, choice: Choice) -> Variant:
    names = ("double", "chain") if choice["late"] else ("double", "chain", "apart")
    flags = ", ".join("true" if choice[flag] else "false" for flag in names)
    shared = (2 if choice["double"] else 1) if choice["lanes"] > 1 else 0
    return Variant(
        name=name,
        mechanism=_mechanism(choice),
        summary="a member of the family of prefix sums",
        dtypes=WORDS,
        only={"kind": ("inclusive",)},
        source="family.cu",
        kernel=(f"scan_{'late_' if choice['late'] else ''}member<{{T}}, {choice['lanes']}, {choice['bits']}, {flags}>"),
        shared=elements_per_thread(shared),
        per_iteration=_counts(choice),
        opcodes=("STS", "LDS", "SHFL.UP") if _mechanism(choice) is Mechanism.HYBRID else (),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="lanes",
            meaning="whose values, or as many sums of segments, each lane loads from shared memory; 1: shuffles only",
            values={f"lanes{count}": count for count in (1, 2, 4, 8, 16, 32)},
        ),
        FamilyParameter(name="bits", meaning="of a load", values={f"bits{bits}": bits for bits in (32, 64, 128)}),
        FamilyParameter(
            name="double",
            meaning="two buffers in turn, or a second barrier of the warp before the slots are written again",
            values={"": 0, "double": 1},
        ),
        FamilyParameter(
            name="chain",
            meaning="loaded values are added as a tree, or one after the other",
            values={"": 0, "chain": 1},
        ),
        FamilyParameter(
            name="apart",
            meaning="lower groups are added in steps that double, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="late",
            meaning="groups are loaded and then added by shuffles, or segments scanned and then their sums loaded",
            values={"": 0, "late": 1},
        ),
    ),
    exclusions=(
        Exclusion(
            reason="a lane that loads nothing has no width of loads, no buffers and no order of loads",
            excludes=lambda it: (
                it["lanes"] == 1 and (it["bits"] > 32 or bool(it["double"] or it["chain"] or it["late"]))  # noqa: PLR2004
            ),
        ),
        Exclusion(reason="a load is wider than all its values", excludes=lambda it: 1 < it["lanes"] < it["bits"] // 32),
        Exclusion(reason="two values have one order", excludes=lambda it: it["lanes"] == 2 and bool(it["chain"])),  # noqa: PLR2004
        Exclusion(reason="no shuffle is left", excludes=lambda it: it["lanes"] == WARP and bool(it["late"])),
        Exclusion(
            reason="segments are scanned in steps, and groups are added apart only where there are 4 or 8",
            excludes=lambda it: bool(it["apart"]) and (bool(it["late"]) or WARP // it["lanes"] not in GROUPS_APART),
        ),
    ),
    variant=_variant,
)
