"""Files of other tools that count as processes: each measurement once, and no case the same that some lack."""

import json
from pathlib import Path

from tests.conftest import Command
from tests.store.readers.foreign_files import write_csv


def write(path: Path, number: int, minute: int = 0, cases: tuple[str, ...] = ("copy", "scan")) -> Path:
    return write_csv(path, dict.fromkeys(cases, 50.0), processes=range(number, number + 1), minute=minute)


def test_one_measurement_is_not_several_processes(tmp_path: Path, shflbench: Command) -> None:
    for number in range(3):
        write(tmp_path / f"base/{number}.csv", number)
    one = write(tmp_path / "copies/0.csv", 0, minute=1).read_text()
    (tmp_path / "copies/1.csv").write_text(one)
    (tmp_path / "edited").mkdir()
    (tmp_path / "edited/0.csv").write_text(one)
    (tmp_path / "edited/1.csv").write_text(one.replace(",", ", ").replace(", 0, ", ", second, ").replace("08:", "09:"))
    body = one.partition("\n")[2]
    (tmp_path / "renamed.csv").write_text(one + body.replace(",0,", ",1,").replace("T08:", "T09:"))
    for words, sentence in (
        (("base", "copies"), "copies/0.csv and copies/1.csv have the same content: one measurement"),
        (("base", "edited"), "edited/0.csv and edited/1.csv have the same samples: one measurement"),
        (("base", "renamed.csv"), "processes 1 and 2 of renamed.csv have the same samples: one measurement"),
        (("base", "copies/0.csv", "--new", "base/2.csv"), "base/2.csv is on both sides"),
        (
            ("copies/0.csv", "edited/1.csv"),
            "copies/0.csv and edited/1.csv have the same samples, one on each side: one measurement",
        ),
    ):
        outcome = shflbench("compare", *words)
        assert (outcome.code, outcome.out, outcome.err.splitlines()[0]) == (3, "", f"error: {sentence}")


def test_converted_runs_of_one_file_are_one_measurement(tmp_path: Path, shflbench: Command) -> None:
    write(tmp_path / "base.csv", 0)
    write(tmp_path / "new.csv", 1)
    for name in ("once", "twice"):
        assert shflbench("convert", "new.csv", "-o", name).code == 0
    outcome = shflbench("compare", "base.csv", "once", "--new", "twice")
    assert (outcome.code, outcome.err.splitlines()[0]) == (3, "error: new.csv is given twice")


def test_a_case_that_processes_lack_is_never_the_same(tmp_path: Path, shflbench: Command) -> None:
    for number in range(3):
        write(tmp_path / f"base/{number}.csv", number)
        write(tmp_path / f"base/other-{number}.csv", number + 3, cases=("sort",))  # a second program
        write(tmp_path / f"new/{number}.csv", number, 1, ("copy", "scan") if number == 0 else ("scan",))
        write(tmp_path / f"new/other-{number}.csv", number + 3, 1, ("sort",))
    outcome = shflbench("compare", "base", "new", "--alternated", "--also", "json=report.json")
    verdicts = {
        verdict["case_id"]: verdict for verdict in json.loads((tmp_path / "report.json").read_text())["verdicts"]
    }
    assert outcome.code == 1
    assert [verdicts[name]["outcome"] for name in ("copy", "scan", "sort")] == ["missing", "same", "same"]
    assert verdicts["copy"]["reason"] == "not-in-all-processes"
    assert "measured in 1 of 3 processes of the new side, and in all of the base side" in outcome.out
    swapped = shflbench("compare", "new", "base", "--alternated", "--strict")
    assert swapped.code == 6
    assert "inconclusive  copy" in swapped.out
    assert "measured in 1 of 3 processes of the base side" in swapped.out


def test_a_case_that_failed_in_one_process_says_in_how_many(tmp_path: Path, shflbench: Command) -> None:
    for side in ("base", "new"):
        for number in range(3):
            index = 2 * number + (side == "new")
            entries = [
                {"name": "scan", "run_type": "iteration", "repetition_index": repetition, "iterations": 1000}
                | {"real_time": 140 + 0.1 * index + 0.01 * repetition, "time_unit": "us"}
                for repetition in range(6)
            ]
            if (side, number) == ("new", 1):
                entries = [{"name": "scan", "error_occurred": True, "error_message": "no such device"}]
            path = tmp_path / side / f"{number}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps({"context": {"date": f"2026-11-20T08:0{index}:00Z"}, "benchmarks": entries}))
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert "failed (in 1 of 3 processes: no such device) on the new side" in outcome.out
