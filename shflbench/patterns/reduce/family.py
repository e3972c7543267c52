"""The family of sums: how many values come from shared memory, in what loads, and how shuffles add the rest."""

from collections.abc import Mapping

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Variant, elements_per_thread
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f16x2", "bf16x2", "f32", "i32")  # of 32 bits
MOST_APART = 8  # groups, whose sums each lane gets by one shuffle per group


def _counts(choice: Choice, width: int) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values over groups of `width` lanes."""
    lanes = min(width, choice["lanes"])
    groups = width // lanes
    shuffles = groups - 1 if choice["apart"] else groups.bit_length() - 1
    accesses = {"STS": 1, "LDS": lanes * 32 // choice["bits"]} if lanes > 1 else {}
    return accesses | ({"SHFL": shuffles} if shuffles else {})


def _widths(choice: Choice) -> tuple[str, ...]:
    """Return the widths of groups that a member can sum: those of several parts, and of all sizes if it loads all."""
    lanes = choice["lanes"]
    least = choice["bits"] // 32 if lanes == WARP else (4 if choice["apart"] else 2) * lanes
    most = MOST_APART * lanes if choice["apart"] else WARP
    return tuple(str(width) for width in (32, 16, 8, 4, 2) if least <= width <= most)


def _mechanism(choice: Choice) -> Mechanism:
    if choice["lanes"] == 1:
        return Mechanism.SHFL
    return Mechanism.SMEM if choice["lanes"] == WARP else Mechanism.HYBRID


def _variant(name: str, choice: Choice) -> Variant:
    flags = ", ".join("true" if choice[flag] else "false" for flag in ("double", "chain", "apart", "late"))
    shared = (2 if choice["double"] else 1) if choice["lanes"] > 1 else 0

    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        return _counts(choice, int(options["width"]))

    return Variant(
        name=name,
        mechanism=_mechanism(choice),
        summary="a member of the family of sums",
        dtypes=WORDS,
        only={"width": _widths(choice)},
        source="family.cu",
        kernel=f"reduce_member<{{T}}, {choice['lanes']}, {choice['bits']}, {flags}>",
        shared=elements_per_thread(shared),
        per_iteration=per_iteration,
        opcodes=("STS", "LDS", "SHFL.BFLY") if _mechanism(choice) is Mechanism.HYBRID else (),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="lanes",
            meaning="whose values each lane loads from shared memory; 1: shuffles only; 32: all of its group",
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
            meaning="groups of these lanes are added by a butterfly, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="late",
            meaning="shared memory is first, or comes after the shuffles",
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
