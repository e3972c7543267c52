"""The factors of the first page outside its table by warps are those of all rows, over the best of the other kind."""

import re

import pytest

from tests.docs.test_factors import FIRST_PAGE, Variants, later, runs
from tests.docs.test_headlines import OTHER_KIND

TEXT = " ".join(FIRST_PAGE.split())
OF_A_KIND = {  # lines that compare with a kind that the task names: suite, setting, kind
    "array, worst indices": (
        "dynamic-indexing",
        "private-array f32 8*sms x 64 length=32 index=worst math=0",
        "local",
    ),
    "store 16 words each": ("gtc2013", "struct-access f32 16384x256 words=16 way=store", "global"),
    "queue slot per thread": ("warp-collectives", "reserve i32 16384x256", "atomic"),
    "moving average of 5": ("moving-average", "moving-average f32 262144x256 missing=0", "smem"),
}


def text_of(ratio: float) -> str:
    return f"{ratio:.{3 if abs(ratio - 1) < 0.005 else 2 if ratio < 1.2 else 1}f}×"


def at(suite: str, setting: str) -> Variants:
    return runs("h200")[suite][setting]


def best(variants: Variants, *kinds: str) -> str:
    """Return the fastest variant of some kinds, of a library too; of all kinds, only of variants of our own."""
    names = [name for name, one in variants.items() if (one.kind in kinds if kinds else not one.is_library)]
    return min(names, key=lambda name: variants[name].cost)


def over(variants: Variants, *kinds: str) -> str:
    """Return the speed of the fastest variant over that of the best of some kinds."""
    return text_of(variants[best(variants, *kinds)].cost / variants[best(variants)].cost)


def lines() -> dict[str, list[str]]:
    """Return the cells of the lines about memory, blocks and rows."""
    tables = FIRST_PAGE[FIRST_PAGE.index("## Memory, blocks and rows") :].partition("\nA launch costs")[0]
    found = [line.strip("| ").split(" | ") for line in tables.splitlines() if line.startswith("| [")]
    return {re.sub(r"\[(.*)\]\(.*\)", r"\1", task): cells for task, *cells in found}


def test_every_line_about_memory_blocks_and_rows_is_compared() -> None:
    others = {"32 words per warp", *OTHER_KIND}
    assert lines().keys() == OF_A_KIND.keys() | others


@pytest.mark.parametrize(("task", "place"), OF_A_KIND.items(), ids=OF_A_KIND)
def test_a_line_is_compared_with_the_best_of_the_kind_that_it_names(task: str, place: tuple[str, str, str]) -> None:
    suite, setting, kind = place
    variants = at(suite, setting)
    names, factor, against, *_ = lines()[task]
    rival = best(variants, kind)
    assert against == f"`{rival}`"
    assert factor.removesuffix(" †") == ("–" if f"`{rival}`" in names else over(variants, kind))


def test_the_remarks_are_of_the_best_of_a_kind_too() -> None:
    random = at("dynamic-indexing", "private-array f32 8*sms x 64 length=32 index=random math=0")
    crowded = at("dynamic-indexing", "private-array f32 32*sms x 64 length=32 index=worst math=0")
    assert f"random indices: {over(random, 'local')}; worst, 32 blocks per SM: {over(crowded, 'local')}" in TEXT
    equal = at("dynamic-indexing", "lane-array f32 2*sms x 1024 length=64 index=uniform")
    assert f"at equal indices, `smem` {over(equal, 'shfl')}" in TEXT
    for suite, setting in (("gtc2013", "16384x256 words=16 way=load"), ("residency", "512x256 words=16 way=load")):
        loads = at(suite, f"struct-access f32 {setting}")
        assert loads["vector"].cost <= loads[best(loads)].cost * 1.05
    assert "loads: `vector` as fast, from L2: as fast" in TEXT
    for dtype, end in (("f32", "; `i32`"), ("i32", " |")):
        block = later("h200")[f"block-reduce {dtype} sms x 256 result=all"]
        first = best(block)
        rest = {name: one for name, one in block.items() if one.kind != block[first].kind}
        rival = min(rest, key=lambda name, rest=rest: rest[name].cost)  # type: ignore[misc]
        assert f"`{first}` {text_of(rest[rival].cost / block[first].cost)} `{rival}`{end}" in TEXT


def test_the_answers_at_the_top_are_over_the_best_of_each_kind() -> None:
    total = at("gtc2013", "reduce f32 26x1024 width=32")
    assert best(total, "smem") == "smem-syncwarp"
    one_barrier = text_of(total["smem-double"].cost / total["shfl"].cost)
    assert f"A sum in `f32` runs at {over(total, 'smem')} the speed of shared memory with warp barriers" in TEXT
    assert f"at {one_barrier} that with one block barrier per step" in TEXT
    full = later("h200")["reduce f32 sms x 1024 width=32"]
    assert f"at {over(full, 'hybrid')} the speed of `{best(full, 'hybrid')}`, a hybrid" in TEXT
    tile, many = at("gtc2013", "transpose f32 104x256 words=8"), later("h200")["transpose f32 8*sms x 256 words=8"]
    assert best(tile, "shfl") == "shfl"
    assert f"it runs at {over(tile, 'shfl')} the speed of shuffles (`shfl`)" in TEXT
    assert f"with 64 warps per SM at {over(many, 'shfl')} the speed of `{best(many, 'shfl')}`" in TEXT
    for name, shuffles in (("reduce f32 sms x 32 width=32", "shfl"), ("scan f32 sms x 32 kind=inclusive", "shfl")):
        few = later("h200")[name]
        assert f"{few[best(few)].cost:.0f} cycles (`{best(few)}`) against {few[shuffles].cost:.0f}" in TEXT
