"""Members of a fleet whose runs cannot be started or resumed, beside others that can; no cluster is started."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from shflbench.cli.console import Console, Progress
from shflbench.cli.run.fleet.measure import FleetRun
from shflbench.cli.run.fleet.watch import FleetWatch
from shflbench.cli.run.options import RunPlace
from shflbench.core.model import Overrides
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import CompilerError, DeviceError, ResultsError
from shflbench.measure.events import Opened
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet.executor import FleetContext, FleetDevice
from shflbench.session.fleet.members import Members
from shflbench.session.fleet.run import DeviceDone, DeviceJoined, FleetEvent
from shflbench.session.fleet.suite_job import SuiteJob
from shflbench.session.run_request import RunRequest
from shflbench.store.fleet_file import FleetFolder, FleetInfo, read_fleet
from tests.fakes.backend import H200
from tests.fakes.device import uuid_of
from tests.fakes.workers import worker_on

TOOLCHAIN = Toolchain((13, 5), "libnvrtc.so", (), None, (90,), "id")


def device_of(number: int, **changes: Any) -> FleetDevice:
    device = replace(H200, index=number, uuid=uuid_of(number), **changes)
    place = WorkerDevice("opener", str(number))
    return FleetDevice(f"tcp://{number}", worker_on("node7"), place, Opened("cuda", device, ""), number)


@pytest.fixture
def job() -> SuiteJob:
    request = RunRequest("quick", Overrides())
    return SuiteJob(request.load_suite(), request, TOOLCHAIN, None)


def members_in(folder: Path, job: SuiteJob, *, is_sharded: bool = False) -> Members:
    if (folder / "fleet.json").exists():
        fleet = FleetFolder(folder, read_fleet(folder))
    else:
        info = FleetInfo("quick", ("shflbench",), "local", "2026-11-20T08:00:00Z", (), sharded=is_sharded)
        fleet = FleetFolder.create_at(info, folder)
    context = FleetContext(Mock(), lambda lost: lost, "owner", {}, lambda: False)
    return Members(job, fleet, context, Mock(), Mock())


def set_driver(folder: Path, driver: str) -> None:
    """Change the driver in the record of a run, as if it had been updated since."""
    record = folder / "run.json"
    changed = record.read_text(encoding="utf-8").replace(f'"driver": "{H200.driver}"', f'"driver": "{driver}"')
    record.write_text(changed, encoding="utf-8")
    assert f'"driver": "{driver}"' in record.read_text(encoding="utf-8")


def test_device_that_comes_back_with_another_driver_does_not_end_the_others(
    tmp_path: Path, job: SuiteJob, capsys: pytest.CaptureFixture[str]
) -> None:
    members = members_in(tmp_path, job)
    members.start([device_of(0), device_of(1)])
    watch = FleetWatch(members, Console(), Progress())
    watch.show(FleetEvent(1, DeviceDone(DeviceError("worker tcp://1 died"))))
    set_driver(tmp_path / "node7-1", "1")
    capsys.readouterr()
    watch.show(FleetEvent(-1, DeviceJoined(device_of(1))))
    refusal = "node7-1 cannot be resumed: its version of the driver was 1, and is now"
    assert [type(error) for error in watch.errors] == [DeviceError, ResultsError]
    assert len(members.runs) == 2  # none was added
    assert refusal in (members.folder.members["node7-1"].error or "")
    assert refusal in (tmp_path / "logs" / "node7-1.log").read_text(encoding="utf-8")
    assert members.folder.members["node7-0"].error is None
    assert not members.is_complete
    printed = capsys.readouterr().err
    assert printed.count("error: node7:1: ") == 1
    assert refusal in printed
    members.end(0, None)  # the other one can end
    assert members.runs[0].label == "node7:0"


@pytest.mark.parametrize("mode", ["whole suite", "shards"])
def test_damaged_record_of_one_member_does_not_hinder_the_resumption_of_the_others(
    tmp_path: Path, job: SuiteJob, mode: str
) -> None:
    devices = [device_of(0), device_of(1)]
    before = members_in(tmp_path, job, is_sharded=mode == "shards")
    before.start(devices)
    before.note_stop()
    (tmp_path / "node7-1" / "run.json").write_text("{", encoding="utf-8")
    again = members_in(tmp_path, job)
    again.start(devices)
    assert [run.label for run in again.runs] == ["node7:0"]
    assert again.runs[0].stopped
    ((member, error),) = again.refused
    assert (member.folder, error.message) == ("node7-1", again.folder.members["node7-1"].error)
    assert not again.is_complete


def test_device_whose_architecture_is_not_supported_does_not_join(
    tmp_path: Path, job: SuiteJob, capsys: pytest.CaptureFixture[str]
) -> None:
    members = members_in(tmp_path, job)
    members.start([device_of(0)])
    watch = FleetWatch(members, Console(), Progress())
    watch.show(FleetEvent(-1, DeviceJoined(device_of(1, arch="sm_70"))))
    assert list(members.folder.members) == ["node7-0"]
    assert "warning: node7:1 is not used: NVRTC 13.5 does not compile for sm_70; it supports" in capsys.readouterr().err
    assert watch.errors == []


def fleet_run(job: SuiteJob, devices: Sequence[FleetDevice]) -> FleetRun:
    return FleetRun(job, Mock(), Mock(), devices, Mock(), "local")


def test_run_without_any_device_of_a_supported_architecture_ends_before_it_has_a_folder(
    tmp_path: Path, job: SuiteJob
) -> None:
    devices = [device_of(0, arch="sm_60"), device_of(1, arch="sm_70")]
    with pytest.raises(CompilerError, match=r"does not compile for sm_[67]0"):
        fleet_run(job, devices).run(RunPlace(tmp_path / "out", tmp_path), Console(), is_sharded=False)
    assert not (tmp_path / "out").exists()


def test_fleet_run_of_another_suite_is_not_resumed(tmp_path: Path, job: SuiteJob) -> None:
    FleetFolder.create_at(FleetInfo("gtc2013", ("shflbench",), "local", "2026-11-20T08:00:00Z", ()), tmp_path)
    with pytest.raises(ResultsError, match="has runs of the suite gtc2013, and cannot be resumed with quick"):
        fleet_run(job, [device_of(0)]).run(RunPlace(None, tmp_path, resume=tmp_path), Console(), is_sharded=False)
    assert read_fleet(tmp_path).members == ()
