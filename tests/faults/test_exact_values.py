"""Numbers and names in files are as a program writes them; what only Python reads ends in file and field, exit 3."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shflbench.errors import ResultsError
from shflbench.store import calibration_file
from shflbench.store.check_report import read_check_report
from shflbench.store.fleet_file import read_fleet
from tests.cli.advise.results import part_of, set_in_record
from tests.faults.conftest import shflbench_commands

ROOT = Path(__file__).parents[2]
RESTORE = "Restore the file as the run wrote it, or measure again\n"
WIDE = "\uff11\uff12"  # digits of full width: 12

Change = Callable[[Path], object]


def cell(file: str, column: str, value: str) -> Change:
    """Return what sets a cell of the first row."""

    def change(run: Path) -> None:
        path = run / file
        head, first, rest = path.read_text(encoding="utf-8").split("\n", 2)
        cells = first.split(",")
        cells[head.split(",").index(column)] = value
        path.write_text("\n".join((head, ",".join(cells), rest)), encoding="utf-8")

    return change


def field(*keys: str, value: object) -> Change:
    """Return what sets a field of `run.json`."""

    def change(record: dict[str, Any]) -> None:
        for key in keys[:-1]:
            record = record[key]
        record[keys[-1]] = value

    return lambda run: set_in_record(run, change)


def text(file: str, old: str, new: str) -> Change:
    def change(run: Path) -> None:
        content = (run / file).read_text(encoding="utf-8")
        assert old in content
        (run / file).write_text(content.replace(old, new, 1), encoding="utf-8")

    return change


def repeat_limit(run: Path) -> None:
    lines = (run / "limits.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "limits.csv").write_text("".join([*lines, lines[1]]), encoding="utf-8")


REFUSED: list[tuple[Change, str]] = [
    (cell("results.csv", "time_us", "4_3.792"), "results.csv:2: time_us is '4_3.792', not a time in µs"),
    (cell("results.csv", "time_us", WIDE), f"results.csv:2: time_us is '{WIDE}', not a time in µs"),
    (cell("results.csv", "samples", "1_26"), "results.csv:2: samples is '1_26', not an integer, 0 or above"),
    (
        cell("results.csv", "sass_per_iteration", "STS=1_0"),
        "results.csv:2: sass_per_iteration is 'STS=1_0', not `LDS=1`",
    ),
    (cell("results.csv", "verified_iterations", WIDE), f"results.csv:2: verified_iterations is '{WIDE}', not integers"),
    (text("results.csv", ",variant,", ",pattern,"), "results.csv:1: the column pattern is there twice"),
    (cell("limits.csv", "limit_us", "3_1"), "limits.csv:2: limit_us is '3_1', not a time in µs"),
    (repeat_limit, "limits.csv:4: the case neighbor/smem/f32/26x1024/512/mode=idx is there twice"),
    (text("run.json", '"backend":', '"backend": "none", "backend":'), "run.json: the key `backend` is there twice"),
    (field("schema", value=-1), "run.json: `schema` is -1, not 1 or above"),
    (field("started", value="x"), "run.json: `started` is 'x', not a time in UTC such as 2026-11-20T08:00:10Z"),
    (
        field("finished", value="2026-02-30T08:00:10Z"),
        "run.json: `finished` is '2026-02-30T08:00:10Z', not a time in UTC",
    ),
    (field("resumed", value=["noon"]), "run.json: `resumed.0` is 'noon', not a time in UTC"),
    (field("backend", value="../x"), "run.json: `backend` is '../x', not one of cuda, emulator, none"),
    (field("arch", value="sm_999999"), "run.json: `arch` is 'sm_999999', not an architecture such as sm_90"),
    (field("settings", "processes", value=-3), "run.json: `settings.processes` is -3, not a number, 0 or above"),
    (field("device", "sms", value=-1), "run.json: `device.sms` is -1, not a number, 0 or above"),
]


def test_a_run_with_a_value_that_no_run_writes_is_refused_with_file_and_field(tmp_path: Path) -> None:
    good = part_of("quick", tmp_path / "good", lambda row: row["pattern"] == "neighbor")
    lines = (good / "limits.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (good / "limits.csv").write_text("".join(lines[:3]), encoding="utf-8")
    names = [f"run-{number}" for number in range(len(REFUSED))]
    for name, (change, _) in zip(names, REFUSED, strict=True):
        change(shutil.copytree(good, tmp_path / name))
    outcomes = shflbench_commands(tmp_path, *(("advise", "neighbor", name) for name in (*names, "good")))
    for name, (_, sentence), outcome in zip(names, REFUSED, outcomes, strict=False):
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith(f"error: {name}/{sentence}")
        assert RESTORE.partition(" as")[0] in outcome.err
    assert (outcomes[-1].code, outcomes[-1].err) == (0, "")


FOREIGN = {
    "1.csv": ("case,process,time_us\na,0,1_0\n", "1.csv:2: time_us is '1_0', not a time in µs"),
    "2.csv": (f"case,process,time_us\na,0,{WIDE}\n", f"2.csv:2: time_us is '{WIDE}', not a time in µs"),
    "3.csv": ("case,process,time_us,sm_clock_mhz\na,0,1,1_980\n", "3.csv:2: sm_clock_mhz is '1_980', not a clock"),
    "4.json": (
        '{"context": {}, "benchmarks": [{"name": "a", "iterations": "1_0", "real_time": 1.0}]}',
        '4.json: `benchmarks[0].iterations` is "1_0", not an integer',
    ),
    "5.json": (
        '{"context": {}, "benchmarks": [{"name": "a", "iterations": 1, "real_time": "1_0"}]}',
        '5.json: `benchmarks[0].real_time` is "1_0", not a number',
    ),
    "6.json": (
        '{"context": {}, "benchmarks": [{"name": "a", "iterations": 1, "real_time": 1.0, "real_time": 2.0}]}',
        "6.json: the key `real_time` is there twice in one object",
    ),
}
USAGE = {
    "--processes": "1_0",
    "--iterations": WIDE,
    "--max-seconds": "1_0.5",
    "--launch": f"{WIDE}x32",
}


@pytest.mark.archs
def test_files_of_other_tools_and_options_have_plain_numbers(tmp_path: Path) -> None:
    for name, (content, _) in FOREIGN.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    commands: list[tuple[str, ...]] = [("convert", name, "--output", f"of-{name}") for name in FOREIGN]
    commands += [("run", "quick", "--dry-run", option, value) for option, value in USAGE.items()]
    outcomes = shflbench_commands(tmp_path, *commands)
    for (_, sentence), outcome in zip(FOREIGN.values(), outcomes, strict=False):
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.startswith(f"error: {sentence}")
    for value, outcome in zip(USAGE.values(), outcomes[len(FOREIGN) :], strict=True):
        assert (outcome.code, outcome.out) in {(2, ""), (3, "")}
        assert value in outcome.err


def records() -> list[tuple[str, Callable[[Path], object], str, str]]:
    """Return other records: the file, what reads it, what is replaced in it, and the error."""
    fleet = (ROOT / "tests/data/fleet/4-gpus/fleet.json").read_text(encoding="utf-8")
    figures = (ROOT / "shflbench/core/arch/calibrated/nvidia-h200.json").read_text(encoding="utf-8")
    report = '{"arch": "sm_90", "arch": "sm_80", "kernels": []}'

    def of_fleet(path: Path) -> object:
        return read_fleet(path.parent)

    return [
        ("fleet.json", of_fleet, fleet.replace('"vm-0"', '"../x"'), "`members.0.folder` is '../x'"),
        ("fleet.json", of_fleet, fleet.replace('"vm-0"', '"vm-1"'), "`members.1.folder` is 'vm-1'"),
        ("fleet.json", of_fleet, fleet.replace('"schema": 1', '"schema": 0'), "`schema` is 0, not 1"),
        (
            "gpu.json",
            calibration_file.read,
            figures.replace('"schema"', '"sms": 1, "schema"'),
            "the key `sms` is there",
        ),
        ("gpu.json", calibration_file.read, figures.replace('"measured": "', '"measured": "x'), "`measured` is 'x"),
        ("check.json", read_check_report, report, "the key `arch` is there twice"),
    ]


@pytest.mark.parametrize(("file", "read", "content", "error"), records())
def test_other_records_have_the_values_that_shflbench_writes(
    tmp_path: Path, file: str, read: Callable[[Path], object], content: str, error: str
) -> None:
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(ResultsError) as caught:
        read(tmp_path / file)
    assert error in caught.value.message
    assert str(tmp_path / file) in caught.value.message
