"""The scopes of strong accesses: which threads of a launch each includes (PTX ISA 9.0, 8.5)."""

import numpy as np

from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import OF_ALL, OF_BLOCK, OF_CLUSTER, Access, Fence, Values


class Scopes:
    """The levels of scopes that a launch distinguishes; without clusters, that of a cluster is that of a block."""

    def __init__(self, state: State) -> None:
        """Take the clusters of a launch."""
        self._lanes = state.shape.lanes_per_block
        self._cluster_of = state.clusters.of_lane
        self.levels = (OF_BLOCK, OF_CLUSTER, OF_ALL) if state.shape.has_clusters else (OF_BLOCK, OF_ALL)
        self.of_cluster = self.levels[-2]
        self._levels = (OF_BLOCK, self.of_cluster, OF_ALL)

    def level(self, form: Access | Fence) -> int:
        """Return the level of an operation's scope."""
        return self._levels[form.reach]

    def group(self, level: int, thread: int) -> int:
        """Return the number of the block or the cluster of a thread; 0 for all threads."""
        if level == OF_BLOCK:
            return thread // self._lanes
        return int(self._cluster_of[thread]) if level == OF_CLUSTER else 0

    def include(self, level: int, threads: Values, others: Values) -> Values:
        """Return which pairs of threads a scope includes both of."""
        if level == OF_ALL:
            return np.ones(np.broadcast_shapes(threads.shape, others.shape), np.bool_)
        of = self._cluster_of if level == OF_CLUSTER else None
        included: Values = (
            of[threads] == of[others] if of is not None else threads // self._lanes == others // self._lanes
        )
        return included
