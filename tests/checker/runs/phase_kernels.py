"""Small kernels of three warps that communicate by phases of barriers in memory, and many schedules for each.

`in` has 96 words and `out` 192. Register %r1 is the number of a thread, %r2 of its warp and %r3 of its lane; %d1 and
%d2 are the addresses of the thread's own words of `in` and `out`, %d4 and %d5 those of the buffers. The barriers lie at
`bar`, and `data` has 768 bytes.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import count

import numpy as np
import pytest

from shflbench.checker.runs.all_schedules import communicates_by_barriers
from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine import bulk_copies
from shflbench.emulator.machine.launch import EmulatedLaunch, Machine, execute
from shflbench.emulator.machine.policies import EVERY, LOCKSTEP, Policy, delaying
from shflbench.emulator.machine.threads import Shape, ThreadSet, regular
from shflbench.emulator.opcodes import mbarriers
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError

THREADS = 96
_KERNEL = """
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %d<16>;
    .shared .align 16 .b8 data[768];
    .shared .align 8 .b8 bar[64];
    ld.param.u64 %d4, [in]; ld.param.u64 %d5, [out];
    mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; shl.b32 %r4, %r1, 2; cvt.u64.u32 %d3, %r4;
    add.u64 %d1, %d4, %d3; add.u64 %d2, %d5, %d3;
    mov.u32 %r5, data; add.u32 %r6, %r5, %r4; sub.u32 %r7, 95, %r1; mad.lo.u32 %r7, %r7, 4, %r5;
    setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r3, 0;
    CODE
    ret;
}
"""
_labels = count()


def once(code: str) -> str:
    """Return code that thread 0 executes before all threads go on."""
    label = f"$once{next(_labels)}"
    return f"@!%p1 bra {label}; {code} {label}: bar.sync 0;"


def of_warp(warp: int, code: str) -> str:
    """Return code that lane 0 of a warp executes."""
    label = f"$warp{next(_labels)}"
    return f"setp.ne.u32 %p3, %r2, {warp}; @%p3 bra {label}; setp.ne.u32 %p3, %r3, 0; @%p3 bra {label}; {code} {label}:"


def init(barrier: int, arrivals: int) -> str:
    """Return the initialization of a barrier."""
    return f"mbarrier.init.shared.b64 [bar+{8 * barrier}], {arrivals};"


def arrive(barrier: int) -> str:
    """Return an arrival."""
    return f"mbarrier.arrive.shared.b64 _, [bar+{8 * barrier}];"


def expect(barrier: int, bytes_: int = 384) -> str:
    """Return an arrival that expects bytes, too."""
    return f"mbarrier.arrive.expect_tx.shared.b64 _, [bar+{8 * barrier}], {bytes_};"


def load(barrier: int) -> str:
    """Return a bulk copy of `in` to `data`."""
    how = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    return f"{how} [%r5], [%d4], 384, [bar+{8 * barrier}];"


def one_test(barrier: int, parity: int | str, predicate: str = "%p4") -> str:
    """Return one test of a phase."""
    return f"mbarrier.try_wait.parity.shared.b64 {predicate}, [bar+{8 * barrier}], {parity};"


def wait(barrier: int, parity: int | str) -> str:
    """Return a loop that ends once a phase is complete."""
    label = f"$wait{next(_labels)}"
    return f"{label}: {one_test(barrier, parity)} @!%p4 bra {label};"


@cache
def program(code: str) -> Program:
    """Return a kernel with this code."""
    return link(parse(_KERNEL.replace("CODE", code)), "k")


def _launch(linked: Program) -> EmulatedLaunch:
    values = np.arange(1, THREADS + 1, dtype=np.uint32)
    zeros = np.zeros(2 * THREADS, np.uint32)
    return EmulatedLaunch(linked, Shape(1, THREADS), 0, (), (values, zeros), 0, order=(0, 1), machine=Machine())


def hazards(code: str) -> list[str]:
    """Return the kinds of what `check` finds in lockstep."""
    (result,) = explore(_launch(program(code)), (LOCKSTEP,)).results
    return [str(hazard.kind) for hazard in result.hazards]


def is_exhaustive(code: str) -> bool:
    """Return whether one execution is said to show all schedules."""
    linked = program(code)
    (result,) = explore(_launch(linked), (LOCKSTEP,)).results
    return communicates_by_barriers(linked) and result.phases_are_fixed and not (result.hazards or result.error)


def _warps(shape: Shape) -> list[ThreadSet]:
    return [regular(shape, slice(warp, None, shape.warps_per_block), EVERY) for warp in range(shape.warps_per_block)]


def _schedules() -> Iterator[Policy]:
    yield LOCKSTEP
    yield from delaying(Shape(1, THREADS))
    while True:
        yield Policy("warps at random", "any warp runs next", _warps, random=True)


def results(code: str, schedules: int, monkeypatch: pytest.MonkeyPatch) -> set[bytes | str]:
    """Return the outputs and errors of many schedules, in which tests return false and copies are late at random."""
    random = np.random.default_rng(0)
    compare = mbarriers._parity  # noqa: SLF001

    def sometimes(state: Values, parity: Values, out: Values) -> None:
        compare(state, parity, out)
        out &= random.random(np.shape(out)) < share

    monkeypatch.setattr(mbarriers, "_parity", sometimes)
    is_late = property(lambda _: random.random() < 0.5, lambda *_: None)
    monkeypatch.setattr(bulk_copies.BulkCopies, "is_late", is_late, raising=False)
    linked = link(parse(_KERNEL.replace("CODE", code)), "k")
    found: set[bytes | str] = set()
    for seed, policy in zip(range(schedules), _schedules(), strict=False):
        share = random.choice([0.4, 0.8, 1])
        monkeypatch.setattr(bulk_copies, "TESTS", int(random.integers(1, 6)))
        run = partial(execute, _launch(linked), policy, seed=seed, step_limit=20_000)
        try:
            found.add(b"".join(item.tobytes() for item in run()))
        except EmulatorError as error:
            found.add(type(error).__name__)
    return found
