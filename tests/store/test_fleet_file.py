"""`fleet.json` while a fleet run is measured."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import files, fleet_file
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember, read_fleet

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


def test_writes_that_take_long_are_rarer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, writes = 100.0, 0

    def write(*_: object) -> None:
        nonlocal now, writes
        now, writes = now + 0.01, writes + 1

    monkeypatch.setattr(files, "replace", write)
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
    monkeypatch.setattr(files, "replace", lambda path, content: writes.append((path, content)))
    monkeypatch.setattr(fleet_file, "monotonic", lambda: 100.0)
    folder = FleetFolder(tmp_path, ABOUT)
    folder.write()
    for number in range(1000):
        folder.put(replace(MEMBER, folder=f"node7-{number}"))
        folder.write_due()
    folder.write()
    assert len(writes) == 2
    assert len(folder.members) == 1000
