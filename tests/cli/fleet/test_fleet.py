"""`shflbench fleet` on the runs of six devices, of which one is 4% slower."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from shflbench.store.run_files import ROWS_FILE, SAMPLES_FILE
from tests.conftest import Command
from tests.fakes.fleets import write_fleet
from tests.fakes.processes import Simulated


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fleet(tmp_path_factory.mktemp("results") / "fleet", 6, {4: Simulated(factor=1.04)})


def test_the_slow_device_is_first_and_named_with_its_evidence(shflbench: Command, fleet: Path) -> None:
    outcome = shflbench("fleet", fleet)
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[0].startswith("NVIDIA H200: 6 devices, standard deviation between sound devices at most 0.05%")
    assert lines[2].split()[:2] == ["node-1:4", "+4.0%"]
    assert lines[2].endswith("slow")
    evidence = " ".join(line.strip() for line in lines)
    assert "slower in 6 of 6 cases" in evidence
    assert "sentinels +4.0%: the whole device is slower" in evidence
    assert sum(line.endswith("sound") for line in lines) == 5
    assert lines[-1] == "1 outlier among 6 devices (slow from 1.5%)"


def test_outliers_fail_only_if_asked(shflbench: Command, fleet: Path) -> None:
    assert shflbench("fleet", fleet, "--fail-on-outliers").code == 1
    assert shflbench("fleet", fleet, "--fail-on-outliers", "--threshold", "5%").code == 0


def test_json_has_every_case_of_every_device(shflbench: Command, fleet: Path) -> None:
    content = json.loads(shflbench("fleet", fleet.parent, "--format", "json").out)
    (model,) = content["models"]
    assert content["outliers"] == [{"model": "NVIDIA H200", "device": "node-1:4"}]
    assert [device["verdict"] for device in model["devices"]] == ["slow", *["sound"] * 5]
    assert model["devices"][0]["slower"]["value"] == pytest.approx(0.04, abs=0.003)
    assert len(model["cases"]) == 6
    assert model["cases"][0]["slower"][0] == pytest.approx(0.04, abs=0.01)
    assert sorted(model["cases"][0]["place"]) == [1, 2, 3, 4, 5, 6]


def test_a_chart_is_drawn_and_its_title_names_the_device(shflbench: Command, fleet: Path) -> None:
    outcome = shflbench("fleet", fleet, "--chart", "fleet.svg")
    assert "drawn: fleet.svg" in outcome.err
    chart = Path("fleet.svg").read_text(encoding="utf-8")
    assert "node-1:4 is an outlier among 6 devices: slow" in chart
    assert shflbench("fleet", fleet, "--chart", "fleet.gif").code == 2


def test_three_devices_are_too_few(shflbench: Command, fleet: Path) -> None:
    three = [fleet / f"node-1-{index}" for index in (0, 1, 4)]
    outcome = shflbench("fleet", *three)
    assert outcome.code == 0
    assert "too few to compare: a model needs four devices" in outcome.out
    summary = "0 outliers among 3 devices (slow from 1.5%); the times of no device were compared with others"
    assert outcome.out.splitlines()[-1] == summary
    assert shflbench("fleet", *three, "--strict").code == 6


def test_without_a_comparison_there_are_no_slow_cases_to_count(shflbench: Command, fleet: Path) -> None:
    outcome = shflbench("fleet", *(fleet / f"node-1-{index}" for index in (0, 1, 4)))
    lines = [line.split() for line in outcome.out.splitlines()[2:5]]
    assert sorted(lines) == [[f"node-1:{index}", "38", "too", "few", "to", "compare"] for index in (0, 1, 4)]


def test_a_chart_that_cannot_be_drawn_changes_neither_report_nor_exit_code(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    for index in (0, 1, 2):
        shutil.rmtree(copy / f"node-1-{index}")
    for flags, code in ((["--fail-on-outliers"], 1), (["--strict"], 6), ([], 0)):
        plain, drawn = shflbench("fleet", copy, *flags), shflbench("fleet", copy, *flags, "--chart", "fleet.svg")
        assert (drawn.code, drawn.out) == (plain.code, plain.out) == (code, plain.out)
        assert drawn.err == "warning: fleet.svg was not drawn: no model has four devices with times of the same cases\n"
    assert not Path("fleet.svg").exists()


def test_lost_damaged_and_missing_runs_are_incomplete_and_the_others_are_ranked(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    shutil.rmtree(copy / "node-1-0")
    (copy / "node-1-1" / SAMPLES_FILE).write_bytes(b"no samples")
    about = json.loads((copy / "fleet.json").read_text(encoding="utf-8"))
    about["members"][2] |= {"error": "its worker was lost twice", "losses": ["the worker at node-1 was lost"]}
    (copy / "fleet.json").write_text(json.dumps(about), encoding="utf-8")
    shutil.rmtree(copy / "node-1-5")
    shutil.copytree(fleet / "node-1-5", copy / "node-1-5")
    outcome = shflbench("fleet", copy, "--fail-on-outliers")
    text = " ".join(outcome.out.split())
    assert outcome.code == 1
    assert "node-1-0 has no run" in text
    assert "incomplete: its worker was lost twice note: the worker at node-1 was lost" in text
    assert text.count(f"{SAMPLES_FILE} is ") == 1
    assert not outcome.err
    assert "4 outliers among 6 devices" in text


def test_a_table_that_was_cut_off_says_how_many_cases_are_left(shflbench: Command, fleet: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    rows = copy / "node-1-2" / ROWS_FILE
    lines = rows.read_bytes().splitlines(keepends=True)
    for content, reason in (
        (b"".join(lines[:3]) + lines[3][:9], f"{rows}: the last line is incomplete and was skipped"),
        (b"".join(lines[:3]), f"{rows} is damaged: it has no row of "),
    ):
        rows.write_bytes(content)
        outcome = shflbench("fleet", copy)
        assert not outcome.err
        assert f"incomplete: {reason}" in outcome.out
        assert outcome.out.count("; 2 of 6 timed cases have a row\n") == 1
    (copy / "node-1-2" / SAMPLES_FILE).unlink()
    rows.write_bytes(b"".join(lines[:3]) + lines[3][:9])
    assert "was skipped; rows that can be read: 2\n" in shflbench("fleet", copy).out


def test_a_device_without_samples_is_named_with_what_cannot_be_judged(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    (copy / "node-1-1" / SAMPLES_FILE).unlink()
    note = "node-1:1 has no samples.csv.gz: scatter, sentinels and slow launches cannot be judged there"
    (model,) = json.loads(shflbench("fleet", copy, "--format", "json").out)["models"]
    assert [text.startswith(note) for text in model["notes"]] == [True]
    assert note in shflbench("fleet", copy).out


def test_tables_without_samples_are_ranked_by_their_medians(shflbench: Command, fleet: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    for file in copy.rglob(SAMPLES_FILE):
        file.unlink()
    outcome = shflbench("fleet", copy, "--fail-on-outliers")
    assert outcome.code == 1
    assert "no sentinels show whether the SM clock is the cause" in " ".join(outcome.out.split())


def test_a_folder_without_runs_and_runs_without_a_gpu_are_refused(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    assert shflbench("fleet", tmp_path).code == 3
    copy = shutil.copytree(fleet / "node-1-0", tmp_path / "copy")
    about = json.loads((copy / "run.json").read_text(encoding="utf-8"))
    (copy / "run.json").write_text(json.dumps({**about, "device": None}), encoding="utf-8")
    outcome = shflbench("fleet", copy)
    assert outcome.code == 3
    assert "used a GPU" in outcome.err
    assert ROWS_FILE in {file.name for file in copy.iterdir()}


def test_many_devices_are_read_in_processes_with_the_same_result(
    shflbench: Command, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = shflbench("fleet", fleet).out
    monkeypatch.setattr("shflbench.session.fleet.device_records.MANY", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert shflbench("fleet", fleet).out == alone


def test_only_the_slowest_sound_devices_are_listed_unless_all_are_wanted(
    shflbench: Command, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.cli.fleet.output.SLOWEST", 2)
    short = shflbench("fleet", fleet).out
    assert short.count("  sound\n") == 2
    assert "3 more devices: 3 sound (--all lists them)" in short
    assert shflbench("fleet", fleet, "--all").out.count("  sound\n") == 5


def test_of_several_runs_on_a_device_the_newest_counts(shflbench: Command, fleet: Path, tmp_path: Path) -> None:
    again = shutil.copytree(fleet / "node-1-0", tmp_path / "again")
    about = json.loads((fleet / "node-1-4" / "run.json").read_text(encoding="utf-8"))
    (again / "run.json").write_text(json.dumps({**about, "started": "2026-11-21T08:00:00Z"}), encoding="utf-8")
    outcome = shflbench("fleet", fleet, again)
    assert "1 older run not ranked" in outcome.err
    assert "0 outliers among 6 devices" in outcome.out


def edit(folder: Path, **parts: dict[str, object]) -> None:
    """Change keys of parts of `run.json`."""
    path = folder / "run.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    for part, changes in parts.items():
        about[part] |= changes
    path.write_text(json.dumps(about), encoding="utf-8")


def test_a_fleet_given_with_its_members_is_read_once(shflbench: Command, fleet: Path) -> None:
    outcome = shflbench("fleet", fleet, fleet / "node-1-4", fleet / ".." / fleet.name)
    assert outcome.out == shflbench("fleet", fleet).out
    assert not outcome.err


def test_a_damaged_run_file_is_that_of_its_member_or_of_an_unknown_device(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy")
    (copy / "node-1-1" / "run.json").write_text("{", encoding="utf-8")
    outcome = shflbench("fleet", copy, "--fail-on-outliers")
    text = "".join(line.strip() for line in outcome.out.splitlines())
    assert outcome.code == 1
    assert "node-1-1/run.json:1:2: not JSON" in text
    assert "2 outliers among 6 devices (slow from 1.5%): 1 slow, 1 incomplete; the times of 1 device were not " in text
    (copy / "fleet.json").unlink()
    assert "unknown model: 1 device" in shflbench("fleet", copy).out
    alone = shflbench("fleet", copy / "node-1-1")
    assert alone.code == 3
    assert "not JSON" in alone.err


def test_devices_without_a_uuid_or_with_the_same_label_are_not_mixed_up(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy", ignore=shutil.ignore_patterns("fleet.json"))
    for index in (0, 1):
        edit(copy / f"node-1-{index}", device={"uuid": ""})
    edit(copy / "node-1-5", device={"index": 2})
    edit(copy / "node-1-3", versions={"driver": "999.9"})
    outcome = shflbench("fleet", copy)
    assert not outcome.err
    assert "1 outlier among 6 devices" in outcome.out
    assert outcome.out.count("node-1:2 GPU-") == 2
    assert "driver differs; values (devices):" in outcome.out
    assert "note: driver 999.9, most devices " in outcome.out


def test_devices_that_divided_a_suite_are_compared_by_their_sentinels(
    shflbench: Command, fleet: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(fleet, tmp_path / "copy", ignore=shutil.ignore_patterns("fleet.json"))
    for index in range(6):
        rows = copy / f"node-1-{index}" / ROWS_FILE
        lines = rows.read_text(encoding="utf-8").splitlines(keepends=True)
        rows.write_text("".join([lines[0], *lines[1 + index % 3 * 2 : 3 + index % 3 * 2]]), encoding="utf-8")
        path = rows.parent / SAMPLES_FILE
        kept = {line.split(",", 1)[0] for line in rows.read_text(encoding="utf-8").splitlines()}
        taken = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
        shard = [line for line in taken if line.split(",", 1)[0] in kept or line.startswith("sentinel/")]
        path.write_bytes(gzip.compress("".join(shard).encode()))
    outcome = shflbench("fleet", copy)
    assert "6 devices, only their sentinels are compared" in outcome.out
    assert "slow: sentinels +4.0%; too few devices" in outcome.out
    assert outcome.out.count("  sound by sentinels\n") == 5
