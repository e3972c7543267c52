"""The family of prefix sums of a block: how a warp scans, and how its threads get the sums of lower warps."""

from collections.abc import Mapping
from enum import IntEnum

from shflbench.core.model import WARP, Dtype, Mechanism
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits
WIDEST = 4  # values that a thread accesses at once


class Lower(IntEnum):
    """How a thread gets the sums of lower warps, as in family.cu, or that one warp scans all values."""

    SELECTED = 0
    COPIES = 1
    BUTTERFLY = 2
    FIRST_WARP = 3
    REDUX = 4
    RAKE = 5


ONE_BARRIER = (Lower.FIRST_WARP, Lower.REDUX, Lower.RAKE)  # whose number of barriers is given


def _in_all(choice: Choice) -> bool:
    """Return whether all lanes have the sum of their warp, and not only the last one."""
    return bool(choice["apart"]) or choice["lanes"] == WARP


def _of_lower(choice: Choice, warps: int) -> Mapping[str, int]:
    """Return the instructions that pass the sums of so many warps on."""
    wide, steps = max(1, warps // WIDEST), warps.bit_length() - 1
    counts: Mapping[Lower, Mapping[str, int]] = {
        Lower.SELECTED: {"STS": 1, "LDS": wide},
        Lower.COPIES: {"STS": 1 if _in_all(choice) else WIDEST, "LDS": wide},
        Lower.BUTTERFLY: {"STS": 1, "LDS": 1, "SHFL": steps},
        Lower.FIRST_WARP: {"STS": 2, "LDS": 2, "SHFL": steps},
        Lower.REDUX: {"STS": 1, "LDS": 1, "REDUX": 2},
        Lower.RAKE: {"STS": 1 + wide, "LDS": wide + 1},
    }
    return counts[Lower(choice["lower"])]


def _counts(choice: Choice, warps: int) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange values or wait, in a block of so many warps."""
    of_values, of_lower = loads.accesses(choice, choice["lanes"]), _of_lower(choice, warps)
    shuffles = loads.shuffles(WARP // choice["lanes"], apart=bool(choice["apart"]))
    counts = {opcode: of_values.get(opcode, 0) + of_lower.get(opcode, 0) for opcode in ("STS", "LDS", "SHFL", "REDUX")}
    counts["SHFL"] += shuffles
    counts["BAR"] = 1 if choice["once"] or choice["lower"] == Lower.REDUX else 2
    return {opcode: count for opcode, count in counts.items() if count}


def _shared(choice: Choice, at: Setting) -> int:
    """Return the bytes of the slots of values, and of the sums of warps or of the lanes that scan."""
    warps = at.block // WARP
    slots = at.block if choice["lanes"] > 1 else 0
    if choice["lower"] == Lower.RAKE:
        return (at.block + (WARP if slots else 0)) * at.dtype.size
    loaded = max(warps, WIDEST)
    places = (loaded, WIDEST * (2 * loaded + WIDEST), warps, 2 * warps + 1, 2 * warps)[choice["lower"]]
    return (slots + places * (2 if _twice(choice) else 1)) * at.dtype.size


def _twice(choice: Choice) -> bool:
    """Return whether the sums have two places that serve in turn."""
    return bool(choice["once"]) or choice["lower"] == Lower.REDUX


def _kernel(choice: Choice) -> str:
    """Return the instance of the template that a member is."""
    values = f"{choice['lanes']}, {choice['bits']}, {loads.flags(choice, 'apart')}"
    if choice["lower"] == Lower.RAKE:
        return f"block_scan_rake_member<{{T}}, {values}, {loads.flags(choice, 'spread')}>"
    once = "true" if _twice(choice) else "false"
    return f"block_scan_member<{{T}}, {values}, {Lower(choice['lower']).name}, {once}>"


def _mechanism(choice: Choice) -> Mechanism:
    """Return what values are exchanged through: shared memory, where one warp scans all."""
    if choice["lower"] == Lower.RAKE:
        return Mechanism.SMEM
    redux = choice["lower"] == Lower.REDUX and choice["lanes"] > 1
    return Mechanism.HYBRID if redux else loads.mechanism(choice)


def _opcodes(choice: Choice) -> tuple[str, ...]:
    """Return what the machine code of a member must have if its mechanism does not say which."""
    redux = choice["lower"] == Lower.REDUX
    shuffle = () if choice["lanes"] == WARP else ("SHFL.BFLY" if choice["apart"] else "SHFL.UP",)
    return ("STS", "LDS", *shuffle, *(("REDUX",) if redux else ()))


def _variant(name: str, choice: Choice) -> Variant:
    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        return _counts(choice, int(options["block"]) // WARP)

    redux = choice["lower"] == Lower.REDUX
    in_first_warp = choice["lower"] in {Lower.FIRST_WARP, Lower.RAKE}
    return Variant(
        name=name,
        mechanism=_mechanism(choice),
        summary="a member of the family of prefix sums of a block",
        dtypes=("i32",) if redux else WORDS,
        only={"kind": ("inclusive",)},
        needs="sm_80" if redux or in_first_warp else "",  # in the machine code for sm_75, no loop can be identified
        source="family.cu",
        kernel=_kernel(choice),
        shared=lambda at: _shared(choice, at),
        per_iteration=per_iteration,
        opcodes=_opcodes(choice),
    )


FAMILY = Family[Variant](
    parameters=(
        loads.lanes("whose values each lane loads from shared memory; 1: shuffles only; 32: all of its warp"),
        loads.BITS,
        FamilyParameter(
            name="apart",
            meaning="lower groups are added in steps that double, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="lower",
            meaning=(
                "of the sums of warps, each thread loads all and selects lower ones, or loads one of four copies, "
                "where these follow zeros; or butterflies add the lower ones, or the first warp scans the sums, or "
                "`__reduce_add_sync` adds both values and sums (i32 only); or one warp scans all values"
            ),
            values={
                "selected": Lower.SELECTED,
                "copies": Lower.COPIES,
                "butterfly": Lower.BUTTERFLY,
                "first-warp": Lower.FIRST_WARP,
                "redux": Lower.REDUX,
                "rake": Lower.RAKE,
            },
        ),
        FamilyParameter(
            name="once",
            meaning="a second barrier of the block before sums are written again, or two places in turn",
            values={"": 0, "once": 1},
        ),
        FamilyParameter(
            name="spread",
            meaning="the warp that scans all values is the first one, or one of four in turn over the blocks",
            values={"": 0, "spread": 1},
        ),
    ),
    exclusions=(
        loads.NO_LOADS,
        loads.TOO_WIDE,
        Exclusion(
            reason="groups are added apart only where there are 4 or 8",
            excludes=lambda it: bool(it["apart"]) and WARP // it["lanes"] not in loads.GROUPS_APART,
        ),
        Exclusion(
            reason="the number of barriers is given where one warp scans, or `__reduce_add_sync` adds",
            excludes=lambda it: bool(it["once"]) and it["lower"] in ONE_BARRIER,
        ),
        Exclusion(
            reason="no warp scans all values",
            excludes=lambda it: bool(it["spread"]) and it["lower"] != Lower.RAKE,
        ),
    ),
    variant=_variant,
)
