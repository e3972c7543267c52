"""The clusters of a launch: which blocks belong together, and their ranks."""

from math import prod

import numpy as np

from shflbench.emulator.machine.threads import Shape, coordinates
from shflbench.emulator.opcodes.forms import Values


class Clusters:
    """The clusters of a grid. Without clusters, each block is one.

    Clusters, and the blocks within one, are numbered along x first, then y, then z, as blocks of a grid are (PTX ISA
    9.0, chapter 10, `%cluster_ctarank`).
    """

    def __init__(self, shape: Shape) -> None:
        """Give numbers to the clusters and to the blocks in them."""
        self.size = prod(shape.cluster)  # blocks of each
        grid, cluster = shape.grid_dims, shape.cluster
        self.dims = tuple(blocks // part for blocks, part in zip(grid, cluster, strict=True))  # of the grid in clusters
        running = np.arange(shape.grid)
        blocks = np.array(shape.sample) if shape.sample else running
        places = coordinates(blocks, grid)
        self.in_cluster = [place % part for place, part in zip(places, cluster, strict=True)]  # of each block, by axis
        self.indexes = [place // part for place, part in zip(places, cluster, strict=True)]  # likewise, of the cluster
        self.rank = _number(self.in_cluster, cluster)  # of each block in its cluster
        self.of_block = _number(self.indexes, self.dims) if shape.has_clusters else running
        self.count = shape.grid // self.size
        self.blocks = np.zeros((self.count, self.size), np.int64)  # by cluster and rank
        self.blocks[self.of_block, self.rank if shape.has_clusters else 0] = running
        self.of_lane = np.repeat(self.of_block, shape.lanes_per_block)


def _number(places: list[Values], dims: tuple[int, ...]) -> Values:
    number: Values = places[0] + dims[0] * (places[1] + dims[1] * places[2])
    return number
