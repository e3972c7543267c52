"""Do jobs: verify the groups of a window, and sample them together."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from shflbench.errors import LaunchError
from shflbench.measure.messages import Doing, JobDone, Lost, Remark, Round, Unwatched, Warm
from shflbench.measure.prepare import Group
from shflbench.measure.sampler import DeviceLostError, Sampler, Subject
from shflbench.measure.sentinels import calls
from shflbench.measure.warmup import warm_up
from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from shflbench.backends.base import Backend
    from shflbench.measure.job import Job
    from shflbench.measure.messages import Message
    from shflbench.patterns.discover import LoadedPattern

MEMORY_SHARE = 0.5  # of the free memory that a window may fill: cases that launch cold need more than their buffers
BUSY_MS = 50.0  # before a window is sampled: its clock may have sunk while inputs were drawn and results compared


@dataclass(slots=True)
class Bench:
    """A device, and what stays on it from job to job."""

    backend: Backend
    _patterns: dict[str, LoadedPattern] = field(default_factory=dict)
    _sentinels: list[Subject] = field(default_factory=list)
    _problem: str = field(init=False)
    _is_warm: bool = False
    _start: float | None = None  # when the first round of this process began, in seconds

    def __post_init__(self) -> None:
        """Take what cannot be found out about the device for known."""
        self._problem = self.backend.problem

    def do(self, job: Job) -> Iterator[Message]:
        """Tell all there is to tell about `job`: JobDone at the end, or Lost where no kernel can be run any more."""
        try:
            yield from self._do(job)
        except DeviceLostError:
            yield Lost()
        else:
            if self.backend.problem != self._problem:  # NVML may stop answering at any time
                self._problem = self.backend.problem
                yield Remark(self._problem)
            yield JobDone()

    def _do(self, job: Job) -> Iterator[Message]:
        if self.backend.timed and not self._is_warm:
            self._is_warm = True
            yield Warm(*warm_up(self.backend))
            yield from self._open_sentinels(job)
        number = job.first_round
        waiting = deque(self._group(job, place) for place in range(len(job.groups)))
        while waiting:
            with ExitStack() as opened:
                subjects = yield from self._prepare(waiting, opened)
                if subjects:
                    number = yield from self._sample(job, subjects, number)

    def _group(self, job: Job, place: int) -> Group:
        tasks = job.groups[place]
        name = tasks[0].case.pattern
        if name not in self._patterns:
            self._patterns[name] = load(job.folders[name])
        return Group(tasks, self._patterns[name], self.backend, job.seed)

    def _prepare(self, waiting: deque[Group], opened: ExitStack) -> Generator[Message, None, list[Subject]]:
        """Prepare as many of the groups as the device's memory holds together, at least one."""
        subjects: list[Subject] = []
        while waiting:
            if subjects and waiting[0].footprint() > MEMORY_SHARE * self.backend.free_bytes():
                break  # with the next ones
            prepared = yield from waiting.popleft().prepare()
            for subject in prepared:
                opened.enter_context(closing(subject))
            subjects += prepared
        return subjects

    def _sample(self, job: Job, subjects: list[Subject], first: int) -> Generator[Message, None, int]:
        """Sample the subjects, from round `first` on; return the number of the round after."""
        self.backend.keep_busy(BUSY_MS)
        if self._start is None:
            self._start = self.backend.now()
        random = Random(f"{job.seed} {job.process} {first} {subjects[0].group}")  # noqa: S311  (an order, not a secret)
        sampler = Sampler(self.backend, subjects, self._sentinels, job.rules, random)
        for message in sampler.rounds(job.process, first, self._start):
            yield message
            first += isinstance(message, Round)
        self._sentinels = [subject for subject in self._sentinels if not subject.failure]
        return first

    def _open_sentinels(self, job: Job) -> Iterator[Message]:
        """Open the sentinels that run on this device; without them the run goes on, and says so."""
        found = calls(self.backend.device)
        if not found:
            yield Remark(f"there are no sentinels for {self.backend.device.arch}: nothing watches the machine")
        for name, call, iterations in found:
            if name in job.unwatched:
                continue
            yield Doing(name, "opening")
            try:
                self._sentinels.append(Subject(name, "", self.backend.open(call), (iterations,)))
            except LaunchError as error:
                yield Unwatched(name, error.message)
                if not self.backend.usable():
                    raise DeviceLostError from error
