"""Generic addresses: the window of each state space, conversions from and to them, prefetches."""

from collections.abc import Mapping

import numpy as np

from shflbench.core.dimensions import MAX_CLUSTER
from shflbench.emulator.opcodes.forms import Decoder, Nothing, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

GLOBAL_BASE = 0x7F00_0000_0000
MODULE_BASE = GLOBAL_BASE - (1 << 32)  # module variables lie below the buffers
BUFFERS_FROM = GLOBAL_BASE - (1 << 31)  # an address from here on is meant for a buffer, perhaps by a negative index
# Shared memory and parameters have a window of 16 MiB each, and so has the local memory of each thread: a generic
# address in local memory names its thread, the only one with access to it (CUDA C++ Programming Guide 13.0, "Local
# Memory").
WINDOWS: Mapping[str, int] = {
    "global": 0,
    "const": 0,
    "param": 0x0300_0000_0000,
    "shared": 0x0100_0000_0000,
    "local": 0x1000_0000_0000,
}
WINDOW_BYTES = 1 << 24
OWNERS = 1 << 22  # windows of local memory; threads of larger launches share them
# Windows of shared memory: that of the thread's own block, one for each rank in a cluster, and one of no rank at all.
_PARTS: Mapping[str, int] = {"local": OWNERS, "shared": MAX_CLUSTER + 2}
OWNER = "%local_owner"  # special register: bytes from the first window of local memory to that of the thread


def owner_bytes(threads: Values) -> Values:
    """Return the bytes from the first window of local memory to that of each thread, given by number."""
    distances: Values = threads % OWNERS * WINDOW_BYTES
    return distances


def window_of(addresses: Values) -> Values:
    """Return the base of the window that each generic address lies in, of local memory that of the first; 0: global."""
    base = np.zeros(addresses.shape, "u8")
    for name in ("shared", "local", "param"):
        start = np.uint64(WINDOWS[name])
        size = np.uint64(WINDOW_BYTES * _PARTS.get(name, 1))
        base[(addresses >= start) & (addresses < start + size)] = start
    return base


def own_rank_window(rank: Values | int) -> Values:
    """Return what `mapa` adds to an address in the window of the block itself, to name the block of this rank."""
    windows: Values = (np.minimum(np.asarray(rank, np.int64), MAX_CLUSTER) + 1) * WINDOW_BYTES
    return windows


def _without_sub_space(modifiers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modifiers without `::cta` and the like: cluster and block share one window."""
    return tuple(word for word in modifiers if word not in {"cta", "cluster", "entry", "func"})


def _cvta(instruction: PtxInstruction) -> Pure:
    *direction, space, name = _without_sub_space(instruction.modifiers)
    if direction not in ([], ["to"]) or space not in WINDOWS:
        raise UnknownFormError
    type_ = NUMPY[name]
    base = np.array(WINDOWS[space], type_)
    shift = np.subtract if direction else np.add
    return Pure((type_,), (type_,), lambda a, out: shift(a, base, out))


def _isspacep(instruction: PtxInstruction) -> Pure:
    (space,) = _without_sub_space(instruction.modifiers)
    if space not in {"global", "local", "param"}:  # constants lie among the global addresses here
        raise UnknownFormError
    return Pure(
        ("?",), ("u8",), lambda a, out: np.copyto(out, window_of(np.broadcast_to(a, out.shape)) == WINDOWS[space])
    )


_RANK_BITS = (1 << 29) - WINDOW_BYTES  # of an address, in which the number of a window of shared memory stands


def _isspacep_shared(instruction: PtxInstruction) -> Pure:
    """Return whether an address lies in shared memory: of the thread's block, or with `::cluster` of any of them."""
    if _without_sub_space(instruction.modifiers) != ("shared",):
        raise UnknownFormError
    of_cluster = "cluster" in instruction.modifiers

    def apply(address: Values, rank: Values, out: Values) -> None:
        address = np.broadcast_to(address, out.shape)
        inside = window_of(address) == WINDOWS["shared"]
        if not of_cluster:
            number = (address & np.uint64(_RANK_BITS)) // np.uint64(WINDOW_BYTES)
            inside &= (number == 0) | (number == np.asarray(rank).astype(np.uint64) + np.uint64(1))
        np.copyto(out, inside)

    return Pure(("?",), ("u8", "u4"), apply)


def _mapa(instruction: PtxInstruction) -> Pure:
    """Return the address of the same byte in the block of a rank."""
    type_ = NUMPY[instruction.modifiers[-1]]

    def apply(address: Values, rank: Values, out: Values) -> None:
        byte = np.asarray(address, type_) & np.array((1 << 8 * out.itemsize) - 1 - _RANK_BITS, type_)
        np.copyto(out, byte | own_rank_window(rank).astype(type_))

    return Pure((type_,), (type_, "u4"), apply)


def _getctarank(instruction: PtxInstruction) -> Pure:
    """Return the rank of the block whose shared memory an address lies in."""
    type_ = NUMPY[instruction.modifiers[-1]]

    def apply(address: Values, rank: Values, out: Values) -> None:
        number = (np.asarray(address, type_) & np.array(_RANK_BITS, type_)) // np.array(WINDOW_BYTES, type_)
        np.copyto(out, np.where(number == 0, rank, number - np.array(1, type_)), casting="unsafe")

    return Pure(("u4",), (type_, "u4"), apply)


def _policy_operands(instruction: PtxInstruction) -> tuple[str, ...]:
    """Return the types of what a cache policy is made of; caches do not exist here."""
    return ("u4",) * (len(instruction.operands) - 1)


FORMS: Mapping[str, Decoder] = {
    "mapa": _mapa,
    "$getctarank": _getctarank,
    "$isspacep": _isspacep_shared,
    "createpolicy": lambda instruction: Pure(
        ("u8",), _policy_operands(instruction), lambda *values: values[-1].fill(0)
    ),
    "applypriority": lambda _: Nothing(),
    "cvta": _cvta,
    "isspacep": _isspacep,
    "prefetch": lambda _: Nothing(),
    "prefetchu": lambda _: Nothing(),
}
