"""Run the groups of a launch in the order of a policy until all threads have exited."""

from operator import attrgetter

import numpy as np

from shflbench.backends.emulator.machine.barriers import involves_all, releases
from shflbench.backends.emulator.machine.bind import Trace, bind, trace
from shflbench.backends.emulator.machine.groups import ConvergedGroup, merged
from shflbench.backends.emulator.machine.policies import Policy, all_threads
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.opcodes.forms import Branch, Exit, Values
from shflbench.errors import EmulatorError

# Instructions of one launch, each for many threads: some seconds for a small launch, a minute or two for a large one.
# A verifying launch takes 10,000 to 250,000.
STEP_LIMIT = 500_000
QUANTUM = 16  # traces after which another group runs, so that a spinning group cannot block the others

IN_ORDER = attrgetter("lockstep", "at")  # the order of a policy; within a lockstep group, the group that lags behind


class DeadlockError(EmulatorError):
    """Threads wait for others that never arrive."""


class StepLimitError(EmulatorError):
    """The kernel did not end within the limit of steps."""


class Scheduler:
    """Runs the groups of one launch."""

    def __init__(self, state: State, policy: Policy, seed: int = 0, step_limit: int = STEP_LIMIT) -> None:
        """Start every live thread at the first instruction."""
        self.state = state
        self.random = np.random.default_rng(seed) if policy.random else None
        self.lockstep_groups = state.thread_sets(policy.lockstep_groups)
        self.everyone = state.thread_sets(all_threads)[0]
        self.groups = [ConvergedGroup(members, number, 0) for number, members in enumerate(self.lockstep_groups)]
        self._parts = [1] * len(self.groups)  # number of groups that each lockstep group has diverged into
        self.live = sum(members.count for members in self.lockstep_groups)
        self.steps, self.step_limit = 0, step_limit

    def run(self) -> None:
        """Run to the end; DeadlockError, StepLimitError, or EmulatorError for an access out of bounds."""
        with np.errstate(all="ignore"):
            while self.groups:
                group = self._choose()
                if group is not None:
                    self._advance(group)
                elif not self._release() and not self._release(same_mask=False):
                    raise self._deadlock()

    def _choose(self) -> ConvergedGroup | None:
        """Return the group to run next: by fairness, then by the policy, then the group that lags behind."""
        running = [group for group in self.groups if group.waits_at is None]
        if not running:
            return None
        turns = [group.turns for group in running]
        earliest = min(turns) // QUANTUM
        # A spinning group may depend on a waiting one.
        if earliest and len(running) < len(self.groups) and self._release():
            return self._choose()
        if len(running) == 1:
            return running[0]
        candidates = running
        if max(turns) // QUANTUM > earliest:
            candidates = [group for group in running if group.turns // QUANTUM == earliest]
        if self.random is not None:
            lockstep = candidates[int(self.random.integers(len(candidates)))].lockstep
            candidates = [group for group in candidates if group.lockstep == lockstep]
        return min(candidates, key=IN_ORDER)

    def _advance(self, group: ConvergedGroup) -> None:
        """Run one group until it waits, exits, diverges, or has used its turn."""
        diverged = self._parts[group.lockstep] > 1
        for _ in range(1 if diverged else QUANTUM):
            code = trace(self.state, group.members, group.at, one_block=diverged)
            self.steps += len(code.steps) + 1
            if self.steps > self.step_limit:
                raise self._too_long(group, code)
            for step in code.steps:
                step()
            group.turns += 1
            if not self._end(group, code):
                break
        if self._parts[group.lockstep] > 1:
            self._merge(group.lockstep)

    def _end(self, group: ConvergedGroup, code: Trace) -> bool:
        """Execute the op that ends a trace; return whether the group continues."""
        last = code.last
        if last is None:
            if code.next == code.at:  # control reaches the end of the kernel
                self._exit(group)
                return False
            group.at = code.next
            return True
        match last.form:
            case Branch():
                return self._branch(group, code)
            case Exit(trap=trap):
                if last.guard is not None:
                    self._conditional_exit(group, code)
                else:
                    self._exit(group, trap=code if trap else None)
                return False
            case _:
                group.at, group.waits_at, group.turns = code.at, last, 0
                self._arrived(group)
                return group.waits_at is None and len(self.lockstep_groups) == 1 and group in self.groups

    def _branch(self, group: ConvergedGroup, code: Trace) -> bool:
        last = code.last
        if last is None or last.guard is None:
            group.at = last.target if last is not None else code.next
            return True
        flags = self.state.gather(last.guard, group.members)
        taken = np.count_nonzero(flags)
        if taken in {0, flags.size}:
            group.at = last.target if taken else code.next
            return True
        jumping, staying = self._part(group, flags.reshape(-1))
        jumping.at, staying.at = last.target, code.next
        return False

    def _conditional_exit(self, group: ConvergedGroup, code: Trace) -> None:
        last = code.last
        if last is None or last.guard is None:
            return
        trap = code if isinstance(last.form, Exit) and last.form.trap else None
        flags = self.state.gather(last.guard, group.members)
        group.at = code.next
        if flags.all():
            self._exit(group, trap)
        elif flags.any():
            leaving, _ = self._part(group, flags.reshape(-1))
            self._exit(leaving, trap)

    def _part(self, group: ConvergedGroup, chosen: Values) -> tuple[ConvergedGroup, ConvergedGroup]:
        parts = group.split(chosen)
        self.groups.remove(group)
        self.groups += parts
        self._parts[group.lockstep] += 1
        return parts

    def _exit(self, group: ConvergedGroup, trap: Trace | None = None) -> None:
        if trap is not None and trap.last is not None:
            block, thread = self.state.shape.in_block(int(group.members.threads[0]))
            raise EmulatorError(
                f"thread {thread} of block {block} traps ({trap.last.instruction.where})",
                "An assertion failed, or the code was meant to be unreachable.",
            )
        self.state.alive.reshape(-1)[group.members.threads] = False
        self.live -= group.members.count
        self.groups.remove(group)
        self._parts[group.lockstep] -= 1

    def _merge(self, lockstep: int) -> None:
        parts = [group for group in self.groups if group.lockstep == lockstep]
        joined = merged(parts, self.lockstep_groups[lockstep])
        if len(joined) < len(parts):
            self.groups = [group for group in self.groups if group.lockstep != lockstep] + joined
            self._parts[lockstep] = len(joined)

    def _arrived(self, group: ConvergedGroup) -> None:
        """Let threads continue if this group was the last one that others waited for.

        Where the op does not involve all threads, or threads of a warp have diverged, release complete warps and
        blocks at once: races show when threads run ahead of others.
        """
        op = group.waits_at
        if all(other.waits_at is op for other in reversed(self.groups)):
            if not self._release_all():
                self._release()
        elif op is not None and (group.members.view is None or not involves_all(op)):
            self._release()

    def _release_all(self) -> bool:
        """Let all threads of the launch continue if they wait at one op that involves all; return whether they do."""
        at, op = self.groups[0].at, self.groups[0].waits_at
        if op is None or self.everyone.view is None or self.live != self.everyone.count or not involves_all(op):
            return False
        step = self.everyone.steps.get(at)
        if step is None:
            step = self.everyone.steps[at] = bind(self.state, op, self.everyone)
        step()
        for group in self.groups:
            group.resume(self.state.program.blocks[at].next)
        return True

    def _release(self, *, same_mask: bool = True) -> bool:
        """Let all threads continue whose barriers are complete; return whether there were any."""
        released = False
        for groups, threads in releases(self.state, self.groups, same_mask=same_mask):
            released = True
            for group in groups:
                chosen = np.isin(group.members.threads, threads, assume_unique=True)
                if chosen.any():
                    going = group if chosen.all() else self._part(group, chosen)[0]
                    going.resume(self.state.program.blocks[going.at].next)
        return released

    def _deadlock(self) -> DeadlockError:
        counts: dict[str, int] = {}
        for group in self.groups:
            if group.waits_at is not None:
                instruction = group.waits_at.instruction
                where = f"`{instruction.text}` ({instruction.where})"
                counts[where] = counts.get(where, 0) + group.members.count
        waiting = ", ".join(f"{count} threads wait at {where}" for where, count in counts.items())
        ended = self.state.shape.grid * self.state.shape.block - self.live
        message = f"deadlock in {self.state.program.name}: {waiting}" + (f", {ended} have exited" if ended else "")
        return DeadlockError(message, "All threads that a barrier or a mask names must reach it.")

    def _too_long(self, group: ConvergedGroup, code: Trace) -> StepLimitError:
        ops = (*self.state.program.blocks[group.at].ops, code.last)
        at = next((op.instruction.where for op in reversed(ops) if op is not None), "an empty block")
        message = (
            f"{self.state.program.name} did not end within {self.step_limit} instructions; "
            f"{group.members.count} threads are at {at}"
        )
        return StepLimitError(message, "Look for an endless loop, or run fewer iterations.")
