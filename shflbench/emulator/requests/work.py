"""Count what a launch executes: instructions, exchanges of values, and barriers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.launch import EmulatedLaunch, execute, module_contents
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.scheduler import STEP_LIMIT
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.requests.recorder import SPACES

BARRIER = "barriers"


@dataclass(frozen=True, slots=True)
class ExecutedWork:
    """What the threads of a launch have executed in lockstep, and what they have left in its buffers."""

    instructions: int  # of groups of threads that execute them together
    exchanges: Mapping[str, int]  # lanes that executed them, by kind: `shared loads`, `shfl.sync`, `barriers`
    contents: Sequence[Values]  # of all its outputs afterwards
    symbols: Mapping[str, bytes]  # of all `__device__` variables

    @property
    def totals(self) -> Mapping[str, int]:
        """The exchanges and the instructions."""
        return {**self.exchanges, "instructions": self.instructions}


@dataclass(slots=True)
class WorkRecorder(Observer):
    """Adds up the exchanges and barriers of a launch."""

    counts: Counter[str] = field(default_factory=Counter)

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Add an access to shared, global or local memory."""
        del index, values
        if isinstance(op.form, Access) and space.name in SPACES and op.form.space != "const":
            self.counts[f"{SPACES[space.name]} {_KINDS.get(op.form.kind, 'atomics')}"] += members.count

    def collective(self, op: Op, lanes: int) -> None:
        """Add a collective instruction."""
        self.counts[".".join((op.instruction.opcode, *op.instruction.modifiers[:1]))] += lanes

    def synchronize_blocks(self, blocks: Values, op: Op | None = None) -> None:
        """Add a barrier of each block."""
        del op
        self.counts[BARRIER] += blocks.size

    def synchronize_warps(self, warps: Values, op: Op | None = None) -> None:
        """Add a barrier of each warp."""
        del op
        self.counts[BARRIER] += warps.size


_KINDS = {"ld": "loads", "ldu": "loads", "st": "stores"}


def count_work(launch: EmulatedLaunch, step_limit: int = STEP_LIMIT) -> ExecutedWork:
    """Run a launch in lockstep, and return what its threads execute; EmulatorError if it fails."""
    recorder = WorkRecorder()
    outputs = execute(launch, observe=lambda _: [recorder], step_limit=step_limit)
    steps, symbols = launch.machine.lockstep_steps, {**launch.symbols, **module_contents(launch)}
    return ExecutedWork(steps, dict(recorder.counts), [np.asarray(item) for item in outputs], symbols)
