"""Sample the cases of a window of groups, interleaved in shuffled rounds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from shflbench.core.model import Case, Status
from shflbench.errors import LaunchError
from shflbench.measure.events import BurstTaken, CaseFailed, Converged, RoundDone, SentinelFailed, StepStarted
from shflbench.measure.schedule import (
    FEWEST_SAMPLES,
    count_discarded,
    iteration_counts,
    launches_per_sample,
    samples_per_burst,
)
from shflbench.measure.stopping import why_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from random import Random

    from shflbench.core.model import MeasureRules
    from shflbench.cuda.backends.base import Backend, Burst, OpenKernel
    from shflbench.measure.events import JobEvent

    VerifyAgain = Callable[[OpenKernel], str]


class DeviceLostError(Exception):
    """A crashed kernel destroyed the device's context; this process cannot run another kernel."""


@dataclass(slots=True)
class SampledKernel:
    """An open kernel with what its samples show so far."""

    name: str  # id of the case, or of the sentinel
    group: str  # the cases that are compared with one another; empty for a sentinel
    places: tuple[OpenKernel, ...]  # the kernel, opened once for each place of its code and buffers
    counts: tuple[int, ...]  # iteration counts to time; the first is the case's own
    launches: int = 1  # per sample
    samples: dict[int, int] = field(default_factory=dict)  # per burst, by iteration count
    medians: list[float] = field(default_factory=list)  # of each kept round, at the case's own iterations, in µs
    kept: int = 0  # number of samples at the case's own iterations
    seconds: float = 0.0  # total duration of its bursts
    began: float | None = None  # start of its first kept round, in seconds
    failure: str = ""
    verify_again: VerifyAgain | None = None  # how results are wrong when it is launched after timing; None: trusted

    @classmethod
    def of(cls, case: Case, places: tuple[OpenKernel, ...], unroll: int) -> SampledKernel:
        """Return a case ready to be sampled; its iteration counts differ by whole passes of `unroll` iterations."""
        return cls(case.id, case.group, places, iteration_counts(case.iterations, unroll))

    def in_round(self, number: int) -> OpenKernel:
        """Return the kernel at the place that a round uses: all places in turn."""
        return self.places[number % len(self.places)]

    def take(self, iterations: int, burst: Burst, began: float) -> None:
        """Add a kept burst, of a round that began at `began`."""
        if iterations == self.counts[0]:
            self.medians.append(median(burst.times_us))
            self.kept += len(burst.times_us)
            self.began = began if self.began is None else self.began

    def why_stop(self, now: float, rules: MeasureRules) -> str:
        """Return the rule that ends its sampling; empty to continue."""
        span = 0.0 if self.began is None else now - self.began
        return why_stop(self.medians, self.kept, span, self.seconds, rules)

    def close(self) -> None:
        """Free the buffers, unless the device is lost."""
        for place in self.places:
            with suppress(LaunchError):
                place.close()


