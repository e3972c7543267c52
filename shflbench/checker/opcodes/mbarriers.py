"""Barriers in shared memory (`mbarrier`), as operations on the 64 bits that hold their state.

The layout is the emulator's own, as the PTX ISA 9.0 leaves it open (9.7.13.15): from bit 0 the pending arrivals, from
bit 20 the expected ones, from bit 40 the number of the phase. An arrival is a release, a successful test an acquire
operation, both at the scope of the block. Transactions of bytes, which bulk copies need, are not supported.
"""

from collections.abc import Mapping

import numpy as np

from shflbench.checker.opcodes.forms import Access, Decoder, Form, Pure, Values
from shflbench.checker.ptx.syntax import PtxInstruction

_COUNT = np.uint64((1 << 20) - 1)  # the largest count of the PTX ISA is 2^20 - 1
_EXPECTED, _PHASE = np.uint64(20), np.uint64(40)
_ONE = np.uint64(1)


def _packed(pending: Values, expected: Values, phase: Values) -> Values:
    word: Values = pending | expected << _EXPECTED | phase << _PHASE
    return word


def _initial(count: Values, out: Values) -> None:
    arrivals = np.asarray(count).astype(np.uint64) & _COUNT
    np.copyto(out, _packed(arrivals, arrivals, np.zeros_like(arrivals)))


def _arrived(old: Values, count: Values, *, drop: bool) -> Values:
    arrivals = np.asarray(count).astype(np.uint64)
    pending, expected = (old & _COUNT) - arrivals, old >> _EXPECTED & _COUNT
    if drop:
        expected = expected - arrivals
    complete = pending & _COUNT == 0
    phase = (old >> _PHASE) + complete.astype(np.uint64)
    return _packed(np.where(complete, expected, pending & _COUNT), expected & _COUNT, phase)


def phase_of(states: Values) -> Values:
    """Return the numbers of the phases that barriers are in."""
    phases: Values = (states >> _PHASE).astype(np.int64)
    return phases


def is_fresh(states: Values) -> Values:
    """Return which barriers nothing has arrived at in their current phase."""
    fresh: Values = states & _COUNT == states >> _EXPECTED & _COUNT
    return fresh


def _arrive(instruction: PtxInstruction) -> Form:
    drop = instruction.opcode.endswith("drop")
    space = "shared" if "shared" in instruction.modifiers else ""
    return Access(
        "atom",
        space,
        "u8",
        ("u8",),
        ("u8",),
        update=lambda old, count: _arrived(old, count, drop=drop),
        order="release",
        scope="cta",
        asynchronous=instruction.opcode.endswith("async"),
    )


def _passed(state: Values, token: Values, out: Values) -> None:
    np.copyto(out, np.asarray(state) >> _PHASE != np.asarray(token) >> _PHASE)


def _parity(state: Values, parity: Values, out: Values) -> None:
    np.copyto(out, (np.asarray(state) >> _PHASE & _ONE) != np.asarray(parity).astype(np.uint64))


def _pending(token: Values, out: Values) -> None:
    np.copyto(out, token & _COUNT, casting="unsafe")


FORMS: Mapping[str, Decoder] = {
    "$mbarrier_init": lambda _: Pure(("u8",), ("u4",), _initial),
    "$mbarrier_arrive": _arrive,
    "$mbarrier_arrive_drop": _arrive,
    "$mbarrier_arrive_async": _arrive,
    "$mbarrier_test": lambda _: Pure(("?",), ("u8", "u8"), _passed),
    "$mbarrier_parity": lambda _: Pure(("?",), ("u8", "u4"), _parity),
    "$mbarrier_pending": lambda _: Pure(("u4",), ("u8",), _pending),
}
