"""Collectives lane by lane, as the PTX ISA's pseudo-code has it, run inside a kernel of one instruction."""

from collections.abc import Callable, Mapping
from functools import reduce

import numpy as np
import pytest

from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.state import ABSENT_FILLS
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from tests.emulator.declared import each

KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out, .param .u32 n)
{{
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %d3, %r4, 16; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ld.global.v4.u32 {{%r5, %r6, %r7, %r8}}, [%d4];
    setp.ne.u32 %p1, %r5, 0; mov.pred %p2, 0; mov.u32 %r9, 0;
    {guard}
    {code}
    $go:
    selp.u32 %r1, 1, 0, %p2;
    st.global.v4.u32 [%d5], {{%r9, %r1, %r4, %r4}};
    ret;
}}
"""
# Values, second and third operands and masks: what %r5 to %r8 hold.
EVEN, ODD = 0x55555555, 0xAAAAAAAA


def lanes(
    code: str, *columns: Values, policy: str = "lockstep", skip_odd: bool = False
) -> tuple[list[int], list[bool]]:
    """Return %r9 and %p2 of each of 64 lanes."""
    guard = "and.b32 %r2, %r3, 1; setp.eq.u32 %p3, %r2, 1; @%p3 bra $go;" if skip_odd else ""
    module = parse(KERNEL.format(code=code, guard=guard))
    values = np.zeros((64, 4), np.uint32)
    for place, column in enumerate(columns):
        values[:, place] = column
    launch = EmulatedLaunch(link(module, "one"), Shape(1, 64), 0, [values], [(256, "u4")], 0)
    out = execute(launch, POLICIES[policy])[0].reshape(64, 4)
    return out[:, 0].tolist(), (out[:, 1] == 1).tolist()


def values(seed: int = 1) -> Values:
    return np.random.default_rng(seed).integers(0, 1 << 32, 64, dtype=np.uint32)


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Return the source lane and the predicate, by the pseudo-code of the PTX ISA (9.7.9.6)."""
    operand, clamp, segment = b & 31, c & 31, c >> 8 & 31
    most = (lane & segment) | (clamp & ~segment & 31)
    least = lane & segment
    source, holds = {
        "up": (lane - operand, lane - operand >= most),
        "down": (lane + operand, lane + operand <= most),
        "bfly": (lane ^ operand, lane ^ operand <= most),
        "idx": (least | (operand & ~segment & 31), (least | (operand & ~segment & 31)) <= most),
    }[mode]
    return (source if holds else lane), holds


