"""Distributed shared memory: addresses that `mapa` gives, which name a block of the cluster (PTX ISA 9.0, `mapa`).

An address in the first window of shared memory is one of the thread's own block, whatever its rank is.
"""

from dataclasses import dataclass

import numpy as np

from shflbench.emulator.machine.faults import FaultKind
from shflbench.emulator.machine.memory import Fault
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.addresses import WINDOW_BYTES
from shflbench.emulator.opcodes.forms import Access, Values


@dataclass(frozen=True, slots=True)
class BlockPlaces:
    """Where accesses lie: the number of the block, -1 for a rank that the cluster does not have, and the byte."""

    blocks: Values
    offsets: Values


def places_of(state: State, home: Values, addresses: Values) -> BlockPlaces:
    """Return the places of addresses in shared memory, given the block of each thread."""
    numbers = (addresses + WINDOW_BYTES // 2) // WINDOW_BYTES
    offsets = addresses - numbers * WINDOW_BYTES
    clusters = state.clusters
    exists = (numbers > 0) & (numbers <= clusters.size)
    ranks = np.where(exists, numbers - 1, 0)
    named = np.where(exists, clusters.blocks[clusters.of_block[home], ranks], -1)
    return BlockPlaces(np.where(numbers == 0, home, named), offsets)


def names_block(addresses: Values) -> bool:
    """Return whether an address names a block."""
    return bool(addresses.max() >= WINDOW_BYTES // 2)


def fault_of_block(state: State, form: Access, space: str, home: Values, places: BlockPlaces) -> Fault | None:
    """Return the fault of an access to a block that does not exist, or to another one by `.shared`; `space` is named.

    Such an access with `.shared::cta` is undefined: the address lies outside of the window of the block.
    """
    size = np.dtype(form.type).itemsize * form.vector
    outside = places.blocks.reshape(-1) < 0
    if outside.any():
        position = int(np.argmax(outside))
        number = state.clusters.size
        blocks = "1 block" if number == 1 else f"{number:,} blocks"
        why = f"an address of a rank that the cluster of {blocks} does not have"
    else:
        apart = (places.blocks != home).reshape(-1)
        if not space or form.distributed or not apart.any():
            return None
        position = int(np.argmax(apart))
        why = "an address in the shared memory of another block, which takes .shared::cluster"
    return Fault(position, why, FaultKind.OUT_OF_BOUNDS, int(places.offsets.flat[position]), size)
