"""`fleet.json` while a fleet run is measured."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store import find_runs, fleet_file, run_files
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember, missing_runs, read_fleet
from tests.fakes.fleets import write_fleet

ABOUT = FleetInfo("gtc2013", ("shflbench",), "local", "2026-11-20T08:00:00Z", ())
MEMBER = FleetMember("node7-0", "GPU-0", "NVIDIA H200", "node7", 0)


def test_changes_are_written_at_once_on_request_else_after_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(fleet_file, "monotonic", lambda: now)
    folder = FleetFolder.create_at(ABOUT, tmp_path / "out")
    folder.put(MEMBER)
    folder.write_due()
    assert read_fleet(folder.path).members == ()
    now += 1.0
    folder.write_due()
    assert read_fleet(folder.path).members == (MEMBER,)
    lost = replace(MEMBER, error="its worker was lost")
    folder.put(lost)
    assert folder.info.members == (lost,)
    folder.write()
    assert read_fleet(folder.path).members == (lost,)
    folder.finish("2026-11-20T08:01:00Z", ("a note",))
    assert read_fleet(folder.path) == replace(
        ABOUT, members=(lost,), finished="2026-11-20T08:01:00Z", notes=("a note",)
    )


def test_run_that_was_killed_in_its_first_write_starts_again_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / ".fleet.json.part").write_text("{", encoding="utf-8")
    assert read_fleet(FleetFolder.create_at(ABOUT, tmp_path).path) == ABOUT
    with pytest.raises(ResultsError, match="is not empty"):
        FleetFolder.create_at(ABOUT, tmp_path)


def test_writes_that_take_long_are_rarer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, writes = 100.0, 0

    def write(*_: object) -> None:
        nonlocal now, writes
        now, writes = now + 0.01, writes + 1

    monkeypatch.setattr(run_files, "replace", write)
    monkeypatch.setattr(fleet_file, "monotonic", lambda: now)
    folder = FleetFolder(tmp_path, ABOUT)
    folder.write()
    folder.put(MEMBER)
    now += 4.9
    folder.write_due()
    assert writes == 1
    now += 0.2
    folder.write_due()
    assert writes == 2


def test_thousand_members_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = []
    monkeypatch.setattr(run_files, "replace", lambda path, content: writes.append((path, content)))
    monkeypatch.setattr(fleet_file, "monotonic", lambda: 100.0)
    folder = FleetFolder(tmp_path, ABOUT)
    folder.write()
    for number in range(1000):
        folder.put(replace(MEMBER, folder=f"node7-{number}"))
        folder.write_due()
    folder.write()
    assert len(writes) == 2
    assert len(folder.members) == 1000


def test_files_that_are_no_fleet_file_are_refused_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "fleet.json"
    with pytest.raises(ResultsError, match=r"fleet\.json cannot be read: No such file"):
        read_fleet(tmp_path)
    for content, reason in ((b"\xff\x00", "is damaged: not UTF-8"), (b"[]", "not a JSON object"), (b"", "is empty")):
        path.write_bytes(content)
        with pytest.raises(ResultsError, match=reason):
            read_fleet(tmp_path)


def test_runs_that_are_listed_and_not_there_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fleet = write_fleet(tmp_path / "fleet", 6)
    assert list(missing_runs([tmp_path])) == []
    shutil.rmtree(fleet / "node-1-2")
    sentence = f"1 of 6 runs that {fleet / 'fleet.json'} lists are missing: node-1-2"
    assert list(missing_runs([tmp_path, fleet])) == [sentence]
    assert len(find_runs([tmp_path], report_missing=False)) == 5
    assert not caplog.messages
    assert len(find_runs([tmp_path])) == 5
    assert caplog.messages == [sentence]
    for index in (0, 1, 3, 4):
        shutil.rmtree(fleet / f"node-1-{index}")
    (many,) = missing_runs([tmp_path])
    assert many.endswith(
        "5 of 6 runs that " + str(fleet / "fleet.json") + " lists are missing: "
        "node-1-0, node-1-1, node-1-2, node-1-3, …"
    )
    (fleet / "fleet.json").write_text("[]", encoding="utf-8")
    (damaged,) = missing_runs([tmp_path])
    assert damaged == f"{fleet / 'fleet.json'}: not a JSON object; runs of this fleet that are missing are not reported"
