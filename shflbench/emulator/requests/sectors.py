"""The sectors of 32 bytes that a warp's request touches in global or local memory."""

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import Values

SECTOR = 32  # bytes
LINE = 128  # bytes
WORD = 4  # bytes
_UNUSED = np.iinfo(np.int64).min


def sectors(addresses: Values, active: Values, size: int) -> tuple[Values, Values]:
    """Return the sectors of each request, and the fewest that could hold its distinct bytes.

    `addresses` and `active` have the shape [requests, 32]; accesses of `size` bytes are aligned to their size.
    """
    bytes_needed = distinct(addresses, active) * size
    return distinct(addresses // SECTOR, active), -(-bytes_needed // SECTOR)


def local_sectors(offsets: Values, active: Values, size: int) -> tuple[Values, Values]:
    """Return the same of local memory, given offsets in the memory of each lane's thread.

    The words of 32 bits at one offset lie next to one another for all lanes of a warp (CUDA C++ Programming Guide,
    section "Device Memory Accesses", local memory).
    """
    addresses = _interleaved(offsets, size)
    return sectors(addresses, np.tile(active, addresses.shape[1] // WARP), WORD)


def lines(addresses: Values, active: Values, size: int, *, local: bool) -> Values:
    """Return the lines of 128 bytes that each request touches, in global memory or, with offsets, in local memory."""
    if local:
        addresses = _interleaved(addresses, size)
    return distinct(addresses // LINE, np.tile(active, addresses.shape[1] // WARP))


def _interleaved(offsets: Values, size: int) -> Values:
    """Return where the words of each request to local memory lie, shape [requests, words · 32]."""
    words = [offsets // WORD + step for step in range(max(1, size // WORD))]
    return np.concatenate([(word * WARP + np.arange(WARP)) * WORD for word in words], axis=1)


def distinct(values: Values, active: Values) -> Values:
    """Return the number of distinct integers among the active ones of each row."""
    ordered = np.sort(np.where(active, values, _UNUSED), axis=1)
    counts: Values = (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) + 1 - ~active.all(axis=1)
    return counts
