"""The family of selections of a warp: how often lanes merge their lists, through what, and how the rest is searched."""

from collections.abc import Iterator, Mapping
from enum import IntEnum

from shflbench.core.model import WARP, Dtype, Mechanism
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter

K = 8  # elements that are selected
STEPS = 5  # merges after which all lanes have the same list
LISTS = 8  # fewest lists of which ranks leave some out
SLOTS = WARP + 36 + K  # of a warp, as in family.cu: first elements of lists, candidates, and the largest


class Search(IntEnum):
    """How the lists that are left are searched, as in family.cu."""

    NOTHING = 0
    REDUX = 1
    RANKS = 2


def _lengths(choice: Choice, elements: int) -> Iterator[int]:
    """Yield the length of the lists before each merge, and at the end."""
    length = elements // WARP
    for _ in range(choice["steps"]):
        yield length
        length = min(K, 2 * length)
    yield length


def _elements(choice: Choice) -> tuple[str, ...]:
    """Return the numbers of elements with which a member has accesses of its width, so that no other is equal to it."""
    words = choice["bits"] // loads.WORD if choice["smem"] and choice["search"] != Search.RANKS else 1
    numbers = (256, 128, 64)
    return tuple(str(number) for number in numbers if words <= max(tuple(_lengths(choice, number))[:-1], default=words))


def _counts(choice: Choice, elements: int) -> Mapping[str, int]:
    """Return the instructions of an iteration that exchange elements."""
    *merged, length = _lengths(choice, elements)
    words = choice["bits"] // loads.WORD
    parts = sum(length // min(words, length) for length in merged)
    counts = {"STS": parts, "LDS": parts} if choice["smem"] else {"SHFL": sum(merged)}
    if choice["search"] == Search.REDUX:
        counts["REDUX"] = K
    if choice["search"] == Search.RANKS:
        candidates = K * length if length < K else 36
        loaded = (WARP >> choice["steps"]) // words + candidates // words + (1 if length < K else 2) + 1
        counts["STS"] = counts.get("STS", 0) + 1 + length + 1
        counts["LDS"] = counts.get("LDS", 0) + loaded
    return {opcode: count for opcode, count in counts.items() if count}


def _opcodes(choice: Choice) -> tuple[str, ...]:
    """Return what the machine code of a member must have."""
    in_shared = choice["smem"] or choice["search"] == Search.RANKS
    return (
        *(("STS", "LDS") if in_shared else ()),
        *(("SHFL.BFLY",) if choice["steps"] and not choice["smem"] else ()),
        *(("REDUX",) if choice["search"] == Search.REDUX else ()),
    )


def _mechanism(choice: Choice) -> Mechanism:
    """Return what elements are exchanged through."""
    opcodes = _opcodes(choice)
    if "STS" not in opcodes:
        return Mechanism.COLLECTIVE if "REDUX" in opcodes else Mechanism.SHFL
    return Mechanism.SMEM if opcodes == ("STS", "LDS") else Mechanism.HYBRID


def _variant(name: str, choice: Choice) -> Variant:
    def shared(at: Setting) -> int:
        words = (SLOTS if search is Search.RANKS else 0) + (WARP * K if choice["smem"] else 0)
        return at.block // WARP * words * at.dtype.size

    def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        return _counts(choice, int(options["elements"]))

    search = Search(choice["search"])
    through = f"{loads.flags(choice, 'smem')}, {choice['bits']}"
    return Variant(
        name=name,
        mechanism=_mechanism(choice),
        summary="a member of the family of selections of a warp",
        only={"elements": _elements(choice), "k": (str(K),)},
        needs="sm_80" if search is Search.REDUX else "",
        source="family.cu",
        kernel=f"top_k_member<{{T}}, {choice['steps']}, {through}, {search.name}, {loads.flags(choice, 'product')}>",
        shared=shared,
        per_iteration=per_iteration,
        opcodes=_opcodes(choice),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="steps",
            meaning="in which lanes merge their lists in descending order with those of other lanes; 5: into one list",
            values={f"steps{count}": count for count in range(STEPS + 1)},
        ),
        FamilyParameter(
            name="smem",
            meaning="lists are exchanged by shuffles, or through shared memory",
            values={"": 0, "smem": 1},
        ),
        loads.BITS,
        FamilyParameter(
            name="search",
            meaning=(
                "in the lists that are left, `__reduce_max_sync` finds the largest first element k times, or ranks of "
                "first elements leave candidates, whose ranks are their places"
            ),
            values={"": Search.NOTHING, "redux": Search.REDUX, "ranks": Search.RANKS},
        ),
        FamilyParameter(
            name="product",
            meaning="elements are moved, or larger ones counted, by selections and additions, or by multiplications",
            values={"": 0, "product": 1},
        ),
    ),
    exclusions=(
        Exclusion(
            reason="lists are searched where more than one is left",
            excludes=lambda it: (it["steps"] == STEPS) != (it["search"] == Search.NOTHING),
        ),
        Exclusion(
            reason="ranks leave no list out where there are fewer than 8",
            excludes=lambda it: it["search"] == Search.RANKS and WARP >> it["steps"] < LISTS,
        ),
        Exclusion(reason="no list is exchanged", excludes=lambda it: bool(it["smem"]) and it["steps"] == 0),
        Exclusion(
            reason="without loads, there is no width of loads",
            excludes=lambda it: it["bits"] > loads.WORD and not it["smem"] and it["search"] != Search.RANKS,
        ),
        Exclusion(
            reason="without a search, nothing is moved or counted",
            excludes=lambda it: bool(it["product"]) and it["search"] == Search.NOTHING,
        ),
    ),
    variant=_variant,
)
