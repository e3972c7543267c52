"""Launches of groups of blocks: a setting has the number of groups, and its option `cluster` the blocks of each."""

from shflbench.core.dimensions import Dims
from shflbench.patterns.declare import Setting


def blocks(at: Setting) -> int:
    """Return the blocks of all groups."""
    return at.grid * at.whole("cluster")


def separate_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of all blocks of all groups."""
    return (blocks(at), 1, 1), (at.block, 1, 1)


def larger_blocks(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of one block per group, with the threads of all of its blocks."""
    return (at.grid, 1, 1), (at.block * at.whole("cluster"), 1, 1)
