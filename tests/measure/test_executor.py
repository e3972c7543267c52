"""Jobs that run in this process."""

from collections.abc import Sequence

import pytest

from shflbench.core.model import MeasureRules
from shflbench.errors import DeviceError
from shflbench.measure.events import CaseFailed, Converged, JobDone, JobEvent, RoundDone
from shflbench.measure.executor import InProcessExecutor
from shflbench.measure.job import Job
from tests.fakes.backend import ContextLostError, FakeBackend, Script
from tests.measure import prepared

RULES = MeasureRules(precision=0.05, min_seconds=0.001)


def job(*variants: str) -> Job:
    return prepared.job(prepared.tasks(*variants, iterations=256), rules=RULES)


def rounds(events: Sequence[JobEvent]) -> list[tuple[int, int]]:
    return [(event.process, event.number) for event in events if isinstance(event, RoundDone)]


def test_rounds_are_numbered_through_the_jobs_of_a_process() -> None:
    here = InProcessExecutor(FakeBackend())
    first, second = list(here.run(job("shfl"))), list(here.run(job("smem")))
    assert rounds(first) == [(0, number) for number in range(9)]
    assert rounds(second) == [(0, number) for number in range(9, 18)]
    here.restart()
    assert rounds(list(here.run(job("shfl")))) == [(1, number) for number in range(9)]


def test_end_of_a_job_is_not_reported() -> None:
    events = list(InProcessExecutor(FakeBackend()).run(job("shfl")))
    assert not any(isinstance(event, JobDone) for event in events)
    assert isinstance(events[-1], Converged)


def test_device_that_is_lost_ends_the_run_because_this_process_cannot_be_replaced() -> None:
    here = InProcessExecutor(FakeBackend({"shfl": Script(run_raises={0: ContextLostError("illegal memory access")})}))
    events: list[JobEvent] = []
    with pytest.raises(
        DeviceError, match="a kernel crashed, and this process cannot use the device any more"
    ) as caught:
        events.extend(here.run(job("shfl")))
    assert "--resume" in caught.value.advice
    assert not events or isinstance(events[-1], CaseFailed)


def test_executor_has_the_properties_of_its_backend() -> None:
    backend = FakeBackend()
    backend.problem = "NVML does not work"
    here = InProcessExecutor(backend)
    assert (here.name, here.timed, here.device, here.problem) == ("cuda", True, backend.device, backend.problem)
    assert here.others() == backend.device.state.other_processes
