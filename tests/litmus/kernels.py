"""The PTX of a litmus test: the first lane of one warp per thread accesses, signals and waits; the others follow."""

from tests.litmus.table import ACCESSES, BLOCK, GRID, Litmus

HEAD = """.version 8.8
.target sm_90
.address_size 64

.visible .entry k(.param .u64 memory)
{
    .shared .align 8 .b8 s[64];
    .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [memory];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, s; mov.u32 %r4, %cluster_ctarank;
    and.b32 %r5, %r1, 31; setp.eq.u32 %p1, %r5, 0; shr.u32 %r6, %r1, 5; add.u32 %r10, %r1, %r2;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra ready;
    st.shared.u32 [%r3], 0; st.shared.u32 [%r3+4], 0; mbarrier.init.shared.b64 [%r3+8], 1;
ready:
    barrier.cluster.arrive; barrier.cluster.wait;
    mapa.shared::cluster.u32 %r7, %r3, RANK;
    setp.eq.u32 %p3, %r2, 0; setp.eq.and.u32 %p3, %r6, 0, %p3; @%p3 bra first;
    setp.eq.u32 %p4, %r2, SECOND_BLOCK; setp.eq.and.u32 %p4, %r6, SECOND_WARP, %p4; @%p4 bra second;
    OTHERS
    bra end;
first:
    FIRST
    bra end;
second:
    SECOND
end:
    barrier.cluster.arrive; barrier.cluster.wait;
    ret;
}
"""
WORD = {"shared": ("shared::cluster", "%r7"), "global": ("global", "%d1")}
USE = "@%p1 st.global.u32 [%d1+48], %r8;"  # of what was read; of a word that nothing else concerns
FLAG = {"shared": ("shared::cluster", "%r7+4"), "global": ("global", "%d1+4")}


def text(test: Litmus) -> str:
    """Return the PTX of a row."""
    in_block = test.together == BLOCK
    block = 0 if in_block else 2 if test.together == GRID else 1
    parts = {
        "FIRST": "\n    ".join(_first(test)),
        "SECOND_BLOCK": str(block),
        "SECOND_WARP": "1" if in_block else "0",
        "SECOND": "\n    ".join(_second(test)),
        "OTHERS": "\n    ".join(_others(test)),
        "RANK": "0" if in_block or test.together == GRID else "1",
    }
    result = HEAD
    for name in ("SECOND_BLOCK", "SECOND_WARP", "SECOND", "OTHERS", "FIRST", "RANK"):
        result = result.replace(name, parts[name])
    return result


def shape(test: Litmus) -> tuple[int, int]:
    """Return the blocks of the grid, in clusters of two, and the threads per block."""
    return (4 if test.together == GRID else 2), (64 if test.together == BLOCK else 32)


def _access(test: Litmus, kind: str) -> str:
    space, place = WORD[test.memory]
    return f"@%p1 ld.{space}.u32 %r8, [{place}];" if kind == "read" else f"@%p1 st.{space}.u32 [{place}], %r10;"


def _first(test: Litmus) -> list[str]:
    if test.mechanism == "atomics":
        return [_update(test, test.signal)]
    lines = [_access(test, ACCESSES[test.access][0]), *([USE] if test.used else [])]
    if test.fence:
        lines.append(f"fence.acq_rel.{test.fence};")
    match test.mechanism:
        case "block barrier":
            return [*lines, "barrier.sync 0;"]
        case "cluster barrier":
            return [*lines, f"barrier.cluster.arrive.{test.signal};", "barrier.cluster.wait;"]
        case "mbarrier":
            return [*lines, f"@%p1 mbarrier.arrive.{test.signal}.shared::cluster.b64 _, [%r7+8];"]
        case _:
            space, place = FLAG[test.memory]
            return [*lines, f"@%p1 st.{test.signal}.{space}.u32 [{place}], 1;"]


def _second(test: Litmus) -> list[str]:
    if test.mechanism == "atomics":
        return [_update(test, test.wait)]
    lines: list[str] = []
    match test.mechanism:
        case "block barrier":
            lines = ["barrier.sync 0;"]
        case "cluster barrier":
            lines = ["barrier.cluster.arrive.release;", "barrier.cluster.wait;"]
        case "mbarrier":
            test_ = f"mbarrier.try_wait.parity.{test.wait}.shared::cta.b64 %p5, [%r3+8], 0;"
            lines = ["again:", test_, "@!%p5 bra again;"]
        case _:
            space, place = FLAG[test.memory]
            read = f"ld.{test.wait}.{space}.u32 %r9, [{place}];"
            lines = ["@!%p1 bra over;", "again:", read, "setp.eq.u32 %p5, %r9, 0; @%p5 bra again;", "over:"]
    if test.fence_after:
        lines.append(f"fence.acq_rel.{test.fence_after};")
    return [*lines, _access(test, ACCESSES[test.access][1])]


def _others(test: Litmus) -> list[str]:
    """Return the barriers at which the other warps meet the two."""
    return ["barrier.cluster.arrive.release;", "barrier.cluster.wait;"] if test.mechanism == "cluster barrier" else []


def _update(test: Litmus, how: str) -> str:
    space, place = WORD[test.memory]
    return f"@%p1 red.{how}.{space}.add.u32 [{place}], 1;"
