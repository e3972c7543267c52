"""The events of a running launch. A rule that finds hazards overrides the methods that it needs."""

from collections.abc import Sequence

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Values


class Observer:
    """Gets the events of threads, by their numbers, before they take effect; does nothing by itself."""

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Get an access to elements `index` of `space`, one per thread; `values` are stored or combined."""

    def exchange(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, done: Values) -> None:
        """Get an atomic after its effect: which threads wrote; the others compared and did not swap."""

    def collective(self, op: Op, lanes: int) -> None:
        """Get a collective instruction of warps, and by how many lanes they execute it."""

    def fence(self, op: Op, threads: Values) -> None:
        """Get a fence of threads."""

    def launch_dependents(self, op: Op, threads: Values) -> None:
        """Get threads that let the grids begin that depend on theirs."""

    def wait_for_grids(self, op: Op, threads: Values) -> None:
        """Get threads that continue because the grids before theirs have completed."""

    def proxy_fence(self, op: Op, threads: Values) -> None:
        """Get a fence of threads between the generic and the async proxy."""

    def start_copy(self, copy: BulkCopy) -> None:
        """Get a bulk copy, or an asynchronous store, that a thread starts."""

    def complete_copy(self, copy: BulkCopy) -> None:
        """Get a bulk copy that has moved its data."""

    def wait_copies(self, thread: int, copies: Sequence[BulkCopy], *, only_read: bool) -> None:
        """Get a thread that has waited for copies, or only until these have read their sources."""

    def follow(self, op: Op, threads: Values) -> None:
        """Get an op that reads or writes registers which loads write; only of the state's `follower`."""

    def finish(self) -> None:
        """Get the end of the launch, or the error that stopped it."""

    def compare_values(self, op: Op, threads: Values, active: Values | None, values: Values) -> None:
        """Get the values that the active lanes of warps compare, all [warps, 32]; None: all lanes are active."""

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Get a barrier of all threads of these blocks; `op` unless they wait at several places."""

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Get a barrier of all lanes of each of these warps; `op` unless they wait at several places."""

    def synchronize_lanes(self, threads: Values, masks: Values) -> None:
        """Get a barrier of the lanes that each thread's mask names."""

    def release_to_barrier(self, threads: Values, meeting: int) -> None:
        """Get threads that arrive at a barrier that not all threads of a block wait at.

        Their earlier accesses happen before those of the threads that `acquire_from_barrier` names for this meeting.
        """

    def acquire_from_barrier(self, threads: Values, meeting: int) -> None:
        """Get threads that waited at a barrier, now complete: accesses before all arrivals happen before their next."""

    def arrive_at_cluster(self, op: Op, threads: Values, phases: Values) -> None:
        """Get threads that arrive at the barrier of their clusters, and for which time each does."""

    def leave_cluster(self, threads: Values, phases: Values, op: Op | None = None) -> None:
        """Get threads that have waited for a barrier of their clusters, now complete: the number of each one."""

    def end(self, threads: Values, op: Op | None) -> None:
        """Get threads that exit, at `op`, of a launch with clusters or once a bulk copy has started."""

    def skip_barrier(self, op: Op, threads: Values, ended: Values, end: Op | None) -> None:
        """Get threads that continue from a barrier, and others of their block that ended before, the first at `end`."""

    def meet(self, threads: Values, sets: Values, places: Values, ops: Sequence[Op]) -> None:
        """Get threads at barriers of their block that continue, or never will: each at the op at its place of `ops`.

        Threads of one set, the lanes of a warp, have to execute it together. An op has several places if threads are in
        different iterations of the loops around it.
        """

    def pass_masks(self, op: Op, threads: Values, masks: Values, ended: Values) -> None:
        """Get the masks that lanes pass, and as words which lanes of each mask have exited."""

    def meet_other_masks(self, op: Op, threads: Values) -> None:
        """Get lanes that continue although lanes that their masks name pass other masks."""

    def read_absent(self, op: Op, threads: Values, sources: Values) -> None:
        """Get lanes that read from lanes that do not execute the instruction: each from the one of `sources`."""

    def stand_outside(self, op: Op, threads: Values) -> None:
        """Get lanes whose own mask does not name them."""

    def ask_active(self, op: Op, threads: Values) -> None:
        """Get lanes that read the mask of active lanes."""
