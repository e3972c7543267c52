"""The passes that a warp's request takes through the banks of shared memory.

There are 32 banks of 32 bits, and a pass reads or writes one word of each. A request of 64 bits per lane is divided
into half-warps, and one of 128 bits into quarter-warps. Lanes of one part that access one word do not conflict.

If every active lane of a load has the address of lane n^1, or every one that of lane n^2, where these are active, two
parts become one: a uniform load of 128 bits takes two passes.
(https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228/2.) This does not hold for a half of
a warp by itself, nor for stores, nor for `ldmatrix`, of which each matrix is a part. `benchmarks/wavefronts.md`: the
same passes as Nsight Compute's wavefronts on an H100.
"""

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import Values

BANKS = 32
WORD = 4  # bytes
MOST_WORDS = 1 << 24  # more than any shared memory has; a multiple of the banks
LANES = np.arange(WARP)


def passes(addresses: Values, active: Values, size: int, *, joined: bool) -> tuple[Values, Values]:
    """Return the passes of each request, and those that its lanes need where no two conflict.

    `addresses` and `active` have the shape [requests, 32]; `size` is in bytes per lane. `joined`: parts become one as
    in loads.
    """
    words = max(1, size // WORD)
    part = np.broadcast_to(LANES // (WARP // words), addresses.shape)
    if joined and words > 1:
        part = np.where(_paired(addresses, active), part & ~1, part)
    requests = np.arange(addresses.shape[0])[:, None]
    group = (requests * words + part)[active]
    word = addresses[active] // WORD
    pairs = np.concatenate([group * MOST_WORDS + word + step for step in range(words)])
    distinct = np.unique(pairs)
    in_bank = np.bincount(
        distinct // MOST_WORDS * BANKS + distinct % BANKS, minlength=addresses.shape[0] * words * BANKS
    )
    needed = in_bank.reshape(-1, words, BANKS).max(axis=2)
    return needed.sum(axis=1), np.count_nonzero(needed, axis=1)


def _paired(addresses: Values, active: Values) -> Values:
    """Return, for each request, whether pairs of its parts become one."""
    paired = np.zeros((addresses.shape[0], 1), np.bool_)
    for distance in (1, 2):
        other = LANES ^ distance
        equal = (addresses == addresses[:, other]) | ~active | ~active[:, other]
        paired |= equal.all(axis=1, keepdims=True)
    return paired
