"""Find out whether values that nothing defines change what a kernel writes.

A lane that has ended, does not come, or is not named by the mask gives no defined value (PTX ISA 9.0, 9.7.9.6), and
neither does memory that nothing has written. Which value it is must not matter: a launch that is run with different
ones writes the same memory, and prints the same.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.policies import Policy
from shflbench.emulator.machine.state import ABSENT_FILLS, UNWRITTEN_FILLS, State
from shflbench.emulator.ptx.syntax import PtxInstruction
from shflbench.emulator.races.clocks import Clocks
from shflbench.emulator.races.hazards import Hazard, HazardKind, HazardLog
from shflbench.emulator.races.uninitialized import UninitializedReads
from shflbench.errors import EmulatorError

_WITH_EFFECT: Mapping[HazardKind, HazardKind] = {
    HazardKind.ABSENT_VALUE: HazardKind.INACTIVE_SOURCE,
    HazardKind.UNINITIALIZED_UNUSED: HazardKind.UNINITIALIZED,
}


Proven = set[tuple[HazardKind, PtxInstruction]]  # hazards of undefined values that have an effect under some schedule


def with_effects(  # noqa: PLR0913  (all but the first three by name)
    launch: EmulatedLaunch,
    policy: Policy,
    hazards: tuple[Hazard, ...],
    *,
    seed: int,
    step_limit: int,
    proven: Proven,
) -> tuple[Hazard, ...]:
    """Return the hazards of a launch, those of undefined values by whether these values have an effect.

    `launch` was the last launch of its machine, under the same policy and seed. It is not run again where earlier
    schedules have `proven` all of them; those of this one are added.
    """
    keys = {(hazard.kind, hazard.instruction) for hazard in hazards if hazard.kind in _WITH_EFFECT}
    if not keys:
        return hazards
    if not keys <= proven:
        kinds = {kind for kind, _ in keys}
        if not _changes_memory(launch, policy, kinds, seed=seed, step_limit=step_limit):
            return hazards
        proven |= keys
    return HazardLog.of(replace(item, kind=_WITH_EFFECT.get(item.kind, item.kind)) for item in hazards).list()


def assuming_effects(  # noqa: PLR0913  (all but the first four by name)
    launch: EmulatedLaunch,
    policy: Policy,
    hazards: tuple[Hazard, ...],
    fault: KernelFault,
    *,
    seed: int,
    step_limit: int,
) -> tuple[Hazard, ...]:
    """Return the hazards of a launch that a fault has stopped, whose uninitialized values may be the reason.

    Values of absent lanes are the reason if the fault is another one with other values, or none.
    """
    reasons = {HazardKind.UNINITIALIZED_UNUSED}
    if fault.kind is not FaultKind.ENDLESS and any(item.kind is HazardKind.ABSENT_VALUE for item in hazards):
        try:
            execute(launch, policy, seed=seed, step_limit=step_limit, absent_fill=ABSENT_FILLS[1])
            other = ""
        except EmulatorError as error:
            other = error.message
        reasons |= {HazardKind.ABSENT_VALUE} if other != fault.message else set()
    return HazardLog.of(
        replace(item, kind=_WITH_EFFECT[item.kind]) if item.kind in reasons else item for item in hazards
    ).list()


def _changes_memory(
    launch: EmulatedLaunch, policy: Policy, undefined: set[HazardKind], *, seed: int, step_limit: int
) -> bool:
    """Run the last launch again with other undefined values, and return whether it writes something else."""
    state = launch.machine.state
    if state is None:  # impossible: the launch has run
        raise AssertionError(launch)
    before = {name: state.spaces[name].bytes.copy() for name in ("global", "module")}
    printed = state.printed
    # Most values come from nowhere else than lanes or memory, but code that only compares with zero does the same with
    # the first two fills.
    fills = [(fill, ABSENT_FILLS[1]) for fill in UNWRITTEN_FILLS[1:]]
    if HazardKind.UNINITIALIZED_UNUSED not in undefined:
        fills = fills[:1]
    if HazardKind.ABSENT_VALUE in undefined:
        fills += [(UNWRITTEN_FILLS[1], fill) for fill in ABSENT_FILLS[2:]]
    for fill, absent_fill in fills:
        reads: list[UninitializedReads] = []

        def observe(current: State, reads: list[UninitializedReads] = reads) -> list[Observer]:
            reads.append(UninitializedReads(current, Clocks(current), HazardLog(), ("global",)))
            return [*reads]

        try:
            execute(
                launch,
                policy,
                observe=observe,
                seed=seed,
                step_limit=step_limit,
                absent_fill=absent_fill,
                unwritten=fill,
            )
        except EmulatorError:  # the first run ended
            return True
        if state.printed != printed or _differ(before, state, reads[0].unwritten("global"), fill):
            return True
    return False


def _differ(before: Mapping[str, np.ndarray], state: State, unwritten: np.ndarray, fill: int) -> bool:
    """Return whether memory differs from that of the first run; `unwritten` are the places that hold `fill`."""
    after = {name: state.spaces[name].bytes for name in before}
    if not np.array_equal(before["module"], after["module"]):
        return True
    first = before["global"]
    expected = np.where(unwritten & (first == UNWRITTEN_FILLS[0]), fill, first)
    return not np.array_equal(expected, after["global"])
