"""Time the cases of one group, interleaved in shuffled rounds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from shflbench.errors import LaunchError
from shflbench.measure.schedule import FEWEST_LAUNCHES, iteration_counts, launches_a_burst
from shflbench.measure.stopping import why_stop
from shflbench.model import Conditions, Sample, Timing
from shflbench.statistics import median_interval, resolution, widened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from shflbench.backends.base import Backend, Burst, OpenKernel
    from shflbench.model import Case, MeasureRules


@dataclass(slots=True)
class Subject:
    """One case being sampled, and all that is known of it so far."""

    case: Case
    kernel: OpenKernel
    counts: tuple[int, ...]  # iteration counts to time; the first is the case's own
    seconds: float = 0.0
    launches: dict[int, int] = field(default_factory=dict)  # a burst, by iteration count
    medians: list[dict[int, float]] = field(default_factory=list)  # of each kept round, by iteration count
    clocks: list[float] = field(default_factory=list)
    kept: int = 0
    dropped: int = 0
    stopped_by: str = ""
    failure: str = ""

    @classmethod
    def of(cls, case: Case, kernel: OpenKernel, unroll: int) -> Subject:
        """Return a case ready to be sampled; `unroll` keeps the second iteration count on whole passes."""
        return cls(case, kernel, iteration_counts(case.iterations, unroll))


class GroupSampler:
    """Samples the cases of one group; every round launches each of them, in a new order."""

    def __init__(
        self,
        backend: Backend,
        subjects: Sequence[Subject],
        rules: MeasureRules,
        random: Random,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Sample `subjects` on `backend` until each is known to `rules.precision`; `now` gives seconds."""
        self.samples: list[Sample] = []
        self._backend, self._rules, self._random, self._now = backend, rules, random, now
        self._subjects = list(subjects)
        self._conditions = Conditions()

    def rounds(self) -> Iterator[int]:
        """Sample round after round, yielding each one's number, until every case has a reason to stop."""
        self._choose_launches()
        number = 0
        while active := [subject for subject in self._subjects if not subject.failure]:
            self._sample_round(number, active)
            yield number
            number += 1
            active = [subject for subject in active if not subject.failure]
            for subject in active:
                own = [medians[subject.case.iterations] for medians in subject.medians]
                subject.stopped_by = why_stop(own, subject.seconds, self._rules)
            # All go on until the last is done: only so does drift hit all alike.
            if all(subject.stopped_by for subject in active):
                return

    def _choose_launches(self) -> None:
        for subject in self._subjects:
            for iterations in subject.counts:
                burst = self._burst(subject, iterations, FEWEST_LAUNCHES)
                if burst is not None:
                    subject.launches[iterations] = launches_a_burst(median(burst.times_us))

    def _sample_round(self, number: int, active: Sequence[Subject]) -> None:
        before = self._backend.conditions()
        points = [(subject, iterations) for subject in active for iterations in subject.counts]
        bursts = [
            (subject, iterations, burst)
            for subject, iterations in self._random.sample(points, len(points))
            if (burst := self._burst(subject, iterations, subject.launches[iterations])) is not None
        ]
        self._conditions = self._backend.conditions()
        throttled = bool(before.throttle or self._conditions.throttle)
        for subject in active:
            if not throttled:
                subject.medians.append({})
        for subject, iterations, burst in bursts:
            self._record(number, subject, iterations, burst, throttled=throttled)

    def _burst(self, subject: Subject, iterations: int, launches: int) -> Burst | None:
        if subject.failure:
            return None
        start = self._now()
        try:
            return subject.kernel.burst(iterations, launches)
        except LaunchError as error:
            subject.failure = error.message
            return None
        finally:
            subject.seconds += self._now() - start

    def _record(self, number: int, subject: Subject, iterations: int, burst: Burst, *, throttled: bool) -> None:
        self.samples += [
            Sample(subject.case.id, 0, number, index, iterations, 1, time_us, burst.sm_clock_mhz, throttled)
            for index, time_us in enumerate(burst.times_us)
        ]
        if iterations == subject.case.iterations:
            subject.kept += 0 if throttled else len(burst.times_us)
            subject.dropped += len(burst.times_us) if throttled else 0
        if not throttled:
            subject.medians[-1][iterations] = median(burst.times_us)
            if burst.sm_clock_mhz is not None:
                subject.clocks.append(burst.sm_clock_mhz)

    def timing(self, subject: Subject) -> Timing | None:
        """Return what was found for `subject`, None if it failed or every sample was dropped."""
        rounds = [medians for medians in subject.medians if len(medians) == len(subject.counts)]
        if subject.failure or not rounds:
            return None
        # A time is known to the timer's step and no better, however often the same step comes up.
        step_us = resolution([sample.time_us for sample in self.samples])
        most, *fewer = subject.counts
        time_us = widened(median_interval([medians[most] for medians in rounds]), step_us / 2)
        slope = None
        if fewer:
            trips = most - fewer[0]
            slopes = [1000 * (medians[most] - medians[fewer[0]]) / trips for medians in rounds]
            slope = widened(median_interval(slopes), 1000 * step_us / trips)
        return Timing(
            time_us=time_us,
            ns_per_iteration=slope,
            launch_overhead_us=None if slope is None else time_us.value - slope.value * most / 1000,
            sm_clock_mhz=median(subject.clocks) if subject.clocks else None,
            samples=subject.kept,
            dropped=subject.dropped,
            conditions=self._conditions,
            stopped_by=subject.stopped_by,
        )
