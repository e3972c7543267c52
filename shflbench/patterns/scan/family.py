"""The family of prefix sums: how many values come from shared memory, in what loads, and how shuffles add the rest."""

from collections.abc import Mapping

from shflbench.core.model import WARP
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Variant, elements_per_thread
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits


def _counts(choice: Choice) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values."""
    shuffles = loads.shuffles(WARP // choice["lanes"], apart=bool(choice["apart"]))
    return loads.accesses(choice, choice["lanes"]) | ({"SHFL": shuffles} if shuffles else {})


def _variant(name: str, choice: Choice) -> Variant:
    kernel = "scan_late_member" if choice["late"] else "scan_member"
    flags = loads.flags(choice, *(("double", "chain") if choice["late"] else ("double", "chain", "by_loads", "apart")))
    shared = (2 if choice["double"] else 1) if choice["lanes"] > 1 else 0
    return Variant(
        name=name,
        mechanism=loads.mechanism(choice),
        summary="a member of the family of prefix sums",
        dtypes=WORDS,
        only={"kind": ("inclusive",)},
        source="family.cu",
        kernel=f"{kernel}<{{T}}, {choice['lanes']}, {choice['bits']}, {flags}>",
        shared=elements_per_thread(shared),
        per_iteration=_counts(choice),
        opcodes=loads.opcodes(choice, "SHFL.UP"),
    )


FAMILY = Family[Variant](
    parameters=(
        loads.lanes("whose values, or as many sums of segments, each lane loads from shared memory; 1: shuffles only"),
        loads.BITS,
        loads.DOUBLE,
        loads.CHAIN,
        FamilyParameter(
            name="by_loads",
            meaning="loaded values are masked one by one, or those of the lane's own load and other loads as a whole",
            values={"": 0, "byloads": 1},
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
        loads.NO_LOADS,
        loads.TOO_WIDE,
        loads.ONE_ORDER,
        Exclusion(
            reason="loads as a whole are added where a lane has several of several values, and no segments",
            excludes=lambda it: (
                bool(it["by_loads"])
                and (bool(it["late"]) or it["bits"] == loads.WORD or it["lanes"] <= it["bits"] // loads.WORD)
            ),
        ),
        Exclusion(reason="no shuffle is left", excludes=lambda it: it["lanes"] == WARP and bool(it["late"])),
        Exclusion(
            reason="segments are scanned in steps, and groups are added apart only where there are 4 or 8",
            excludes=lambda it: (
                bool(it["apart"]) and (bool(it["late"]) or WARP // it["lanes"] not in loads.GROUPS_APART)
            ),
        ),
    ),
    variant=_variant,
)
