"""Run the groups of a launch in the order of a policy until all threads have exited."""

from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter, itemgetter

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.file_budget import COMPARISON, NEVER, FileBudget
from shflbench.emulator.link.block_barriers import form_of
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.arrivals import Arrivals
from shflbench.emulator.machine.barriers import involves_all, releases
from shflbench.emulator.machine.bind import Trace, bind, trace
from shflbench.emulator.machine.deadlock import deadlock, deadlock_in_memory
from shflbench.emulator.machine.executors import note_executors
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.groups import ConvergedGroup, PartOf, merge
from shflbench.emulator.machine.iterations import Iterations
from shflbench.emulator.machine.named_barriers import NamedBarriers
from shflbench.emulator.machine.policies import TURN, Diverged, Policy, all_threads
from shflbench.emulator.machine.polling import Polling
from shflbench.emulator.machine.stalls import Poll, polled_for_ever
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet, scatter
from shflbench.emulator.opcodes.forms import Branch, ClusterBarrier, Exit, Values

# Instructions of one launch, each for many threads: some seconds for a small launch, a minute or two for a large one.
# A verifying launch takes up to 50,000 in lockstep. Where each lane executes them by itself, it may take more than this
# limit: see `steps_that_suffice`.
STEP_LIMIT = 500_000
SCATTERED_COST = 4  # of an instruction of threads whose registers are no regular part, such as one lane per warp
THREADS_OF_EQUAL_COST = 200  # that take as long as the instruction itself, about 5 µs
PATIENCE = 1 << 10  # choices after which a group runs that others were always preferred to
FAVORS = 1 << 6  # choices for which it runs then
STEPS_PER_CLOCK = 16  # instructions between two looks at the clock; each takes 5 µs for few threads, 10 ms for many
MOST_TESTS = 1 << 4  # of a barrier in memory by a group that writes nothing meanwhile, if all others wait, too
IDLE_TESTS = 2  # of a barrier in memory by a group that writes nothing meanwhile, after which a delayed one may run
SLEEP = 1 << 5  # choices for which a group may not run after it has met others in memory, where choices are random

IN_ORDER = attrgetter("lockstep", "at")  # the order of a policy; within a lockstep group, the group that lags behind


def _farthest_first(group: ConvergedGroup) -> tuple[int, ...]:
    return group.lockstep, -group.at


def _by_turns(group: ConvergedGroup) -> tuple[int, ...]:
    return group.lockstep, group.meetings, group.at


_ORDERS: Mapping[Diverged, Callable[[ConvergedGroup], tuple[int, ...]]] = {
    Diverged.LAGGING_FIRST: IN_ORDER,
    Diverged.FARTHEST_FIRST: _farthest_first,
    Diverged.BY_TURNS: _by_turns,
}


def _cost(members: ThreadSet) -> float:
    """Return how long an instruction takes for threads, relative to one of a few threads."""
    return (SCATTERED_COST if _is_scattered(members) else 1) + members.count / THREADS_OF_EQUAL_COST


def _is_scattered(members: ThreadSet) -> bool:
    return members.view is None or members.is_part


class StepLimitError(KernelFault):
    """The kernel did not end within the limit of steps."""


class StalledError(StepLimitError):
    """The kernel never ends: its threads poll memory that none of them can change any more."""


