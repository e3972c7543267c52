"""Barriers in shared memory (`mbarrier`), as operations on the 64 bits that hold their state.

The layout is the emulator's own, as the PTX ISA 9.0 leaves it open (9.7.13.15): from bit 0 the pending arrivals, from
bit 20 the expected ones, from bit 40 the pending bytes as a signed number, from bit 61 the number of the phase, modulo
8. A phase is complete once no arrival and no byte is pending. An operation takes a number that holds from bit 0 its
arrivals, and from bit 20 the bytes that it adds.
"""

from collections.abc import Mapping

import numpy as np

from shflbench.emulator.opcodes.forms import Access, Decoder, Form, Pure, Values
from shflbench.emulator.ptx.syntax import PtxInstruction

_COUNT = np.uint64((1 << 20) - 1)  # the largest count of the PTX ISA is 2^20 - 1
_EXPECTED, _BYTES, _PHASE = np.uint64(20), np.uint64(40), np.uint64(61)
_BYTE_COUNT = np.uint64((1 << 21) - 1)  # from -(2^20 - 1) to 2^20 - 1
_ONE = np.uint64(1)
TRANSACTIONS = 20  # bit from which an operation holds the bytes that it adds
PHASES = 8  # numbers of phases


def _packed(pending: Values, expected: Values, bytes_: Values, phase: Values) -> Values:
    word: Values = pending | expected << _EXPECTED | bytes_ << _BYTES | phase << _PHASE
    return word


def _initial(count: Values, out: Values) -> None:
    arrivals = np.asarray(count).astype(np.uint64) & _COUNT
    none = np.zeros_like(arrivals)
    np.copyto(out, _packed(arrivals, arrivals, none, none))


def arrive(old: Values, count: Values, *, drop: bool = False) -> Values:
    """Return the states of barriers after an operation."""
    added = np.asarray(count).astype(np.uint64)
    arrivals, bytes_ = added & _COUNT, (old >> _BYTES) + (added >> np.uint64(TRANSACTIONS)) & _BYTE_COUNT
    pending, expected = (old & _COUNT) - arrivals, old >> _EXPECTED & _COUNT
    if drop:
        expected = expected - arrivals
    complete = (pending & _COUNT == 0) & (bytes_ == 0)
    phase = (old >> _PHASE) + complete.astype(np.uint64)
    return _packed(np.where(complete, expected, pending & _COUNT), expected & _COUNT, bytes_, phase)


def arrivals_of(states: Values) -> tuple[Values, Values]:
    """Return how many arrivals of how many are pending at barriers."""
    return (states & _COUNT).astype(np.int64), (states >> _EXPECTED & _COUNT).astype(np.int64)


def bytes_of(states: Values) -> Values:
    """Return how many bytes are pending at barriers, negative where more have come than are expected yet."""
    counts = (states >> _BYTES & _BYTE_COUNT).astype(np.int64)
    pending: Values = np.where(counts >> np.int64(20), counts - (1 << 21), counts)
    return pending


def phase_of(states: Values) -> Values:
    """Return the numbers of the phases that barriers are in, modulo `PHASES`."""
    phases: Values = (states >> _PHASE).astype(np.int64)
    return phases


def is_fresh(states: Values) -> Values:
    """Return which barriers nothing has arrived at in their current phase."""
    fresh: Values = states & _COUNT == states >> _EXPECTED & _COUNT
    return fresh


def _arrive(instruction: PtxInstruction) -> Form:
    drop = instruction.opcode.endswith("drop")
    order, scope, *space = instruction.modifiers
    return Access(
        "atom",
        "shared" if space else "",
        "u8",
        ("u8",),
        ("u8",),
        update=lambda old, count: arrive(old, count, drop=drop),
        order=order,
        scope=scope,
        asynchronous=instruction.opcode.endswith("async"),
        distributed="cluster" in space,
        is_barrier=True,
    )


def _init(instruction: PtxInstruction) -> Form:
    """Return the store of the first state of a barrier."""
    space = "shared" if instruction.modifiers else ""
    return Access("st", space, "u8", (), ("u8",), is_barrier=True)


def _read(instruction: PtxInstruction) -> Form:
    """Return the read of a barrier's state by a test of its phase."""
    order, scope, *space = instruction.modifiers
    return Access("ld", "shared" if space else "", "u8", ("u8",), (), order=order, scope=scope, is_barrier=True)


def _passed(state: Values, token: Values, out: Values) -> None:
    np.copyto(out, np.asarray(state) >> _PHASE != np.asarray(token) >> _PHASE)


def _parity(state: Values, parity: Values, out: Values) -> None:
    np.copyto(out, (np.asarray(state) >> _PHASE & _ONE) != np.asarray(parity).astype(np.uint64))


def _pending(token: Values, out: Values) -> None:
    np.copyto(out, token & _COUNT, casting="unsafe")


FORMS: Mapping[str, Decoder] = {
    "$mbarrier_init": lambda _: Pure(("u8",), ("u4",), _initial),
    "$mbarrier_store": _init,
    "$mbarrier_arrive": _arrive,
    "$mbarrier_arrive_drop": _arrive,
    "$mbarrier_arrive_async": _arrive,
    "$mbarrier_read": _read,
    "$mbarrier_test": lambda _: Pure(("?",), ("u8", "u8"), _passed),
    "$mbarrier_parity": lambda _: Pure(("?",), ("u8", "u4"), _parity),
    "$mbarrier_pending": lambda _: Pure(("u4",), ("u8",), _pending),
}
