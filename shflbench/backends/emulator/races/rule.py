"""A rule: an observer of one launch that reports hazards."""

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.backends.emulator.races.clocks import Clocks
from shflbench.backends.emulator.races.hazards import HazardKind, HazardLog


class Rule(Observer):
    """Finds one kind of violation of the memory model, or of the rules for warps."""

    def __init__(self, state: State, clocks: Clocks, log: HazardLog) -> None:
        """Observe the launch of `state`; `clocks` hold the order of accesses, `log` collects the hazards."""
        self.state, self.shape, self.clocks, self.log = state, state.shape, clocks, log

    def report(self, kind: HazardKind, op: Op, threads: Values, count: int = 0, other: Op | None = None) -> None:
        """Report a hazard of some threads, by number, of which the first two are named."""
        named = tuple(self.shape.in_block(int(thread)) for thread in threads[:2])
        earlier = other.instruction if other is not None else None
        self.log.add(kind, op.instruction, named, count or int(threads.size), earlier)
