"""The family of sums of a block: how the values of a warp are added, and how its threads load the sums of all warps."""

from collections.abc import Mapping

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits
GROUPS_APART = (4, 8)  # whose sums each lane gets by one shuffle per group: fewer are one step, more are too many


def _counts(choice: Choice, warps: int) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values or wait, in a block of so many warps."""
    lanes, groups = choice["lanes"], WARP // choice["lanes"]
    shuffles = groups - 1 if choice["apart"] else groups.bit_length() - 1
    of_values = lanes * 32 // choice["bits"] if lanes > 1 else 0
    of_sums = -(-warps * 32 // choice["sum_bits"])
    counts = {
        "STS": 1 + (lanes > 1),
        "LDS": of_values + of_sums,
        "SHFL": shuffles,
        "BAR": 1 if choice["once"] else 2,
    }
    return {opcode: count for opcode, count in counts.items() if count}


def _variant(name: str, choice: Choice) -> Variant:
    apart, once = ("true" if choice[flag] else "false" for flag in ("apart", "once"))

    def shared(at: Setting) -> int:
        return (2 * WARP + (at.block if choice["lanes"] > 1 else 0)) * at.dtype.size

    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        return _counts(choice, int(options["block"]) // WARP)

    mechanism = {1: Mechanism.SHFL, WARP: Mechanism.SMEM}.get(choice["lanes"], Mechanism.HYBRID)
    return Variant(
        name=name,
        mechanism=mechanism,
        summary="a member of the family of sums of a block",
        dtypes=WORDS,
        source="family.cu",
        kernel=(
            f"block_reduce_member<{{T}}, {choice['lanes']}, {choice['bits']}, {apart}, {choice['sum_bits']}, {once}>"
        ),
        shared=shared,
        per_iteration=per_iteration,
        opcodes=("STS", "LDS", "SHFL.BFLY") if mechanism is Mechanism.HYBRID else (),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="lanes",
            meaning="whose values each lane loads from shared memory; 1: shuffles only; 32: all of its warp",
            values={f"lanes{count}": count for count in (1, 2, 4, 8, 16, 32)},
        ),
        FamilyParameter(
            name="bits", meaning="of a load of values", values={f"bits{bits}": bits for bits in (32, 64, 128)}
        ),
        FamilyParameter(
            name="apart",
            meaning="groups of these lanes are added by a butterfly, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="sum_bits",
            meaning="of a load of the sums of warps",
            values={f"sums{bits}": bits for bits in (32, 64, 128)},
        ),
        FamilyParameter(
            name="once",
            meaning="a second barrier of the block before sums are written again, or two places in turn",
            values={"": 0, "once": 1},
        ),
    ),
    exclusions=(
        Exclusion(
            reason="a lane that loads no values has no width of these loads",
            excludes=lambda it: it["lanes"] == 1 and it["bits"] > 32,  # noqa: PLR2004
        ),
        Exclusion(reason="a load is wider than all its values", excludes=lambda it: 1 < it["lanes"] < it["bits"] // 32),
        Exclusion(
            reason="groups are added apart only where there are 4 or 8",
            excludes=lambda it: bool(it["apart"]) and WARP // it["lanes"] not in GROUPS_APART,
        ),
    ),
    variant=_variant,
)
