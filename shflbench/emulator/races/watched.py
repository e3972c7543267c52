"""One run of a launch with the rules for checked kernels as observers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.dropped import DroppedAccesses
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.policies import Policy
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.conflicts import Conflicts
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.emulator.races.hazards import Hazard, HazardKind, HazardLog
from shflbench.emulator.races.phase_order import PhaseOrder
from shflbench.emulator.races.rule_table import rules, tracking_rules
from shflbench.errors import EmulatorError

# An endless loop repeats its races, and tracking those takes up to 200× the time of the loop.
PART_OF_ENDLESS = 50


@dataclass(slots=True)
class Watch:
    """The observers of one run."""

    observers: list[Observer] = field(default_factory=list)
    conflicts: Conflicts | None = None
    phases: PhaseOrder | None = None
    state: State | None = None

    def start(self, log: HazardLog, state: State) -> list[Observer]:
        """Look for all hazards but races in global memory; mark where these can be."""
        self.state = state
        self.observers, self.conflicts, self.phases = rules(state, log)
        return self.observers

    def track(self, log: HazardLog, cells: Mapping[str, Values], state: State) -> list[Observer]:
        """Look for races in the marked cells."""
        self.observers = tracking_rules(state, log, cells)
        return self.observers

    @property
    def blocks_apart(self) -> bool:
        """Whether no block can have learned of another one: by memory, the clock, or what `malloc` gave."""
        state, conflicts = self.state, self.conflicts
        if state is None or conflicts is None or state.ticks or state.program.heap_bytes:
            return False
        if state.shape.has_clusters or state.bulk.has_started:
            return False
        return conflicts.blocks_apart

    @property
    def phases_are_fixed(self) -> bool:
        """Whether each order of the threads has the same operations in each phase of a barrier in memory."""
        return self.phases is not None and self.phases.is_fixed

    def finish(self) -> None:
        """Let the observers report what only the end of the run shows."""
        for observer in self.observers:
            observer.finish()


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """A launch under one schedule."""

    launch: EmulatedLaunch
    policy: Policy
    seed: int
    step_limit: int

    def execute(
        self, observe: Callable[[State], Sequence[Observer]] | None, dropped: DroppedAccesses | None = None
    ) -> tuple[tuple[Values, ...], EmulatorError | None]:
        """Return the outputs, or the error that stopped the run."""
        try:
            outputs = execute(
                self.launch,
                self.policy,
                observe=observe,
                seed=self.seed,
                step_limit=self.step_limit,
                dropped=dropped,
            )
        except EmulatorError as error:
            error.__context__ = error.__cause__ = None  # tracebacks would keep the memory of the launch
            return (), error.with_traceback(None)
        return tuple(outputs), None


def hazard_of(fault: KernelFault, op: Op) -> Hazard:
    """Return a fault as a hazard."""
    space = op.form.space if isinstance(op.form, Access) else ""
    return Hazard(
        HazardKind[fault.kind.name],
        op.instruction,
        fault.other.instruction if fault.other is not None else None,
        fault.threads,
        1,
        memory=MemoryBytes(space, fault.variable, fault.low, fault.high - fault.low, fault.buffer),
        fault=fault,
        elsewhere=fault.elsewhere.instruction if fault.elsewhere is not None else None,
        full_mask=fault.full_mask,
    )
