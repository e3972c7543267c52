"""The family of sorts of a warp: which runs ranks sort or merge, and which shuffles, and how keys are compared."""

from collections.abc import Mapping

from shflbench.core.model import WARP, Mechanism
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Variant, elements_per_thread
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

WORDS = ("f32", "i32")  # of 32 bits


def _steps(run: int) -> int:
    """Return the steps of a bitonic network that sorts so many keys."""
    log = run.bit_length() - 1
    return log * (log + 1) // 2


def _counts(choice: Choice) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange keys."""
    run, bits = choice["run"], choice["bits"]
    if run == 1:
        return {"SHFL": _steps(WARP)}
    others = (WARP - run) * loads.WORD // bits
    compared = run * loads.WORD // bits - (bits == loads.WORD)  # the own key by itself is not loaded
    shuffles = _steps(run) if choice["late"] else _steps(WARP) - _steps(run)
    counts = {"STS": 2, "LDS": (others if choice["late"] else compared) + 1, "SHFL": shuffles}
    return {opcode: count for opcode, count in counts.items() if count}


def _variant(name: str, choice: Choice) -> Variant:
    flags = loads.flags(choice, "double", "late", "min", "product")
    mechanism = {1: Mechanism.SHFL, WARP: Mechanism.SMEM}.get(choice["run"], Mechanism.HYBRID)
    return Variant(
        name=name,
        mechanism=mechanism,
        summary="a member of the family of sorts of a warp",
        dtypes=WORDS,
        only={"payload": ("none",)},
        source="family.cu",
        kernel=f"bitonic_sort_member<{{T}}, {choice['run']}, {choice['bits']}, {flags}>",
        shared=elements_per_thread((2 if choice["double"] else 1) if choice["run"] > 1 else 0),
        per_iteration=_counts(choice),
        opcodes=("STS", "LDS", "SHFL.BFLY") if mechanism is Mechanism.HYBRID else (),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="run",
            meaning=(
                "lanes whose keys are sorted by ranks in shared memory, and then merged with others by shuffles; 1: "
                "shuffles only; 32: ranks only"
            ),
            values={f"run{run}": run for run in (1, 4, 8, 16, 32)},
        ),
        loads.BITS,
        FamilyParameter(
            name="double",
            meaning="keys at their ranks have an array of their own, or that of the other keys after one more barrier",
            values={"": 0, "double": 1},
        ),
        FamilyParameter(
            name="late",
            meaning="runs are sorted by ranks and merged by shuffles, or sorted by shuffles and merged by ranks",
            values={"": 0, "late": 1},
        ),
        FamilyParameter(
            name="min",
            meaning=(
                "a step takes a minimum or a maximum, with keys reversed in runs of descending order, or always a "
                "minimum, with keys reversed in lanes that keep the larger one"
            ),
            values={"": 0, "min": 1},
        ),
        FamilyParameter(
            name="product",
            meaning="keys are reversed, selected and counted by operations on integers, or by multiplications",
            values={"": 0, "product": 1},
        ),
    ),
    exclusions=(
        Exclusion(
            reason="without ranks, there are no loads, no arrays and no order of ranks and shuffles",
            excludes=lambda it: (
                it["run"] == 1 and (it["bits"] > loads.WORD or any(it[name] for name in ("double", "late")))
            ),
        ),
        Exclusion(
            reason="no shuffle is left",
            excludes=lambda it: it["run"] == WARP and bool(it["late"] or it["min"]),
        ),
        Exclusion(
            reason="32 loads of single keys take more registers than a thread of a block of 1,024 can have",
            excludes=lambda it: it["run"] == WARP and it["bits"] == loads.WORD,
        ),
    ),
    variant=_variant,
)