class Scheduler:
    """Runs the groups of one launch."""

    def __init__(
        self, state: State, policy: Policy, seed: int = 0, step_limit: int = STEP_LIMIT, budget: FileBudget = NEVER
    ) -> None:
        """Start every live thread at the first instruction."""
        self.state = state
        self.random = np.random.default_rng(seed) if policy.random else None
        self.lockstep_groups = state.thread_sets(policy.lockstep_groups)
        self.everyone = state.thread_sets(all_threads)[0]
        self.groups = [ConvergedGroup(members, number, 0) for number, members in enumerate(self.lockstep_groups)]
        self._parts = [1] * len(self.groups)  # number of groups that each lockstep group has diverged into
        self.live = sum(members.count for members in self.lockstep_groups)
        self.turn, self._delays = policy.turn, policy.delays
        diverged = policy.diverged if state.program.interrupted else Diverged.LAGGING_FIRST
        self._order = _ORDERS[diverged]
        self._choices = 0
        self._favorite, self._favors = self.groups[0], 0
        self.named = NamedBarriers(state) if state.has_named_barriers else None
        self.arrivals = Arrivals(state) if self.named is None else None
        self.polling = Polling() if state.program.interrupted else None
        if self.polling is not None:
            state.observers = (*state.observers, self.polling)
        self._is_testing, self._progress = False, (0, self.live)  # completed copies and live threads at the last test
        self.steps, self.step_limit, self.budget = 0, step_limit, budget
        self.work = 0.0  # instructions, weighted by the time that they take for their threads
        self._compared = state.comparisons  # of accesses with earlier ones, that are spent

    def run(self) -> None:
        """Run to the end; KernelFault for a deadlock, an endless loop, or an access out of bounds; BudgetError."""
        with np.errstate(all="ignore"):
            while self.groups:
                group = self._choose()
                if group is not None:
                    self._advance(group)
                elif not self._release() and not self._release(same_mask=False):
                    raise (self.named.fault() if self.named else None) or deadlock(self.state, self.groups)
        self.state.bulk.finish(self.state.observers)

    def _choose(self) -> ConvergedGroup | None:
        """Return the group to run next: by fairness, then by the policy, then the group that lags behind."""
        running = [group for group in self.groups if group.waits_at is None]
        if not running:
            return None
        self._choices += 1
        return self._choose_of(self._without_delayed(running) if self._delays else running)

    def _choose_of(self, running: list[ConvergedGroup]) -> ConvergedGroup | None:
        may_prefer = self.polling is not None or self._favors or self._choices % (PATIENCE // 8) == 0
        if may_prefer and (preferred := self._preferred(running)):
            return preferred
        turns = [group.turns for group in running]
        earliest = min(turns) // self.turn
        # A spinning group may depend on a waiting one.
        if earliest and len(running) < len(self.groups) and self._release():
            return self._choose()
        if len(running) == 1:
            return running[0]
        candidates = running
        if max(turns) // self.turn > earliest:
            candidates = [group for group in running if group.turns // self.turn == earliest]
        if self.random is not None:
            if self.polling is not None:
                candidates = [group for group in candidates if group.sleeps_until < self._choices] or candidates
            drawn = candidates[int(self.random.integers(len(candidates)))]
            if self.polling is not None or self._parts[drawn.lockstep] == 1:
                candidates = [drawn]
            else:
                candidates = [group for group in candidates if group.lockstep == drawn.lockstep]
        first = min(candidates, key=self._order)
        if self.turn == TURN or self._parts[first.lockstep] == 1:
            return first
        # A long turn is one of whole blocks: threads of one block that spin wait for others of it, and take short ones.
        parts = [group for group in candidates if group.lockstep == first.lockstep]
        return min(parts, key=lambda group: (group.turns // TURN, group.at))

    def _without_delayed(self, running: list[ConvergedGroup]) -> list[ConvergedGroup]:
        """Return the groups that may run: the delayed one only if the others wait, or only test barriers in memory.

        Others may wait for the delayed one by other memory, too: it runs after some time.
        """
        delayed = [group for group in running if not group.lockstep]
        others = [group for group in running if group.lockstep and group.tests < IDLE_TESTS]
        if not delayed:
            return others or running
        if self._favors and self._favorite in delayed:
            return delayed
        if others and self._choices - delayed[0].ran_at > PATIENCE:
            self._favorite, self._favors = delayed[0], FAVORS
            return delayed
        if others or not self._release():
            return others or [group for group in delayed if group.tests < IDLE_TESTS] or running
        running = [group for group in self.groups if group.waits_at is None]
        return [group for group in running if group.lockstep] or running

    def _preferred(self, running: list[ConvergedGroup]) -> ConvergedGroup | None:
        """Return a group that runs first whatever the policy is: a woken one, or one that has not run for long."""
        woken = self.polling.next(running) if self.polling is not None else None
        return woken or self._favored(running)

    def _favored(self, running: list[ConvergedGroup]) -> ConvergedGroup | None:
        """Return a group that has not run for long, because others wait and go on again and again before it."""
        if self._favors:
            self._favors -= 1
            if self._favorite in running:
                return self._favorite
        if self._choices % (PATIENCE // 8) == 0:
            longest = min(running, key=attrgetter("ran_at"))
            if self._choices - longest.ran_at > PATIENCE:
                self._favorite, self._favors = longest, FAVORS
                return longest
        return None

    def _advance(self, group: ConvergedGroup) -> None:
        """Run one group until it waits, exits, diverges, or has used its turn."""
        group.ran_at = self._choices
        iterations = self.state.iterations
        counting = iterations is not None and iterations.counts(group.lockstep)
        diverged = counting or self._parts[group.lockstep] > 1
        by_block = diverged or (self.polling is not None and len(self.lockstep_groups) > 1)
        for _ in range(1 if by_block else TURN):
            code = trace(self.state, group.members, group.at, one_block=by_block)
            self.steps += len(code.steps) + 1
            work = (len(code.steps) + 1) * _cost(group.members)
            self.work += work
            self.budget.spend(work)
            if self.steps > self.step_limit:
                raise self._stalled() or self._too_long(group, code)
            self._execute(code)
            note_executors(self.state.executed, (group.at, code.at), group.members.threads)
            if self.polling is None or code.last is not None:
                group.turns += 1
            if counting and code.last is None:
                self._pass_barrier(code.at, group.members.threads)
            if not self._end(group, code):
                break
        if self.polling is not None:
            self._count_tests(self.polling, group)
            self._wake(self.polling, group)
        if self.state.cluster_barriers.has_arrivals:
            self._release()
        if self._parts[group.lockstep] > 1:
            self._merge(group.lockstep)

    def _execute(self, code: Trace) -> None:
        """Execute straight code; BudgetError if the budget is over, or the time is up meanwhile."""
        for number, step in enumerate(code.steps):
            if not number % STEPS_PER_CLOCK or self.state.comparisons > self._compared:
                self._check_budget()
            step()

    def _check_budget(self) -> None:
        """Spend the comparisons since the last ones, and raise BudgetError if the budget is over."""
        compared, self._compared = self.state.comparisons - self._compared, self.state.comparisons
        self.budget.spend(COMPARISON * compared)
        self.budget.check()

    def _count_tests(self, polling: Polling, group: ConvergedGroup) -> None:
        """Count how often a group tests a barrier in memory and writes nothing; DeadlockError if all do only that.

        A group that counts its tests may go on by itself: only where registers and memory repeat will all others, too.
        """
        tested, has_written = polling.tested, polling.has_written
        polling.tested, polling.has_written = None, False
        completed = self.state.bulk.completed
        if has_written or (completed, self.live) != self._progress:
            self._progress = (completed, self.live)
            for other in self.groups if self._is_testing else ():
                other.forget_tests()
            self._is_testing = False
        if tested is None:
            return
        self._is_testing = True
        group.tests += 1
        if group.tests < MOST_TESTS:
            return
        running = [other for other in self.groups if other.waits_at is None]
        if not all(other.tests >= MOST_TESTS for other in running):
            return  # one of them may still write what the group waits for
        group.compare_state(self.state.registers_of(group.members), keep=not group.tests % MOST_TESTS)
        if group in running and not self._release():
            if self.state.bulk.any:
                self.state.bulk.finish(self.state.observers)
            elif all(other.has_repeated for other in running):
                raise deadlock_in_memory(self.state, group, *tested)

    def _wake(self, polling: Polling, group: ConvergedGroup) -> None:
        """Let groups run that poll what `group` has written: before others, or as likely as others at random."""
        met = polling.met
        group.meetings += met
        woken = polling.after(group, self.groups)
        if self.random is None:
            polling.wake(woken)
            return
        if met:  # others may run between its test of a flag and what depends on the test
            group.sleeps_until = self._choices + int(self.random.integers(-SLEEP, SLEEP))
        for other in woken:
            other.turns = min(other.turns, group.turns)

    def _end(self, group: ConvergedGroup, code: Trace) -> bool:
        """Execute the op that ends a trace; return whether the group continues."""
        last = code.last
        if last is None:
            if code.next == code.at:  # control reaches the end of the kernel
                self._exit(group, None)
                return False
            self._go(group, code.at, code.next)
            return True
        match last.form:
            case Branch():
                return self._branch(group, code)
            case Exit():
                if last.guard is not None:
                    self._conditional_exit(group, code)
                else:
                    self._exit(group, last)
                return False
            case _:
                group.at, group.waits_at, group.turns = code.at, last, 0
                if isinstance(last.form, ClusterBarrier):
                    self.state.cluster_barriers.wait(last, group.members.threads)
                self._arrived(group)
                return group.waits_at is None and len(self.lockstep_groups) == 1 and group in self.groups

    def _branch(self, group: ConvergedGroup, code: Trace) -> bool:
        last = code.last
        if last is None or last.guard is None:
            self._go(group, code.at, last.target if last is not None else code.next)
            return True
        flags = self.state.gather(last.guard, group.members)
        if self.state.branch_sides is not None:
            self.state.branch_sides.record(last, group.members.threads, flags.reshape(-1))
        taken = np.count_nonzero(flags)
        if taken in {0, flags.size}:
            self._go(group, code.at, last.target if taken else code.next)
            return True
        jumping, staying = self._diverge(group, flags.reshape(-1))
        self._go(jumping, code.at, last.target)
        self._go(staying, code.at, code.next)
        return False

    def _go(self, group: ConvergedGroup, start: int, end: int) -> None:
        """Let a group go on from the block `start` to the block `end`."""
        group.at = end
        if self.state.iterations is not None:
            self.state.iterations.move(group, start, end)

    def _diverge(self, group: ConvergedGroup, chosen: Values) -> tuple[ConvergedGroup, ConvergedGroup]:
        """Split a group of threads that evaluate a condition differently."""
        if self.state.iterations is None and self.state.barrier_loops is not None:
            self.state.iterations = Iterations(self.state.barrier_loops, self.state.alive, self.lockstep_groups)
        if self.state.iterations is not None:
            self.state.iterations.part(group.lockstep)
        return self._part(group, chosen)

    def _conditional_exit(self, group: ConvergedGroup, code: Trace) -> None:
        last = code.last
        if last is None or last.guard is None:
            return
        flags = self.state.gather(last.guard, group.members)
        if flags.all():
            self._exit(group, last)
        elif flags.any():
            leaving, staying = self._diverge(group, flags.reshape(-1))
            self._exit(leaving, last)
            self._go(staying, code.at, code.next)
        else:
            self._go(group, code.at, code.next)

    def _part(self, group: ConvergedGroup, chosen: Values) -> tuple[ConvergedGroup, ConvergedGroup]:
        parts = group.split(chosen, self._part_of(group.lockstep))
        self.groups.remove(group)
        self.groups += parts
        self._parts[group.lockstep] += 1
        return parts

    def _part_of(self, lockstep: int) -> PartOf:
        """Return the function that makes sets of the threads of a lockstep group: regular ones if the group is one."""
        return self.state.part if self.lockstep_groups[lockstep].view is not None else scatter

    def _exit(self, group: ConvergedGroup, op: Op | None) -> None:
        """End the threads of a group; KernelFault if they trap."""
        if op is not None and isinstance(op.form, Exit) and op.form.trap:
            thread = int(group.members.threads[0])
            raise KernelFault(
                f"{self.state.shape.describe(thread)} traps ({op.instruction.where})",
                "An assertion failed, or the code was meant to be unreachable.",
                kind=FaultKind.TRAPPED,
                op=op,
                threads=(self.state.shape.in_block(thread),),
            )
        self.state.ends.append((group.members.threads, op))
        self.state.alive.reshape(-1)[group.members.threads] = False
        if self.state.shape.has_clusters or self.state.bulk.has_started:
            self.state.cluster_barriers.has_arrivals = True  # those that wait for these threads may go on
            for observer in self.state.observers:
                observer.end(group.members.threads, op)
        if self.arrivals is not None:
            self.arrivals.end()
        self.live -= group.members.count
        self.groups.remove(group)
        self._parts[group.lockstep] -= 1

    def _merge(self, lockstep: int) -> None:
        parts = [group for group in self.groups if group.lockstep == lockstep]
        places = [group.at for group in parts if group.waits_at is None]
        if len(parts) > 1 and len(set(places)) == len(places):
            return
        joined = merge(parts, self.lockstep_groups[lockstep], self._part_of(lockstep))
        if len(joined) < len(parts):
            self.groups = [group for group in self.groups if group.lockstep != lockstep] + joined
            self._parts[lockstep] = len(joined)
        if len(joined) == 1 and self.state.iterations is not None:
            self.state.iterations.join(lockstep)

    def _arrived(self, group: ConvergedGroup) -> None:
        """Let threads continue if this group was the last one that others waited for.

        Where the op does not involve all threads, or threads of a warp have diverged, release complete warps and
        blocks at once: races show when threads run ahead of others.
        """
        op = group.waits_at
        if self.arrivals is not None:
            self.arrivals.arrive(group)
        if all(other.waits_at is op for other in reversed(self.groups)):
            if not self._release_all():
                self._release()
        elif op is not None and (_is_scattered(group.members) or not involves_all(op, self.named)):
            self._release()

    def _release_all(self) -> bool:
        """Let all threads of the launch continue if they wait at one op that involves all; return whether they do."""
        at, op = self.groups[0].at, self.groups[0].waits_at
        if op is None or not involves_all(op, self.named):
            return False
        if self.everyone.view is None or self.live != self.everyone.count:
            return False
        step = self.everyone.steps.get(at)
        if step is None:
            step = self.everyone.steps[at] = bind(self.state, op, self.everyone)
        self._pass_barrier(at, self.everyone.threads)
        step()
        if self.arrivals is not None:
            self.arrivals.leave_all()
        for group in self.groups:
            self._resume(group)
        return True

    def _resume(self, group: ConvergedGroup) -> None:
        """Let a group go on after waiting."""
        start = group.at
        group.resume(self.state.program.blocks[start].next)
        self._go(group, start, group.at)

    def _pass_barrier(self, block: int, threads: Values) -> None:
        """Report threads that pass a barrier together, but in different iterations of the loops around it."""
        op = self.state.program.blocks[block].last
        if self.state.iterations is not None and op is not None and form_of(op) is not None:
            places, ops = self.state.iterations.places(threads, np.zeros(threads.size, np.intp), [op])
            for observer in self.state.observers if len(ops) > 1 else ():
                observer.meet(threads, threads // WARP, places, ops)

    def _release(self, *, same_mask: bool = True) -> bool:
        """Let all threads continue whose barriers are complete; return whether there were any."""
        may_complete = self.state.cluster_barriers.has_arrivals or self.arrivals is None
        if self.arrivals is not None and not (self.arrivals.may_complete() or may_complete) and same_mask:
            return False
        self.state.cluster_barriers.has_arrivals = False
        released = False
        for groups, threads in releases(self.state, self.groups, self.named, same_mask=same_mask):
            released = True
            going_on = np.zeros(self.state.shape.lanes, np.bool_)
            going_on[threads] = True
            for group in groups:
                chosen = going_on[group.members.threads]
                if chosen.any():
                    going = group if chosen.all() else self._part(group, chosen)[0]
                    if self.arrivals is not None and going.waits_at is not None:
                        self.arrivals.leave(going.waits_at, going.members.threads)
                    self._resume(going)
        return released

    def _stalled(self) -> StalledError | None:
        """Return the fault of a launch all of whose running groups poll memory that other threads have changed.

        Memory that no thread has changed may be for the host, or another launch, to change.
        """
        if self.polling is None or self.state.bulk.any or self._release() or self._release(same_mask=False):
            return None
        polls: list[tuple[int, Poll]] = []
        for group in [group for group in self.groups if group.waits_at is None]:
            poll = polled_for_ever(self.state, group, partial(self._run_alone, group))
            if poll is None or not poll.is_for_threads(self.polling.changed):
                return None
            polls.append((int(group.members.threads[0]), poll))
        thread, poll = min(polls, key=itemgetter(0))
        return StalledError(
            f"deadlock in {self.state.program.name}: {self.state.shape.describe(thread)} polls "
            f"`{poll.op.instruction.text}` ({poll.op.instruction.where}), {poll.detail}",
            "Let as many threads arrive as others wait for.",
            kind=FaultKind.ENDLESS,
            op=poll.op,
            threads=(self.state.shape.in_block(thread),),
            detail=poll.detail,
        )

    def _run_alone(self, group: ConvergedGroup, code: Trace) -> bool:
        """Run straight code of a group; return whether all its threads go on, and no others do."""
        groups = list(self.groups)
        self._execute(code)
        return self._end(group, code) and self.groups == groups

    def _too_long(self, group: ConvergedGroup, code: Trace) -> StepLimitError:
        ops = (*self.state.program.blocks[group.at].ops, code.last)
        op = next((op for op in reversed(ops) if op is not None), None)
        at = op.instruction.where if op is not None else "an empty block"
        message = (
            f"{self.state.program.name} did not end within {self.step_limit} instructions; "
            f"{group.members.count} threads are at {at}"
        )
        thread = self.state.shape.in_block(int(group.members.threads[0]))
        return StepLimitError(
            message,
            "Look for an endless loop, or run fewer iterations.",
            kind=FaultKind.ENDLESS,
            op=op,
            threads=(thread,),
        )
