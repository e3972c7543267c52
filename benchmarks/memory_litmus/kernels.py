"""The kernels of litmus tests with many instances per launch and delays, and their results in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.litmus.bulk_kernels import bulk_text
from tests.litmus.bulk_table import FIRST, SECOND, BulkLitmus
from tests.litmus.kernels import shape, text
from tests.litmus.table import BLOCK, CLUSTER, GRID, Litmus

WORDS = 16  # of memory per instance: the test's own first, then the results
READ_BY_FIRST, READ_BY_SECOND, SHARED_WORD, FLAG = 8, 9, 10, 11  # places of the results, in words
MOST_POLLS = 100_000  # of a flag, which a thread may read from its cache for ever
OLD_SHARED, OLD_GLOBAL, WRITTEN = 11, 22, 33  # values of bulk tests
FIRST_VALUE, SECOND_VALUE = 1, 2  # what the threads of the other tests write
BLOCKS_OF_CLUSTER = 2
BULK_WORD = 1  # of the four words of a copy, that the other thread accesses

PARAMETERS = ".param .u64 memory, .param .u32 early, .param .u32 late"
# Instance %r12 has memory of its own, and %r2 is the number of a block within the instance.
INSTANCE = """mov.u32 %r12, %ctaid.x; div.u32 %r12, %r12, {blocks}; mul.wide.u32 %d2, %r12, {bytes};
    add.u64 %d1, %d1, %d2; and.b32 %r13, %r12, 7;"""
DELAY = """ld.param.u32 %r14, [{name}]; mul.lo.u32 %r14, %r14, %r13; mov.u32 %r15, %clock;
delay_{name}:
    mov.u32 %r16, %clock; sub.u32 %r16, %r16, %r15; setp.lt.u32 %p7, %r16, %r14; @%p7 bra delay_{name};"""

POLL = "setp.eq.u32 %p5, %r9, 0; @%p5 bra again;"
BOUNDED_POLL = f"""setp.eq.u32 %p5, %r9, 0; add.u32 %r17, %r17, 1;
    setp.lt.and.u32 %p5, %r17, {MOST_POLLS}, %p5; @%p5 bra again; st.global.u32 [%d1+{4 * FLAG}], %r9;"""


class Part(NamedTuple):
    """What one of the two threads does."""

    label: str  # before it
    end: str  # the label behind it
    value: int  # that the thread writes
    delay: str  # parameter
    result: int  # word of memory for what the thread read


def many(test: Litmus) -> str:
    """Return the PTX of a test of two threads with many instances."""
    blocks, _ = shape(test)
    owner = 0 if test.together in {BLOCK, GRID} else 1
    ptx = text(test)
    ptx = _with_instances(ptx, blocks)
    ptx = ptx.replace("mov.u32 %r2, %ctaid.x;", f"mov.u32 %r2, %ctaid.x; rem.u32 %r2, %r2, {blocks};")
    ptx = ptx.replace(")\n{", f")\n.explicitcluster\n.reqnctapercluster {BLOCKS_OF_CLUSTER}\n{{", 1)
    ptx = _with_part(ptx, Part("first", "second", FIRST_VALUE, "early", READ_BY_FIRST))
    ptx = _with_part(ptx, Part("second", "end", SECOND_VALUE, "late", READ_BY_SECOND))
    ptx = ptx.replace("mov.u32 %r3, s;", "mov.u32 %r3, s; mov.u32 %r17, 0;").replace(POLL, BOUNDED_POLL)
    last = f"""setp.ne.u32 %p6, %r1, 0; @%p6 bra done; setp.ne.u32 %p6, %r2, {owner}; @%p6 bra done;
    ld.shared.u32 %r9, [%r3]; st.global.u32 [%d1+{4 * SHARED_WORD}], %r9;
