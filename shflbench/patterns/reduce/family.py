"""The family of sums: how many values come from shared memory, in what loads, and how shuffles add the rest."""

from collections.abc import Mapping

from shflbench.core.model import WARP, Dtype
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Variant, elements_per_thread
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f16x2", "bf16x2", "f32", "i32")  # of 32 bits


def _widths(choice: Choice) -> tuple[str, ...]:
    """Return the widths of groups that a member can sum: those of several parts, and of all sizes if it loads all."""
    lanes = choice["lanes"]
    fewest, most = loads.GROUPS_APART if choice["apart"] else (2, WARP)
    least = choice["bits"] // loads.WORD if lanes == WARP else fewest * lanes
    return tuple(str(width) for width in (32, 16, 8, 4, 2) if least <= width <= most * lanes)


def _variant(name: str, choice: Choice) -> Variant:
    shared = (2 if choice["double"] else 1) if choice["lanes"] > 1 else 0

    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        width = int(options["width"])
        lanes = min(width, choice["lanes"])
        shuffles = loads.shuffles(width // lanes, apart=bool(choice["apart"]))
        return loads.accesses(choice, lanes) | ({"SHFL": shuffles} if shuffles else {})

    flags = loads.flags(choice, "double", "chain", "apart", "late")
    return Variant(
        name=name,
        mechanism=loads.mechanism(choice),
        summary="a member of the family of sums",
        dtypes=WORDS,
        only={"width": _widths(choice)},
        source="family.cu",
        kernel=f"reduce_member<{{T}}, {choice['lanes']}, {choice['bits']}, {flags}>",
        shared=elements_per_thread(shared),
        per_iteration=per_iteration,
        opcodes=loads.opcodes(choice, "SHFL.BFLY"),
    )


FAMILY = Family[Variant](
    parameters=(
        loads.lanes("whose values each lane loads from shared memory; 1: shuffles only; 32: all of its group"),
        loads.BITS,
        loads.DOUBLE,
        loads.CHAIN,
        FamilyParameter(
            name="apart",
            meaning="groups of these lanes are added by a butterfly, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="late", meaning="shared memory is first, or comes after the shuffles", values={"": 0, "late": 1}
        ),
    ),
    exclusions=(
        loads.NO_LOADS,
        loads.TOO_WIDE,
        loads.ONE_ORDER,
        Exclusion(
            reason="no shuffle is left",
            excludes=lambda it: it["lanes"] == WARP and bool(it["apart"] or it["late"]),
        ),
        Exclusion(
            reason="no group of lanes has so few or so many parts",
            excludes=lambda it: it["lanes"] < WARP and not _widths(it),
        ),
    ),
    variant=_variant,
)
