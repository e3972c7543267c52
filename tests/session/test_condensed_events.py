"""A run that gets estimates and packed samples stores the same files, byte for byte, as one that gets samples."""

import pickle
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.errors import LaunchError
from shflbench.measure.condensed import CaseTimed, CondensedEvent, SamplesPacked
from shflbench.measure.events import RoundDone
from shflbench.measure.job import Job
from shflbench.session import GroupDone, Note, run
from shflbench.session.fleet.condense import Condenser, ProcessNumbers
from shflbench.store import read_run
from shflbench.store.run_files import ROWS_FILE, SAMPLES_FILE
from tests.fakes.backend import FakeBackend, Script
from tests.fakes.executor import FreshProcessExecutor
from tests.session.conftest import Planner, started

SUITE = """\
schema: 1
name: demo
measure: {min_seconds: 0.001}
defaults: {launch: 2x64, iterations: 1024, variants: [smem, shfl], dtypes: [f32, i32]}
experiments:
  - pattern: neighbor
  - pattern: reduce
    dtypes: i32
"""
FIRST = "neighbor/f32/2x64/1024/mode=idx"


def backend() -> FakeBackend:
    """Return a GPU with noise; one variant fails while it is timed, and one falls behind at times."""
    return FakeBackend(
        {
            "neighbor/shfl": Script(noise=0.01, burst_raises={40: LaunchError("illegal address")}),
            "neighbor/smem": Script(noise=0.02, host_bound=(5, 6)),
            "reduce/shfl": Script(noise=0.01),
        }
    )


class DistantExecutor(FreshProcessExecutor):
    """Sends what a worker of a fleet sends, pickled."""

    windowed = True
    numbering = ProcessNumbers()

    def run(self, job: Job) -> Generator[CondensedEvent, None, None]:  # type: ignore[override]  # it adds kinds
        """Condense all events of the job before the first is yielded."""
        events: list[CondensedEvent] = []
        condenser = Condenser(job, self.numbering)
        for event in super().run(job):
            numbered = event
            if isinstance(event, RoundDone):
                numbered = replace(event, process=self.numbering.number("worker", event.process))
            events += condenser.condense(numbered)
        events += condenser.end()
        yield from pickle.loads(pickle.dumps(events))  # noqa: S301  (what was written a line before)


@pytest.mark.archs
def test_files_are_the_same_as_of_a_run_that_gets_all_samples(
    plan: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.session.windows.CASES", 3)  # two windows
    near, distant = plan(backend()), replace(plan(None), executor=DistantExecutor(backend()))
    done = {}
    for name, chosen in (("near", near), ("distant", distant)):
        events = list(run(chosen, started(chosen, tmp_path / name)))
        done[name] = [event for event in events if isinstance(event, GroupDone | Note)]
    assert done["near"] == done["distant"]
    runs = {name: read_run(tmp_path / name) for name in done}
    assert {row.status for row in runs["near"].rows} == {Status.TIMED, Status.FAILED}
    assert {row.dropped for row in runs["near"].rows} > {0}
    assert runs["near"].info.noise == runs["distant"].info.noise
    for file in (ROWS_FILE, SAMPLES_FILE):
        assert (tmp_path / "near" / file).read_bytes() == (tmp_path / "distant" / file).read_bytes()


def test_no_sample_and_no_step_is_sent_but_a_level_per_round_of_a_sentinel(
    plan: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[CondensedEvent] = []
    inner = DistantExecutor.run

    def keep(self: DistantExecutor, job: Job) -> Generator[CondensedEvent, None, None]:
        for event in inner(self, job):
            sent.append(event)
            yield event

    monkeypatch.setattr(DistantExecutor, "run", keep)
    chosen = replace(plan(None), executor=DistantExecutor(FakeBackend()))
    list(run(chosen, started(chosen, tmp_path / "run")))
    names = {type(event).__name__ for event in sent}
    assert names == {"GridResolved", "Verified", "WarmedUp", "SamplesPacked", "CaseTimed"}
    assert sum(isinstance(event, CaseTimed) for event in sent) == 6
    packed = [event for event in sent if isinstance(event, SamplesPacked)]
    assert len(packed) == 3
    levels = [(level.case_id, level.round) for event in packed for level in event.levels]
    assert len(levels) == len(set(levels)) > 0
    assert sum(event.bursts.count for event in packed) > len(levels)


def test_rows_are_on_disk_before_their_group_is_reported(plan: Planner, tmp_path: Path) -> None:
    chosen = replace(plan(None), executor=DistantExecutor(FakeBackend()))
    for event in run(chosen, started(chosen, tmp_path / "run")):
        if isinstance(event, GroupDone):
            on_disk = {row.case_id for row in read_run(tmp_path / "run").rows}
            assert {row.case_id for row in event.rows} <= on_disk


@pytest.mark.archs
@pytest.mark.parametrize("is_distant", [False, True])
def test_places_of_different_times_are_no_disturbance_of_a_row(
    plan: Planner, tmp_path: Path, *, is_distant: bool
) -> None:
    device = FakeBackend({"neighbor/smem": Script(places_us=(0.0, 0.5, 0.0))})
    chosen = replace(plan(None), executor=DistantExecutor(device)) if is_distant else plan(device)
    rules = replace(chosen.suite.rules, places=3)
    several = replace(chosen, suite=replace(chosen.suite, rules=rules))
    list(run(several, started(several, tmp_path / "run")))
    rows = read_run(tmp_path / "run").rows
    assert any(row.rounds for row in rows)
    assert {row.case_id: row.noise for row in rows if row.noise} == {}