done:
    ret;"""
    return ptx.replace("ret;", last)


def many_bulk(test: BulkLitmus) -> str:
    """Return the PTX of a test of a bulk copy with many instances."""
    ptx = _with_instances(bulk_text(test), 1)
    ptx = ptx.replace("{0, 0, 0, 0}", f"{{{', '.join([str(OLD_SHARED)] * 4)}}}").replace(", %r1;\n", f", {WRITTEN};\n")
    first = "setp.lt.u32 %p3, %r1, 32; @%p3 bra first;"
    ptx = ptx.replace("first:\n", f"first:\n    {DELAY.format(name='early')}\n")
    ptx = ptx.replace(first, f"{first}\n    {DELAY.format(name='late')}")
    last = f"""@%p3 bra one; @!%p1 bra done; st.global.u32 [%d1+{4 * READ_BY_SECOND}], %r8; bra done;
one:
    @!%p1 bra done; st.global.u32 [%d1+{4 * READ_BY_FIRST}], %r8;
    ld.shared.u32 %r9, [%r3+4]; st.global.u32 [%d1+{4 * SHARED_WORD}], %r9;
done:
    ret;"""
    return ptx.replace("ret;", last)


def _with_instances(ptx: str, blocks: int) -> str:
    """Give each instance, of so many blocks, memory of its own."""
    load = "ld.param.u64 %d1, [memory];"
    instance = INSTANCE.format(blocks=blocks, bytes=4 * WORDS)
    return ptx.replace(".param .u64 memory", PARAMETERS).replace(load, f"{load}\n    {instance}")


def _with_part(ptx: str, part: Part) -> str:
    """Let a thread wait before its part, and store what it read behind it."""
    head, _, rest = ptx.partition(f"\n{part.label}:\n")
    body, _, tail = rest.partition(f"\n{part.end}:")
    jump = "\n    bra end;" if body.endswith("bra end;") else ""
    body = body.removesuffix("bra end;").rstrip()
    value, delay = f"mov.u32 %r10, {part.value};", DELAY.format(name=part.delay)
    store = f"@%p1 st.global.u32 [%d1+{4 * part.result}], %r8;"
    return f"{head}\n{part.label}:\n    {value} {delay}\n{body}\n    {store}{jump}\n{part.end}:{tail}"


def is_forbidden(row: Litmus | BulkLitmus, words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return for each instance, a row of words of memory, whether it shows what a sound row forbids."""
    place, expected = _place(row) if isinstance(row, Litmus) else _place_bulk(row)
    result: npt.NDArray[np.bool_] = words[:, place] != expected
    return result


def is_void(row: Litmus | BulkLitmus, words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return for each instance whether its wait for a flag did not end."""
    is_flag = isinstance(row, Litmus) and row.mechanism == "flag"
    result: npt.NDArray[np.bool_] = (words[:, FLAG] == 0) & is_flag
    return result


def _place(row: Litmus) -> tuple[int, int]:
    """Return the word with a result of a row, and what it is where all accesses are in order."""
    if row.access == "RAW":
        return READ_BY_SECOND, FIRST_VALUE
    if row.access == "WAR":
        return READ_BY_FIRST, 0
    return (SHARED_WORD if row.memory == "shared" else 0), SECOND_VALUE  # of atomics: the sum of both


def _place_bulk(row: BulkLitmus) -> tuple[int, int]:
    """Return the same for a row with a bulk copy, from shared memory to global memory or back."""
    is_load, is_first = row.copy == "load", row.by == FIRST
    copied, old = OLD_GLOBAL, OLD_SHARED
    if not is_load:
        copied, old = old, copied
    if row.access == "read":
        return (READ_BY_SECOND, copied) if is_first else (READ_BY_FIRST, old)
    target = SHARED_WORD if is_load else BULK_WORD
    takes_written = is_first == (row.side == "target")
    return target, WRITTEN if takes_written else copied


def is_without_wait(row: Litmus | BulkLitmus) -> bool:
    """Whether nothing lets the second thread wait for the first one, or for the copy."""
    if isinstance(row, Litmus):
        return row.mechanism == "block barrier" and row.together == CLUSTER
    return (not row.barrier and row.wait != SECOND) or (row.by == FIRST and not row.wait)
