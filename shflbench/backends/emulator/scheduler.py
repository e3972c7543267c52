"""Run the strands of a launch in the order of a policy until all threads have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.barriers import plain, release, release_everybody
from shflbench.backends.emulator.cohort import regular, scattered
from shflbench.backends.emulator.forms import Branch, Exit
from shflbench.backends.emulator.strands import QUANTUM, Strand, merged
from shflbench.backends.emulator.trace import trace
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from shflbench.backends.emulator.policies import Policy
    from shflbench.backends.emulator.state import State
    from shflbench.backends.emulator.trace import Trace

STEP_LIMIT = 5_000_000  # instructions carried out, each for many threads; half a minute for small launches


class DeadlockError(EmulatorError):
    """Threads wait for others that will never come."""


class StepLimitError(EmulatorError):
    """The kernel ran longer than it was given."""


class Scheduler:
    """Owns the strands of one launch."""

    def __init__(self, state: State, policy: Policy, seed: int = 0, step_limit: int = STEP_LIMIT) -> None:
        """Start every live thread at the first instruction."""
        self.state = state
        self.random = np.random.default_rng(seed) if policy.random else None
        self.units = policy.units(state.shape)
        if not state.shape.full:
            alive = state.alive.reshape(-1)
            self.units = [scattered(unit.threads[alive[unit.threads]]) for unit in self.units]
            self.units = [unit for unit in self.units if unit.count]
        self.everybody = regular(state.shape, slice(None), slice(None)) if state.shape.full else None
        self.strands = [Strand(unit, number, 0) for number, unit in enumerate(self.units)]
        self.live = sum(unit.count for unit in self.units)
        self.steps, self.step_limit = 0, step_limit

    def run(self) -> None:
        """Run to the end; DeadlockError, StepLimitError, or EmulatorError for an access that is not allowed."""
        with np.errstate(all="ignore"):
            while self.strands:
                strand = self._choose()
                if strand is not None:
                    self._advance(strand)
                elif not release(self):
                    raise self._deadlock()

    def _choose(self) -> Strand | None:
        """Return the strand that runs next: by fairness, then by the policy, then the one that lags behind."""
        running = [strand for strand in self.strands if strand.waits_at is None]
        if not running:
            return None
        earliest = min(strand.turns for strand in running) // QUANTUM
        if earliest and len(running) < len(self.strands) and release(self):  # who spins may spin for one who waits
            return self._choose()
        if len(running) == 1:
            return running[0]
        candidates = [strand for strand in running if strand.turns // QUANTUM == earliest]
        if self.random is not None:
            unit = candidates[int(self.random.integers(len(candidates)))].unit
        else:
            unit = min([strand.unit for strand in candidates])
        return min((strand for strand in candidates if strand.unit == unit), key=lambda strand: strand.at)

    def _advance(self, strand: Strand) -> None:
        """Run one strand until it waits, ends, parts, or has used up its turn."""
        siblings = [other for other in self.strands if other.unit == strand.unit]
        diverged = len(siblings) > 1
        for _ in range(1 if diverged else QUANTUM):
            code = trace(self.state, strand.cohort, strand.at, one_block=diverged)
            self.steps += len(code.steps) + 1
            if self.steps > self.step_limit:
                raise self._too_long(strand, code)
            for step in code.steps:
                step()
            strand.turns += 1
            if not self._end(strand, code):
                break
        if diverged or strand not in self.strands:
            self._merge(strand.unit)

    def _end(self, strand: Strand, code: Trace) -> bool:
        """Follow what ends a trace; return whether the strand simply runs on."""
        last = code.last
        if last is None:
            if code.next == code.at:  # control falls off the end of the kernel
                self._exit(strand)
                return False
            strand.at = code.next
            return True
        match last.form:
            case Branch():
                return self._branch(strand, code)
            case Exit(trap=trap):
                if last.guard is not None:
                    self._conditional_exit(strand, code)
                else:
                    self._exit(strand, trap=code if trap else None)
                return False
            case _:
                strand.at, strand.waits_at, strand.turns = code.at, last, 0
                self._arrived(strand)
                return strand.waits_at is None and len(self.units) == 1 and strand in self.strands

    def _branch(self, strand: Strand, code: Trace) -> bool:
        last = code.last
        if last is None or last.guard is None:
            strand.at = last.target if last is not None else code.next
            return True
        flags = self.state.gather(last.guard, strand.cohort)
        taken = np.count_nonzero(flags)
        if taken in {0, flags.size}:
            strand.at = last.target if taken else code.next
            return True
        jumping, staying = self._part(strand, flags)
        jumping.at, staying.at = last.target, code.next
        return False

    def _conditional_exit(self, strand: Strand, code: Trace) -> None:
        last = code.last
        if last is None or last.guard is None:
            return
        trap = code if isinstance(last.form, Exit) and last.form.trap else None
        flags = self.state.gather(last.guard, strand.cohort)
        strand.at = code.next
        if flags.all():
            self._exit(strand, trap)
        elif flags.any():
            leaving, _ = self._part(strand, flags)
            self._exit(leaving, trap)

    def _part(self, strand: Strand, flags: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> tuple[Strand, Strand]:
        threads, chosen = strand.cohort.threads, flags.reshape(-1)
        parts = strand.split(threads[chosen], threads[~chosen])
        self.strands.remove(strand)
        self.strands += parts
        return parts

    def _exit(self, strand: Strand, trap: Trace | None = None) -> None:
        if trap is not None and trap.last is not None:
            block, thread = self.state.shape.in_block(int(strand.cohort.threads[0]))
            raise EmulatorError(
                f"thread {thread} of block {block} traps ({trap.last.instruction.where})",
                "An assertion failed, or the code was meant to be unreachable.",
            )
        self.state.alive.reshape(-1)[strand.cohort.threads] = False
        self.live -= strand.cohort.count
        self.strands.remove(strand)

    def _merge(self, unit: int) -> None:
        mine = [strand for strand in self.strands if strand.unit == unit]
        if len(mine) > 1:
            joined = merged(mine, self.units[unit])
            if len(joined) < len(mine):
                self.strands = [strand for strand in self.strands if strand.unit != unit] + joined

    def _arrived(self, strand: Strand) -> None:
        """Let everybody go on if that was the last one who was missing.

        Where not everybody has to come, or threads of whole warps have parted, look for smaller groups at once:
        running ahead of the others is what shows races.
        """
        op = strand.waits_at
        waiting = sum([other.cohort.count for other in self.strands if other.waits_at is op])
        if waiting == self.live:
            if not release_everybody(self):
                release(self)
        elif op is not None and (strand.cohort.view is None or not plain(op)):
            release(self)

    def _deadlock(self) -> DeadlockError:
        counts: dict[str, int] = {}
        for strand in self.strands:
            if strand.waits_at is not None:
                instruction = strand.waits_at.instruction
                where = f"`{instruction.text}` ({instruction.where})"
                counts[where] = counts.get(where, 0) + strand.cohort.count
        waiting = ", ".join(f"{count} threads wait at {where}" for where, count in counts.items())
        ended = self.state.shape.grid * self.state.shape.block - self.live
        message = f"deadlock in {self.state.program.name}: {waiting}" + (f", {ended} have ended" if ended else "")
        return DeadlockError(message, "All threads that a barrier or a mask names must reach it.")

    def _too_long(self, strand: Strand, code: Trace) -> StepLimitError:
        at = code.last.instruction.where if code.last is not None else "its straight code"
        message = (
            f"{self.state.program.name} did not end within {self.step_limit} instructions; "
            f"{strand.cohort.count} threads are at {at}"
        )
        return StepLimitError(message, "Look for an endless loop, or run fewer iterations.")
