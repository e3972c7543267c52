"""The rules for checked kernels."""

from collections.abc import Mapping, Sequence

from shflbench.emulator.link.program import Program
from shflbench.emulator.link.weak_orders import copies_in_bulk
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.races.bulk_races import BulkRaces
from shflbench.emulator.races.cells import accesses_of
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.conflicts import Conflicts
from shflbench.emulator.races.diagnostics import Divergence, LaneMasks
from shflbench.emulator.races.distributed_lifetime import DistributedLifetime
from shflbench.emulator.races.fenced_reads import FencedReads, FencedSynchronization
from shflbench.emulator.races.hazards import HazardLog
from shflbench.emulator.races.incomplete_copies import AsyncCopies
from shflbench.emulator.races.load_uses import LoadUses
from shflbench.emulator.races.non_coherent import NonCoherentLoads
from shflbench.emulator.races.phase_order import PhaseOrder
from shflbench.emulator.races.rule import Rule
from shflbench.emulator.races.shared_memory import SharedMemoryRaces
from shflbench.emulator.races.synchronization import Synchronization, publishes
from shflbench.emulator.races.tracked import TrackedRaces
from shflbench.emulator.races.uninitialized import UninitializedReads

RULES: Sequence[type[Rule]] = (LaneMasks, Divergence, AsyncCopies, NonCoherentLoads)


def rules(state: State, log: HazardLog) -> tuple[list[Observer], Conflicts, PhaseOrder | None]:
    """Return observers that apply all rules to a launch and report to `log`; EmulatorError if it is too large.

    One of them marks the cells that `tracking_rules` have to compare in a second run, and one follows the phases of
    barriers in memory, where threads wait for them and copies complete when they start.
    """
    clocks = _clocks(state)
    applied = [rule(state, clocks, log) for rule in RULES]
    spaces, uses = ["global", "module"], None
    if state.shape.has_clusters:
        lifetime = DistributedLifetime(state, clocks, log)
        applied.append(lifetime)
        uses = lifetime.uses
    if _plain_shared(state.program) and not state.shape.has_clusters and not copies_in_bulk(state.program):
        applied += [UninitializedReads(state, clocks, log), SharedMemoryRaces(state, clocks, log)]
    else:
        applied.append(UninitializedReads(state, clocks, log, ("global", "local", "shared")))
        spaces.append("shared")
    synchronization = [Synchronization(state, clocks)] if publishes(state.program) else []
    conflicts = Conflicts(state, spaces)
    phases = PhaseOrder(state, clocks) if state.program.tests_phases and not state.bulk.is_late else None
    last = [*([phases] if phases is not None else []), *synchronization, conflicts]
    return [*_before(state, clocks, uses), clocks, *applied, *last], conflicts, phases


def tracking_rules(state: State, log: HazardLog, cells: Mapping[str, Values]) -> list[Observer]:
    """Return observers that compare all accesses to some cells; EmulatorError if these are too many."""
    clocks = _clocks(state)
    synchronization = Synchronization(state, clocks) if publishes(state.program) else None
    tracked = TrackedRaces(state, clocks, log, cells, synchronization)
    by_fences: list[Observer] = []
    if synchronization is not None and state.shape.grid > 1:
        clocks.fenced = Clocks(state)
        fenced = FencedSynchronization(state, clocks.fenced)
        by_fences, tracked.fenced_reads = [clocks.fenced, fenced], FencedReads(clocks, clocks.fenced, fenced)
    bulk = [BulkRaces(state, clocks, log, tracked)] if copies_in_bulk(state.program) else []
    last = [synchronization] if synchronization is not None else []
    return [*_before(state, clocks, tracked.uses), *by_fences, clocks, *bulk, tracked, *last]


def _clocks(state: State) -> Clocks:
    """Return the clocks of a launch, in clusters with those of what barriers order in practice."""
    clocks = Clocks(state)
    if state.shape.has_clusters:
        clocks.practice = Clocks(state)
    return clocks


def _before(state: State, clocks: Clocks, uses: LoadUses | None) -> list[Observer]:
    """Return what keeps the clocks of what barriers order in practice; before the rules that ask these clocks.

    What a rule compares with earlier accesses synchronizes only by an event that follows. What completes a load has to
    be counted before what makes it known.
    """
    practice = clocks.practice
    kept: list[Observer] = [uses] if uses is not None and state.loaded_values.ops else []
    return kept if practice is None else [*kept, practice, Synchronization(state, practice, in_practice=True)]


def _plain_shared(program: Program) -> bool:
    """Return whether the accesses to shared memory can be compared at once, without marking cells first.

    These are weak loads and stores. Volatile ones are like weak ones there, unless the program has fences, by which
    they may synchronize.
    """
    weak = {"weak"} if publishes(program) else {"weak", "volatile"}
    forms = [form for op, form in accesses_of(program) if op.place is None or op.place.space in {"shared", ""}]
    return all(form.order in weak for form in forms)
