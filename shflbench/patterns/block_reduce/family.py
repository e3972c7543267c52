"""The family of sums of a block: how the values of a warp are added, and how its threads load the sums of all warps."""

from collections.abc import Mapping

from shflbench.core.model import WARP, Dtype
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits


def _counts(choice: Choice, warps: int) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values or wait, in a block of so many warps."""
    of_values = loads.accesses(choice, choice["lanes"])
    counts = {
        "STS": of_values.get("STS", 0) + 1,
        "LDS": of_values.get("LDS", 0) + -(-warps * loads.WORD // choice["sum_bits"]),
        "SHFL": loads.shuffles(WARP // choice["lanes"], apart=bool(choice["apart"])),
        "BAR": 1 if choice["once"] else 2,
    }
    return {opcode: count for opcode, count in counts.items() if count}


def _variant(name: str, choice: Choice) -> Variant:
    def shared(at: Setting) -> int:
        return (2 * WARP + (at.block if choice["lanes"] > 1 else 0)) * at.dtype.size

    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        return _counts(choice, int(options["block"]) // WARP)

    values = f"{choice['lanes']}, {choice['bits']}, {loads.flags(choice, 'apart')}"
    return Variant(
        name=name,
        mechanism=loads.mechanism(choice),
        summary="a member of the family of sums of a block",
        dtypes=WORDS,
        source="family.cu",
        kernel=f"block_reduce_member<{{T}}, {values}, {choice['sum_bits']}, {loads.flags(choice, 'once')}>",
        shared=shared,
        per_iteration=per_iteration,
        opcodes=loads.opcodes(choice, "SHFL.BFLY"),
    )


FAMILY = Family[Variant](
    parameters=(
        loads.lanes("whose values each lane loads from shared memory; 1: shuffles only; 32: all of its warp"),
        loads.BITS,
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
        loads.NO_LOADS,
        loads.TOO_WIDE,
        Exclusion(
            reason="groups are added apart only where there are 4 or 8",
            excludes=lambda it: bool(it["apart"]) and WARP // it["lanes"] not in loads.GROUPS_APART,
        ),
    ),
    variant=_variant,
)