class Sampler:
    """Samples the groups of a window; every round launches all their cases, in a new order."""

    def __init__(
        self,
        backend: Backend,
        cases: Sequence[SampledKernel],
        sentinels: Sequence[SampledKernel],
        rules: MeasureRules,
        random: Random,
    ) -> None:
        """Sample `cases` on `backend` by `rules`, and `sentinels` in the same rounds."""
        self._backend, self._rules, self._random = backend, rules, random
        self._cases, self._sentinels = list(cases), list(sentinels)
        self._converged: list[tuple[SampledKernel, str]] = []  # those to verify again, and what ended their sampling

    def rounds(self, process: int, first: int, start: float) -> Iterator[JobEvent]:
        """Sample in rounds until every group has converged; DeviceLostError after a crash that destroys the context.

        `process` and `first` number the rounds; `start` is when the first round of the process began, in seconds.
        """
        yield from self._choose()
        number = first
        while self._cases:
            yield from self._round(process, number, start)
            yield from self._close_converged()
            number += 1
        yield from self._verify_again()

    def _choose(self) -> Iterator[JobEvent]:
        """Choose the samples per burst and the launches per sample."""
        times: dict[str, dict[int, float]] = {}  # of one launch, by kernel and iteration count, in µs
        for kernel in self._all:
            times[kernel.name] = {}
            for iterations in kernel.counts:
                burst = yield from self._burst(kernel, 0, iterations, FEWEST_SAMPLES)
                if burst is None:
                    self._check_device()
                    break
                times[kernel.name][iterations] = median(burst.times_us)
        self._remove_failed()
        for kernel in self._cases:  # only times with the same number of launches per sample compare
            group_times = [times[other.name][other.counts[0]] for other in self._cases if other.group == kernel.group]
            kernel.launches = launches_per_sample(min(group_times))
        for kernel in self._all:
            launches = kernel.launches
            kernel.samples = {count: samples_per_burst(launches * us) for count, us in times[kernel.name].items()}

    def _round(self, process: int, number: int, start: float) -> Iterator[JobEvent]:
        """Take one burst of every kernel at each of its iteration counts, and yield the samples."""
        began, before = self._backend.now(), self._backend.conditions()
        points = [(kernel, iterations) for kernel in self._all for iterations in kernel.counts]
        taken: list[tuple[SampledKernel, int, float, Burst]] = []
        for kernel, iterations in self._random.sample(points, len(points)):
            if kernel.failure:
                continue
            at = self._backend.now() - start
            burst = yield from self._burst(kernel, number, iterations, kernel.samples[iterations])
            if burst is not None:
                taken.append((kernel, iterations, at, burst))
            elif not self._backend.usable():
                break  # the bursts of this round that were taken are kept
        after = self._backend.conditions()
        throttled = bool(before.throttle or after.throttle)
        bursts = []
        for kernel, iterations, at, burst in taken:
            dropped = throttled or burst.host_bound
            if not dropped:
                kernel.take(iterations, burst, began)
            times, clock = burst.times_us, burst.sm_clock_mhz
            bursts.append(
                BurstTaken(kernel.name, iterations, kernel.launches, at, times, clock, dropped, burst.host_bound)
            )
        yield RoundDone(process, number, tuple(bursts), after)
        if any(kernel.failure for kernel in self._all):
            self._check_device()
            self._remove_failed()

    def _check_device(self) -> None:
        if not self._backend.usable():
            raise DeviceLostError

    def _burst(
        self, kernel: SampledKernel, number: int, iterations: int, samples: int
    ) -> Generator[JobEvent, None, Burst | None]:
        """Take one burst of round `number`; None if it failed, which an event then reports."""
        yield StepStarted(kernel.name, "timing")
        start = self._backend.now()
        first = count_discarded(samples)
        try:
            burst = kernel.in_round(number).burst(iterations, first + samples, kernel.launches)
            return replace(burst, times_us=burst.times_us[first:])
        except LaunchError as error:
            kernel.failure = error.message
        finally:
            kernel.seconds += max(0.0, self._backend.now() - start)
        if kernel.group:
            yield CaseFailed(kernel.name, Status.FAILED, kernel.failure)
        else:
            yield SentinelFailed(kernel.name, kernel.failure)
        return None

    def _remove_failed(self) -> None:
        for kernel in self._all:
            if kernel.failure:
                kernel.close()
        self._cases = [kernel for kernel in self._cases if not kernel.failure]
        self._sentinels = [kernel for kernel in self._sentinels if not kernel.failure]

    def _close_converged(self) -> Iterator[JobEvent]:
        """Close the groups of which every case may stop; a group stays whole, so that drift affects its cases alike."""
        now = self._backend.now()
        reasons = {kernel.name: kernel.why_stop(now, self._rules) for kernel in self._cases}
        unfinished = {kernel.group for kernel in self._cases if not reasons[kernel.name]}
        for kernel in self._cases:
            if kernel.group in unfinished:
                continue
            if kernel.verify_again:
                self._converged.append((kernel, reasons[kernel.name]))
            else:
                yield Converged(kernel.name, reasons[kernel.name])
                kernel.close()
        self._cases = [kernel for kernel in self._cases if kernel.group in unfinished]

    def _verify_again(self) -> Iterator[JobEvent]:
        """Verify kernels that may do less when they are launched again, after all sampling.

        Not between rounds, because the clock of the GPU may fall while the host compares results. The first case of a
        group comes last: after a crash, the others need its results in the next process.
        """
        for kernel, reason in reversed(self._converged):
            yield StepStarted(kernel.name, "verifying")
            try:
                wrong = kernel.verify_again(kernel.places[0]) if kernel.verify_again else ""
                yield CaseFailed(kernel.name, Status.INCORRECT, wrong) if wrong else Converged(kernel.name, reason)
            except LaunchError as error:
                yield CaseFailed(kernel.name, Status.FAILED, error.message)
                self._check_device()
            kernel.close()

    @property
    def _all(self) -> list[SampledKernel]:
        return [*self._cases, *self._sentinels]
