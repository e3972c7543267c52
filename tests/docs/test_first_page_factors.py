"""The factors of the first page outside its table by warps are those of all rows, over the best of the other kind."""

import re

import pytest

from tests.docs.test_factors import FIRST_PAGE, Variants, later

TEXT = " ".join(FIRST_PAGE.split())
ALMOST = 1.01  # the times of variants that are named together are closer
PRIVATE, LANES = "private-array f32 8*sms x 64 length=32 index=", "lane-array f32 2*sms x 1024 length="
STRUCTS = "struct-access f32 16384x256 words=16 way="
LINES = {  # about memory, blocks and rows: setting, and the kind to compare with; None: what exchanges in another way
    "array, worst indices": (f"{PRIVATE}worst math=0", "local"),
    "32 words per warp": (f"{LANES}32 index=random", None),
    "sum of 256 threads": ("block-reduce f32 fill x 256 result=all", None),
    "store 16 words each": (f"{STRUCTS}store", "global"),
    "count with one counter": ("count i32 16384x256 counters=1", None),
    "queue slot per thread": ("reserve i32 16384x256", "atomic"),
    "moving average of 5": ("moving-average f32 262144x256 missing=0", "smem"),
    "sum of 512 MiB": ("device-reduce f32 16384x256 per_thread=32 order=block", None),
    "RMSNorm of rows of 64": ("row-norm f32 32768x256 length=64 load=vector norm=rms", None),
}


def text_of(ratio: float) -> str:
    return f"{ratio:.{3 if abs(ratio - 1) < 0.005 else 2 if ratio < 1.2 else 1}f}×"


def at(setting: str) -> Variants:
    return later("h200")[setting]


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
    assert lines().keys() == LINES.keys()


@pytest.mark.parametrize("task", LINES)
def test_a_line_names_the_fastest_and_compares_them_with_the_best_of_another_kind(task: str) -> None:
    setting, kind = LINES[task]
    variants = at(setting)
    names, factor, against, *_ = lines()[task]
    own, _, calls = (re.findall(r"`([^`]+)`", part) for part in names.partition(" (also "))
    limit = ALMOST * variants[best(variants)].cost
    assert set(own) == {name for name, one in variants.items() if one.cost <= limit and not one.is_library}
    assert set(calls) == {name for name, one in variants.items() if one.cost <= limit and one.is_library}
    others = {one.kind for one in variants.values()} - {variants[name].kind for name in own}
    rival = best(variants, *((kind,) if kind else others))
    assert against == f"`{rival}`"
    assert factor == ("–" if rival in (*own, *calls) else over(variants, variants[rival].kind))


def test_the_remarks_are_of_the_best_of_a_kind_too() -> None:
    random, crowded = at(f"{PRIVATE}random math=0"), at("private-array f32 32*sms x 64 length=32 index=worst math=0")
    assert f"random indices: {over(random, 'local')}; worst, 32 blocks per SM: {over(crowded, 'local')}" in TEXT
    equal = at(f"{LANES}64 index=uniform")
    assert f"at equal indices, `smem` {over(equal, 'shfl')}" in TEXT
    loads = at(f"{STRUCTS}load")
    cached = at("struct-access f32 512x256 words=16 way=load")
    assert f"loads: {over(loads, 'global')}, from L2: {over(cached, 'global')}" in TEXT
    for dtype, end in (("f32", "; `i32`"), ("i32", " |")):
        block = at(f"block-reduce {dtype} sms x 256 result=all")
        first = best(block)
        rest = {name: one for name, one in block.items() if one.kind != block[first].kind}
        rival = min(rest, key=lambda name, rest=rest: rest[name].cost)  # type: ignore[misc]
        assert f"`{first}` {text_of(rest[rival].cost / block[first].cost)} `{rival}`{end}" in TEXT


def test_the_answers_at_the_top_are_over_the_best_of_each_kind() -> None:
    total = at("reduce f32 sms x 1024 width=32")
    assert best(total, "smem") == "smem-syncwarp"
    one_barrier = text_of(total["smem-double"].cost / total["shfl"].cost)
    assert f"A sum in `f32` runs at {over(total, 'smem')} the speed of shared memory with warp barriers" in TEXT
    assert f"at {one_barrier} that with one block barrier per step" in TEXT
    assert f"at {over(total, 'hybrid')} the speed of `{best(total, 'hybrid')}`, a hybrid" in TEXT
    tile, many = at("transpose f32 sms x 256 words=8"), at("transpose f32 8*sms x 256 words=8")
    assert f"it runs at {over(tile, 'shfl')} the speed of `{best(tile, 'shfl')}`" in TEXT
    assert (best(tile, "smem"), many[best(many)].kind) == (best(tile), "hybrid")
    assert f"half of the words by shuffles: `{best(many)}` {over(many, 'smem')} `{best(many, 'smem')}`" in TEXT
    for name, shuffles in (("reduce f32 sms x 32 width=32", "shfl"), ("scan f32 sms x 32 kind=inclusive", "shfl")):
        few = at(name)
        assert f"{few[best(few)].cost:.0f} cycles (`{best(few)}`) against {few[shuffles].cost:.0f}" in TEXT
