"""The family of largest magnitudes: what part of a group comes from shared memory, and how the rest is combined."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from shflbench.core.model import DTYPES, WARP, Dtype, Mechanism
from shflbench.patterns import load_choices as loads
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter
from shflbench.patterns.scale_max.lanes import WORD, lanes_of

GROUPS, WORDS = ("32", "16"), ("1", "4")
INTEGERS, FLOATS, PAIRS = 0, 1, 2
KINDS = ("Maxima::INTEGERS", "Maxima::FLOATS", "Maxima::PAIRS")
MOST_BF16 = 16  # lanes of a group: 32 values, two per word
FEWEST_LOADED = 2  # lanes: a lane need not load its own value
APART = range(loads.GROUPS_APART[0], loads.GROUPS_APART[1] + 1)  # parts


@dataclass(frozen=True, slots=True)
class LoadedPart:
    """A part of a group of `group` lanes, whose values each lane loads: the same share as `lanes` have of a warp."""

    lanes: int
    group: int

    @property
    def count(self) -> int:
        """The lanes of the part; of shuffles only, each is its own."""
        return 1 if self.lanes == 1 else self.group * self.lanes // WARP

    @property
    def is_whole(self) -> bool:
        """Whether the share is a number of lanes that can be loaded, if any is."""
        return self.lanes == 1 or self.count >= FEWEST_LOADED


def _settings(choice: Choice) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the element types and the options of a member: all for which its share is a number of lanes."""
    dtypes = ("bf16",) if choice["maxima"] == PAIRS else ("f32", "bf16")
    most_words = WORDS[:1] if choice["redux"] else WORDS
    for groups, words in ((GROUPS, most_words), (GROUPS, WORDS[:1]), (GROUPS[:1], WORDS[:1])):
        if all(_part(choice, dtype, group, count).is_whole for dtype, group, count in product(dtypes, groups, words)):
            return dtypes, {"group": groups, "words": words}
    return dtypes[:1], {"group": GROUPS[:1], "words": WORDS[:1]}


def _part(choice: Choice, dtype: str, group: str, words: str) -> LoadedPart:
    return LoadedPart(choice["lanes"], lanes_of(DTYPES[dtype], {"group": group, "words": words}))


def _mechanism(choice: Choice) -> Mechanism:
    return Mechanism.COLLECTIVE if choice["redux"] else loads.mechanism(choice)


def _variant(name: str, choice: Choice) -> Variant:
    buffers = (2 if choice["double"] else 1) if choice["lanes"] > 1 else 0

    def per_iteration(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        lanes = lanes_of(dtype, options)
        if choice["redux"]:
            return {"REDUX": WARP // lanes}
        count = LoadedPart(choice["lanes"], lanes).count
        of_load = min(choice["bits"] // loads.WORD, count)
        shuffles = loads.shuffles(lanes // count, apart=bool(choice["apart"]))
        counts = {"STS": 1, "LDS": count // of_load} if count > 1 else {}
        return counts | ({"SHFL": shuffles} if shuffles else {})

    def shared(at: Setting) -> int:
        return at.block * buffers * WORD

    dtypes, only = _settings(choice)
    parameters = f"{choice['lanes']}, {choice['bits']}, {KINDS[choice['maxima']]}"
    return Variant(
        name=name,
        mechanism=_mechanism(choice),
        summary="a member of the family of largest magnitudes",
        dtypes=dtypes,
        only=only,
        needs="sm_80" if choice["redux"] or choice["maxima"] == PAIRS else "",
        source="family.cu",
        kernel=f"scale_max_member<{{T}}, {parameters}, {loads.flags(choice, 'double', 'apart', 'late', 'redux')}>",
        shared=shared,
        per_iteration=per_iteration,
        opcodes=loads.opcodes(choice, "SHFL.BFLY"),
    )


FAMILY = Family[Variant](
    parameters=(
        FamilyParameter(
            name="lanes",
            meaning=(
                "parts of a group, of which each lane loads one from shared memory; parts32: shuffles only; part1: all"
            ),
            values={
                "parts32": 1,
                **{f"parts{WARP // lanes}": lanes for lanes in (2, 4, 8, 16)},
                "part1": WARP,
            },
        ),
        loads.BITS,
        FamilyParameter(
            name="maxima",
            meaning="of integers, of floats, or of pairs of bf16",
            values={"": INTEGERS, "float": FLOATS, "pair": PAIRS},
        ),
        loads.DOUBLE,
        FamilyParameter(
            name="apart",
            meaning="parts are combined by a butterfly, or by shuffles that do not wait for one another",
            values={"": 0, "apart": 1},
        ),
        FamilyParameter(
            name="late", meaning="shared memory is first, or comes after the shuffles", values={"": 0, "late": 1}
        ),
        FamilyParameter(
            name="redux",
            meaning="shuffles and shared memory, or one instruction of the whole warp per group",
            values={"": 0, "redux": 1},
        ),
    ),
    exclusions=(
        loads.NO_LOADS,
        loads.TOO_WIDE,
        Exclusion(
            reason="no shuffle is left",
            excludes=lambda it: it["lanes"] == WARP and bool(it["apart"] or it["late"]),
        ),
        Exclusion(
            reason="no group has so few or so many parts",
            excludes=lambda it: bool(it["apart"]) and it["lanes"] < WARP and WARP // it["lanes"] not in APART,
        ),
        Exclusion(
            reason="no group of bf16 has so many lanes",
            excludes=lambda it: (
                it["maxima"] == PAIRS and it["lanes"] > 1 and not LoadedPart(it["lanes"], MOST_BF16).is_whole
            ),
        ),
        Exclusion(
            reason="the instruction has the values of all lanes: nothing is left to load or to shuffle",
            excludes=lambda it: bool(it["redux"]) and (it["lanes"] > 1 or bool(it["apart"])),
        ),
        Exclusion(
            reason="the instruction has integers",
            excludes=lambda it: bool(it["redux"]) and it["maxima"] != INTEGERS,
        ),
    ),
    variant=_variant,
)
