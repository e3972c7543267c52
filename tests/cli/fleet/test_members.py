"""Fleet files that do not match the runs beside them: no device is reported under the name of another."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.fakes.fleets import write_fleet
from tests.fakes.processes import Simulated


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fleet(tmp_path_factory.mktemp("results") / "fleet", 6, {4: Simulated(factor=1.04)})


@pytest.fixture
def fleet(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "fleet")


def ranking(shflbench: Command, folder: Path) -> dict[str, tuple[str, str]]:
    """Return UUID and verdict of each device by its label."""
    (model,) = json.loads(shflbench("fleet", folder, "--format", "json").out)["models"]
    return {device["label"]: (device["uuid"], device["verdict"]) for device in model["devices"]}


def change_member(fleet: Path, number: int, **changes: Any) -> None:
    """Change what `fleet.json` says about a member."""
    path = fleet / "fleet.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    about["members"][number] |= changes
    path.write_text(json.dumps(about), encoding="utf-8")


def test_runs_in_exchanged_folders_are_named_by_their_uuids(shflbench: Command, original: Path, fleet: Path) -> None:
    change_member(fleet, 4, losses=["the worker of node-1:4 was lost"])
    (fleet / "node-1-0").rename(fleet / "aside")
    (fleet / "node-1-4").rename(fleet / "node-1-0")
    (fleet / "aside").rename(fleet / "node-1-4")
    assert ranking(shflbench, fleet) == ranking(shflbench, original)
    outcome = shflbench("fleet", fleet)
    assert outcome.out.splitlines()[2].split()[:2] == ["node-1:4", "+4.0%"]
    assert outcome.out.splitlines()[4].endswith("note: the worker of node-1:4 was lost")
    first = fleet / "node-1-0"
    assert outcome.err == (
        f"warning: {first} has the run of node-1:4, which its fleet.json does not list there, and 1 more; "
        "devices are named by the UUIDs in run.json\n"
    )


def test_a_renamed_folder_still_belongs_to_its_member(shflbench: Command, original: Path, fleet: Path) -> None:
    (fleet / "node-1-4").rename(fleet / "renamed")
    assert ranking(shflbench, fleet) == ranking(shflbench, original)
    assert "renamed has the run of node-1:4" in shflbench("fleet", fleet).err


def test_a_run_of_a_device_that_is_not_listed_is_named_by_its_uuid(
    shflbench: Command, original: Path, fleet: Path
) -> None:
    uuid, _ = ranking(shflbench, original)["node-1:4"]
    change_member(fleet, 4, uuid="GPU-other")
    devices = ranking(shflbench, fleet)
    assert devices[f"node-1 {uuid}"] == (uuid, "slow")
    assert devices["node-1:4"] == ("GPU-other", "incomplete")
    outcome = shflbench("fleet", fleet)
    assert f"node-1-4 has the run of node-1 {uuid}, which its fleet.json does not list there" in outcome.err
    assert f"incomplete: {fleet / 'node-1-4'} has the run of another device" in outcome.out


@pytest.mark.archs
def test_runs_that_are_neither_listed_nor_have_a_uuid_are_named_by_their_folders(
    shflbench: Command, fleet: Path
) -> None:
    for index in (0, 4):
        folder = (fleet / f"node-1-{index}").rename(fleet / f"renamed-{index}")
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        about["device"]["uuid"] = ""
        (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    verdicts = {label: verdict for label, (_, verdict) in ranking(shflbench, fleet).items()}
    assert (verdicts["node-1 renamed-4"], verdicts["node-1 renamed-0"]) == ("slow", "sound")
    assert (verdicts["node-1:4"], verdicts["node-1:0"]) == ("incomplete", "incomplete")


def test_a_copy_over_the_folder_of_another_device_leaves_that_one_without_a_run(
    shflbench: Command, fleet: Path
) -> None:
    shutil.rmtree(fleet / "node-1-0")
    shutil.copytree(fleet / "node-1-4", fleet / "node-1-0")
    verdicts = {label: verdict for label, (_, verdict) in ranking(shflbench, fleet).items()}
    assert verdicts == {
        "node-1:4": "slow",
        "node-1:0": "incomplete",
        **{f"node-1:{index}": "sound" for index in (1, 2, 3, 5)},
    }


def test_of_a_device_with_a_run_an_unreadable_file_in_its_listed_folder_is_not_reported(
    shflbench: Command, fleet: Path
) -> None:
    (fleet / "node-1-5").rename(fleet / "aside")
    (fleet / "node-1-0").rename(fleet / "node-1-5")
    (fleet / "aside").rename(fleet / "node-1-0")
    (fleet / "node-1-5" / "run.json").write_text("{", encoding="utf-8")
    verdicts = {label: verdict for label, (_, verdict) in ranking(shflbench, fleet).items()}
    assert (verdicts["node-1:5"], verdicts["node-1:0"]) == ("sound", "incomplete")


@pytest.mark.parametrize("content", [b"\x80\xff\x00", b"[]", b""])
def test_a_damaged_fleet_file_is_refused_with_the_runs_that_can_be_ranked_without_it(
    shflbench: Command, fleet: Path, content: bytes
) -> None:
    (fleet / "fleet.json").write_bytes(content)
    outcome = shflbench("fleet", fleet)
    assert outcome.code == 3
    assert outcome.err.startswith(f"error: {fleet / 'fleet.json'}")
    advice = f"Give the folders of the runs instead of {fleet}, such as {fleet / 'node-1-0'}; or restore the file"
    assert advice in outcome.err
    assert "1 outlier among 6 devices" in shflbench("fleet", *fleet.glob("node-*")).out


def test_another_file_of_this_name_without_runs_beside_it_is_ignored(shflbench: Command, fleet: Path) -> None:
    report = fleet.parent / "fleet.json"
    for _ in range(2):
        assert shflbench("fleet", fleet.parent, "--format", "json", "-o", report).code == 0
    outcome = shflbench("fleet", fleet.parent)
    assert "1 outlier among 6 devices" in outcome.out
    assert outcome.err == (
        f"warning: {report}: `suite` is missing; it is ignored, because no folder beside it has a run\n"
    )
