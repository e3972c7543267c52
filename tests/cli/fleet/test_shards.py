"""Fleets whose devices divide a suite: a device that took over groups of another has several runs."""

from dataclasses import replace
from pathlib import Path

from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember
from shflbench.store.run_files import ROWS_FILE
from tests.conftest import Command
from tests.fakes.fleets import SIMULATED
from tests.fakes.processes import Simulated, write
from tests.fakes.runs import H200, info


def test_wrong_result_in_an_earlier_run_of_a_device_is_reported(shflbench: Command, tmp_path: Path) -> None:
    names = ("node-1-0", "node-1-0-2")
    members = tuple(FleetMember(name, H200.uuid, H200.name, "node-1", 0, groups=(name,)) for name in names)
    about = FleetInfo("gtc2013", ("shflbench",), "local", "2026-11-20T08:00:00Z", members, sharded=True)
    fleet = FleetFolder.create_at(about, tmp_path / "fleet")
    cases = list(SIMULATED.items())
    for number, name in enumerate(names):
        about_run = replace(info(device=H200), started=f"2026-11-20T08:0{number}:00Z")
        write(fleet.path / name, Simulated(processes=1, cases=dict(cases[number::2])), about=about_run)
    rows = fleet.path / names[0] / ROWS_FILE
    rows.write_text(rows.read_text(encoding="utf-8").replace(",timed,", ",incorrect,", 1), encoding="utf-8")
    outcome = shflbench("fleet", "fleet", "--fail-on-outliers")
    assert outcome.code == 1
    assert "older run" not in outcome.err
    assert f"wrong results: 1 case incorrect, first {cases[0][0].id}" in outcome.out
