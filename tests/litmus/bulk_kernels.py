"""The PTX of a litmus test of a bulk copy: the first lanes of two warps, 16 bytes of shared and of global memory."""

from tests.litmus.bulk_table import FIRST, SECOND, BulkLitmus
from tests.litmus.kernels import USE

HEAD = """.version 8.8
.target sm_90
.address_size 64

.visible .entry k(.param .u64 memory)
{
    .shared .align 16 .b8 s[32];
    .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [memory];
    mov.u32 %r1, %tid.x; mov.u32 %r3, s; and.b32 %r5, %r1, 31; setp.eq.u32 %p1, %r5, 0;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra ready;
    st.shared.v4.u32 [%r3], {0, 0, 0, 0}; mbarrier.init.shared.b64 [%r3+16], 1; fence.proxy.async;
ready:
    barrier.sync 0;
    setp.lt.u32 %p3, %r1, 32; @%p3 bra first;
    setp.ne.u32 %p4, %r5, 0;
    SECOND
    bra end;
first:
    FIRST
end:
    barrier.sync 1;
    LAST
    ret;
}
"""
GROUP = "@%p1 cp.async.bulk.wait_group 0;"
COMPLETION = [
    "again{n}:",
    "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p5, [%r3+16], 0;",
    "@!%p5 bra again{n};",
]


def bulk_text(test: BulkLitmus) -> str:
    """Return the PTX of a row."""
    parts = {"FIRST": _before_the_barrier(test), "SECOND": _after_the_barrier(test)}
    parts["LAST"] = [GROUP] if test.copy == "store" else _wait(9)
    result = HEAD
    for name, lines in parts.items():
        result = result.replace(f"    {name}\n", "".join(f"    {line}\n" for line in lines))
    return result


def _wait(number: int) -> list[str]:
    return [line.format(n=number) for line in COMPLETION]


def _copy(test: BulkLitmus) -> list[str]:
    if test.copy == "store":
        return [
            "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 16;",
            "@%p1 cp.async.bulk.commit_group;",
        ]
    load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    return [
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3+16], 16;",
        f"@%p1 {load} [%r3], [%d1], 16, [%r3+16];",
    ]


def _access(test: BulkLitmus) -> str:
    shared = (test.copy == "load") == (test.side == "target")
    place = "shared.u32 {} [%r3+4]" if shared else "global.u32 {} [%d1+4]"
    if test.access == "read":
        return "@%p1 ld." + place.format("%r8,") + ";"
    return "@%p1 st." + place.format("") + ", %r1;"


def _before_the_barrier(test: BulkLitmus) -> list[str]:
    lines = ["@%p1 fence.proxy.async;"] if test.early_fence == FIRST else []
    lines += _copy(test) if test.by == FIRST else [_access(test), *([USE] if test.used else [])]
    lines += ["@%p1 fence.proxy.async;"] if test.fence == FIRST else []
    if test.wait == FIRST:
        lines += [GROUP] if test.copy == "store" else _wait(1)
    elif test.wait:
        lines += ["@%p1 cp.async.bulk.wait_group.read 0;"] if test.copy == "store" else []
    return [*lines, *(["barrier.sync 0;"] if test.barrier else [])]


def _after_the_barrier(test: BulkLitmus) -> list[str]:
    lines = ["@%p1 fence.proxy.async;"] if test.early_fence == SECOND else []
    lines += ["barrier.sync 0;"] if test.barrier else []
    lines += ["@%p1 fence.proxy.async;"] if test.fence == SECOND else []
    lines += _wait(2) if test.wait == SECOND else []
    return [*lines, *(_copy(test) if test.by == SECOND else [_access(test)])]
