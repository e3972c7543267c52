"""Run jobs: verify the groups of a window, then sample their cases together."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from shflbench.errors import LaunchError
from shflbench.measure.events import (
    ContextLost,
    ImportStarted,
    JobDone,
    Note,
    RoundDone,
    SentinelFailed,
    StepStarted,
    WarmedUp,
)
from shflbench.measure.placements import open_again
from shflbench.measure.prepare import Group
from shflbench.measure.sampler import DeviceLostError, SampledKernel, Sampler
from shflbench.measure.sentinels import calls
from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from shflbench.cuda.backends.base import Backend
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Job
    from shflbench.patterns.discover import LoadedPattern

MEMORY_SHARE = 0.5  # of the free memory that a window may use: launches with a cold cache need more than their buffers
BUSY_MS = 50.0  # before a window is sampled: the clock may have fallen while the host verified results
# The warm-up continues in steps until the clock is steady.
STEP_MS = 50.0
STEADY_STEPS = 4  # consecutive steps whose clocks differ by STEADY at most
STEADY = 0.002
MOST_STEPS = 60  # three seconds


@dataclass(slots=True)
class JobRunner:
    """Runs jobs on a device; keeps its sentinels open from job to job."""

    backend: Backend
    _patterns: dict[str, LoadedPattern] = field(default_factory=dict)
    _sentinels: list[SampledKernel] = field(default_factory=list)
    _problem: str = field(init=False)
    _is_warm: bool = False
    _start: float | None = None  # when the first round of this process began, in seconds

    def __post_init__(self) -> None:
        """Remember the device's problem, which the run has already reported."""
        self._problem = self.backend.problem

    def do(self, job: Job) -> Iterator[JobEvent]:
        """Run `job` and yield its events: JobDone at the end, or ContextLost if no kernel can run any more."""
        try:
            yield from self._do(job)
        except DeviceLostError:
            yield ContextLost()
        else:
            if self.backend.problem != self._problem:  # NVML may stop answering at any time
                self._problem = self.backend.problem
                yield Note(self._problem)
            yield JobDone()

    def _do(self, job: Job) -> Iterator[JobEvent]:
        yield from self._load_patterns(job)
        if self.backend.timed and not self._is_warm:
            self._is_warm = True
            yield WarmedUp(*warm_up(self.backend))
            yield from self._open_sentinels(job)
        number = job.first_round
        waiting = deque(self._group(job, place) for place in range(len(job.groups)))
        while waiting:
            with ExitStack() as opened:
                kernels = yield from self._prepare(waiting, opened)
                if kernels:
                    number = yield from self._sample(job, kernels, number)

    def _group(self, job: Job, place: int) -> Group:
        tasks = job.groups[place]
        pattern = self._patterns[tasks[0].case.pattern]
        return Group(tasks, pattern, self.backend, job.seed, job.rules.places)

    def _load_patterns(self, job: Job) -> Iterator[JobEvent]:
        for name in dict.fromkeys(tasks[0].case.pattern for tasks in job.groups):
            if name not in self._patterns:
                yield ImportStarted(name)
                self._patterns[name] = load(job.folders[name])

    def _prepare(self, waiting: deque[Group], opened: ExitStack) -> Generator[JobEvent, None, list[SampledKernel]]:
        """Prepare as many groups as fit into the device's memory together, at least one."""
        kernels: list[SampledKernel] = []
        while waiting:
            if kernels and waiting[0].footprint() > MEMORY_SHARE * self.backend.free_bytes():
                break  # with the next ones
            prepared = yield from waiting.popleft().prepare()
            for kernel in prepared:
                opened.enter_context(closing(kernel))
            kernels += prepared
        return kernels

    def _sample(self, job: Job, kernels: list[SampledKernel], first: int) -> Generator[JobEvent, None, int]:
        """Sample the kernels, from round `first` on; return the number of the next round."""
        self.backend.keep_busy(BUSY_MS)
        if self._start is None:
            self._start = self.backend.now()
        random = Random(f"{job.seed} {job.process} {first} {kernels[0].group}")  # noqa: S311  (an order, not a secret)
        sampler = Sampler(self.backend, kernels, self._sentinels, job.rules, random)
        for event in sampler.rounds(job.process, first, self._start):
            yield event
            first += isinstance(event, RoundDone)
        self._sentinels = [kernel for kernel in self._sentinels if not kernel.failure]
        return first

    def _open_sentinels(self, job: Job) -> Iterator[JobEvent]:
        """Open the sentinels for this device; if there are none, report that and continue."""
        sentinel_calls = calls(self.backend.device)
        if not sentinel_calls:
            yield Note(f"there are no sentinels for {self.backend.device.arch}, so slow states of the GPU go unnoticed")
        for name, call, iterations in sentinel_calls:
            if name in job.failed_sentinels:
                continue
            yield StepStarted(name, "opening")
            try:
                places = open_again(self.backend, call, self.backend.open(call), job.rules.places)
                self._sentinels.append(SampledKernel(name, "", places, (iterations,)))
            except LaunchError as error:
                yield SentinelFailed(name, error.message)
                if not self.backend.usable():
                    raise DeviceLostError from error


def warm_up(backend: Backend) -> tuple[bool, float | None]:
    """Keep the device busy until its SM clock is steady; return whether it is, and the clock in MHz."""
    clocks: list[float] = []
    for _ in range(MOST_STEPS):
        clock = backend.keep_busy(STEP_MS)
        if clock is None:  # no clock to wait for
            return True, None
        clocks.append(clock)
        last = clocks[-STEADY_STEPS:]
        if len(last) == STEADY_STEPS and max(last) - min(last) <= STEADY * max(last):
            return True, clock
    return False, clocks[-1]
