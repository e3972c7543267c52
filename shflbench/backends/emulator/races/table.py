"""The rules for checked kernels."""

from collections.abc import Sequence

from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.races.clocks import Clocks
from shflbench.backends.emulator.races.diagnostics import Divergence, LaneMasks
from shflbench.backends.emulator.races.hazards import HazardLog
from shflbench.backends.emulator.races.rule import Rule
from shflbench.backends.emulator.races.shared_memory import SharedMemoryRaces
from shflbench.backends.emulator.races.uninitialized import UninitializedReads

RULES: Sequence[type[Rule]] = (LaneMasks, Divergence, SharedMemoryRaces, UninitializedReads)


def rules(state: State, log: HazardLog) -> list[Observer]:
    """Return observers that apply all rules to a launch and report to `log`; EmulatorError if it is too large."""
    clocks = Clocks(state)
    return [clocks, *(rule(state, clocks, log) for rule in RULES)]