@pytest.mark.parametrize("policy", ["lockstep", "lanes at random"])
@pytest.mark.parametrize("form", each(("shfl.sync",), ("up", "down", "bfly", "idx"), ("b32",)))
@pytest.mark.parametrize("width", [32, 16, 8, 4, 2])
def test_shuffles(form: str, width: int, policy: str) -> None:
    mode = form.split(".")[2]
    x, b = values(), values(2)
    c = ((32 - width) << 8) | (0 if mode == "up" else 31)
    got, flags = lanes(f"{form} %r9|%p2, %r5, %r6, {c}, -1;", x, b, policy=policy)
    for thread in range(64):
        source, holds = shuffled(mode, thread % 32, int(b[thread]), c)
        assert (got[thread], flags[thread]) == (int(x[thread // 32 * 32 + source]), holds)


def test_a_shuffle_of_some_lanes_gives_poison_for_the_others() -> None:
    x = values()
    got, _ = lanes(f"shfl.sync.bfly.b32 %r9|%p2, %r5, 2, 31, {EVEN};", x, skip_odd=True)
    assert got[0::2] == [int(x[thread ^ 2]) for thread in range(0, 64, 2)]
    got, _ = lanes(f"shfl.sync.bfly.b32 %r9|%p2, %r5, 1, 31, {EVEN};", x, skip_odd=True)
    assert got[0::2] == [ABSENT_FILLS[0]] * 32
    assert got[1::2] == [0] * 32


VOTES: Mapping[str, Callable[[list[bool]], bool]] = {
    "all": all,
    "any": any,
    "uni": lambda yes: all(yes) or not any(yes),
}


def members_of(skip_odd: bool) -> int:  # noqa: FBT001
    return EVEN if skip_odd else EVEN | ODD


def active_of(members: int) -> list[list[int]]:
    """Return the active threads of each warp."""
    return [[32 * warp + lane for lane in range(32) if members >> lane & 1] for warp in (0, 1)]


def predicates() -> list[Values]:
    """Return predicates that are equal in all lanes, differ in one lane, or in half of the lanes."""
    lane = np.arange(64) % 32
    rows = [lane < 0, lane < 32, lane == 4, lane != 4, lane > 3, lane >= 16]
    return [row.astype(np.uint32) for row in rows] + [(np.arange(64) < 32).astype(np.uint32)]


@pytest.mark.parametrize("skip_odd", [False, True])
@pytest.mark.parametrize("form", [*each(("vote.sync",), VOTES, ("pred",)), "vote.sync.ballot.b32"])
def test_votes_and_ballots(form: str, skip_odd: bool) -> None:  # noqa: FBT001
    members, vote = members_of(skip_odd), form.split(".")[2]
    for x in predicates():
        got, flags = lanes(f"{form} {'%r9' if vote == 'ballot' else '%p2'}, %p1, {members};", x, skip_odd=skip_odd)
        for active in active_of(members):
            if vote == "ballot":
                assert [got[thread] for thread in active] == [sum(1 << t % 32 for t in active if x[t])] * len(active)
            else:
                expected = VOTES[vote]([bool(x[thread]) for thread in active])
                assert [flags[thread] for thread in active] == [expected] * len(active)


def labels() -> list[tuple[Values, Values]]:
    """Return lower and upper words: all equal, one that differs, few kinds, and some that differ only above."""
    same, kinds = np.full(64, 9, np.uint32), values() % np.uint32(4)
    one = same.copy()
    one[[6, 40]] = 8
    halves = np.concatenate([kinds[:32], same[32:]])
    return [(same, same), (one, same), (kinds, same), (same, kinds), (kinds, kinds[::-1]), (halves, same)]


@pytest.mark.parametrize("skip_odd", [False, True])
@pytest.mark.parametrize("form", each(("match",), ("any", "all"), ("sync",), ("b32", "b64")))
def test_matches(form: str, skip_odd: bool) -> None:  # noqa: FBT001
    members = members_of(skip_odd)
    all_ = ".all." in form
    word = "%d6" if form.endswith("b64") else "%r5"
    code = f"mov.b64 %d6, {{%r5, %r6}}; {form} {'%r9|%p2' if all_ else '%r9'}, {word}, {members};"
    for low, high in labels():
        got, flags = lanes(code, low, high, skip_odd=skip_odd)
        key = [(x, y if form.endswith("b64") else 0) for x, y in zip(low.tolist(), high.tolist(), strict=True)]
        for active in active_of(members):
            for thread in active:
                peers = [other for other in active if key[other] == key[thread]]
                agree = len(peers) == len(active)
                mask = sum(1 << other % 32 for other in peers) if agree or not all_ else 0
                assert (got[thread], flags[thread]) == (mask, agree and all_)


REDUCTIONS: Mapping[str, Callable[[int, int], int]] = {
    "add.u32": lambda a, b: (a + b) % 2**32,
    "add.s32": lambda a, b: (a + b) % 2**32,
    "min.u32": min,
    "max.u32": max,
    "min.s32": lambda a, b: min(a, b, key=lambda x: x ^ 0x80000000),
    "max.s32": lambda a, b: max(a, b, key=lambda x: x ^ 0x80000000),
    "and.b32": lambda a, b: a & b,
    "or.b32": lambda a, b: a | b,
    "xor.b32": lambda a, b: a ^ b,
}
EXTREMES = np.resize(np.array([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint32), 64)


@pytest.mark.parametrize("skip_odd", [False, True])
@pytest.mark.parametrize("form", each(("redux.sync",), REDUCTIONS))
def test_reductions(form: str, skip_odd: bool) -> None:  # noqa: FBT001
    members, function = members_of(skip_odd), REDUCTIONS[form.removeprefix("redux.sync.")]
    for x in (values(4), EXTREMES, values(5) | np.uint32(0xFF000000), values(6) & np.uint32(0xFF)):
        got, _ = lanes(f"{form} %r9, %r5, {members};", x, skip_odd=skip_odd)
        for active in active_of(members):
            assert [got[thread] for thread in active] == [
                reduce(function, [int(x[thread]) for thread in active])
            ] * len(active)


@pytest.mark.parametrize("form", ["elect.sync"])
def test_one_lane_is_elected(form: str) -> None:
    leader, flags = lanes(f"{form} %r9|%p2, {EVEN};", values(), skip_odd=True)
    assert [leader[thread] for thread in range(0, 64, 2)] == [0] * 32
    assert [thread for thread in range(64) if flags[thread]] == [0, 32]


@pytest.mark.parametrize("form", ["activemask.b32"])
def test_activemask_names_the_active_lanes(form: str) -> None:
    assert lanes(f"{form} %r9;", values())[0] == [0xFFFFFFFF] * 64
    assert lanes(f"{form} %r9;", values(), skip_odd=True)[0][::2] == [EVEN] * 32
    assert lanes(f"{form} %r9;", values(), policy="lanes in order")[0] == [1 << lane % 32 for lane in range(64)]


def test_a_mask_may_be_a_register_that_differs_among_warps() -> None:
    x = values(6)
    masks = np.full(64, 0xFFFFFFFF, np.uint32)
    got, _ = lanes("shfl.sync.idx.b32 %r9|%p2, %r5, 3, 31, %r8;", x, x, x, masks)
    assert got == [int(x[thread // 32 * 32 + 3]) for thread in range(64)]
