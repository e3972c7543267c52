"""The family of exchanges between blocks: what moves the words, how wide, and how a block says what it has done."""

from shflbench.core.model import Mechanism
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter
from shflbench.patterns.groups import separate_blocks
from shflbench.patterns.load_choices import DOUBLE, flags

PUSH, PULL, ASYNC, BULK = range(4)
MOVES = ("Move::PUSH", "Move::PULL", "Move::ASYNC", "Move::BULK")
BARRIER, FENCED, THREADS, WARPS, ONCE = range(5)
SYNCS = ("Sync::BARRIER", "Sync::FENCED", "Sync::THREADS", "Sync::WARPS", "Sync::ONCE")
OPCODES = {ASYNC: ("STAS",), BULK: ("UBLKCP",)}
WIDEST = 128  # bits

PARAMETERS = (
    FamilyParameter(
        name="move",
        meaning=(
            "stores to the other block, loads from it, stores that count their bytes (`st.async`), or bulk copies "
            "(`cp.async.bulk`)"
        ),
        values={"push": PUSH, "pull": PULL, "async": ASYNC, "bulk": BULK},
    ),
    FamilyParameter(
        name="bits",
        meaning="of a store or load of the shared memory of the other block",
        values={f"bits{bits}": bits for bits in (32, 64, WIDEST)},
    ),
    FamilyParameter(
        name="sync",
        meaning=(
            "how a block says that it has written words, or where these count their bytes, read them: by a barrier of "
            "the cluster; a fence and one whose arrival is relaxed; an arrival at an `mbarrier` of the other block by "
            "each thread, by a lane per warp, or by one thread after `__syncthreads()`"
        ),
        values={"barrier": BARRIER, "fenced": FENCED, "threads": THREADS, "warps": WARPS, "once": ONCE},
    ),
    DOUBLE,
    FamilyParameter(
        name="merged",
        meaning=(
            "the block that receives announces the bytes, or the one that sends does, by the arrival that says that it "
            "has read what came before"
        ),
        values={"": 0, "merged": 1},
    ),
    FamilyParameter(
        name="parts",
        meaning="one bulk copy per block, or each warp copies the words that it has",
        values={"": 0, "parts": 1},
    ),
)


def _variant(name: str, choice: Choice) -> Variant:
    buffers = (2 if choice["double"] else 1) * (2 if choice["move"] == BULK else 1)

    def shared(at: Setting) -> int:
        return buffers * at.whole("bytes")

    parameters = f"{MOVES[choice['move']]}, {choice['bits']}, {SYNCS[choice['sync']]}"
    at_mbarrier = choice["sync"] not in {BARRIER, FENCED} or choice["move"] in OPCODES
    return Variant(
        name=name,
        mechanism=Mechanism.CLUSTER,
        summary="a member of the family of exchanges between blocks",
        only={},
        needs="sm_90",
        source="family.cu",
        kernel=f"cluster_copy_member<{{T}}, Choice<{parameters}, {flags(choice, 'double', 'merged', 'parts')}>>",
        dims=separate_blocks,
        arguments=("values", "result", "iterations"),
        shared=shared,
        opcodes=(*OPCODES.get(choice["move"], ()), *(("SYNCS",) if at_mbarrier else ())),
    )


FAMILY = Family[Variant](
    parameters=PARAMETERS,
    exclusions=(
        Exclusion(
            reason="only bulk copies have parts",
            excludes=lambda it: bool(it["parts"]) and it["move"] != BULK,
        ),
        Exclusion(
            reason="what is copied in bulk is stored and loaded in the widest words",
            excludes=lambda it: it["move"] == BULK and it["bits"] < WIDEST,
        ),
        Exclusion(
            reason="plain stores and loads count no bytes, which an arrival could announce",
            excludes=lambda it: bool(it["merged"]) and it["move"] not in OPCODES,
        ),
        Exclusion(
            reason="a barrier of the cluster counts no bytes",
            excludes=lambda it: bool(it["merged"]) and it["sync"] in {BARRIER, FENCED},
        ),
        Exclusion(
            reason="with one buffer, a block says that it has read the words before it may announce the next ones",
            excludes=lambda it: bool(it["merged"]) and not it["double"],
        ),
        Exclusion(
            reason="a thread that copies nothing announces no bytes",
            excludes=lambda it: bool(it["merged"]) and it["move"] == BULK and it["sync"] == THREADS,
        ),
    ),
    variant=_variant,
)
