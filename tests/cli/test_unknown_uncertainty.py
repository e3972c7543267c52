"""Where nobody measured an uncertainty, no command prints one."""

import json
from pathlib import Path

from tests.cli.gate.runs import change_rows, lay
from tests.conftest import Command

NO_INTERVAL = dict.fromkeys(("time_low_us", "time_high_us", "ns_per_iteration_low", "ns_per_iteration_high"))


def convert(shflbench: Command, folder: Path, name: str, *lines: str) -> None:
    (folder / f"{name}.csv").write_text("\n".join(("case,process,time_us", *lines)) + "\n")
    assert shflbench("convert", f"{name}.csv", "-o", name).code == 0


def test_a_single_sample_has_no_uncertainty(tmp_path: Path, shflbench: Command) -> None:
    convert(shflbench, tmp_path, "run", "copy/one,0,5", "copy/two,0,50", "copy/two,0,50000", "copy/three,0,7")
    assert shflbench("show", "run").out.splitlines()[2:] == [
        "copy",
        "  variant  time µs   verification",
        "  one          5.00  not verified",
        "  three        7.00  not verified",
        "  two      25025.00  not verified",
    ]


def test_a_known_uncertainty_stands_beside_an_unknown_one(tmp_path: Path, shflbench: Command) -> None:
    convert(shflbench, tmp_path, "run", "copy/one,0,5", "copy/two,0,7.0", "copy/two,1,7.5", "copy/two,2,7.2")
    assert shflbench("show", "run").out.splitlines()[4:] == [
        "  one      5.00         not verified",
        "  two      7.20 ± 0.25  not verified",
    ]


def test_times_and_speedups_without_intervals_are_shown_without_them(tmp_path: Path, shflbench: Command) -> None:
    change_rows(lay(tmp_path / "run"), **NO_INTERVAL)
    outcome = shflbench("show", "run", "--variant", "shfl")
    assert outcome.code == 0
    assert "20.0" in outcome.out
    assert "±" not in outcome.out


def test_no_variant_is_the_fastest_where_no_uncertainty_is_known(tmp_path: Path, shflbench: Command) -> None:
    run = lay(tmp_path / "run")
    before = shflbench("show", "run", "--best")
    assert (before.code, "shfl" in before.out) == (0, True)
    change_rows(run, **NO_INTERVAL)
    outcome = shflbench("show", "run", "--best")
    assert (outcome.code, outcome.out, outcome.err.splitlines()) == (
        3,
        "",
        [
            "error: none is the fastest: only safe variants of a pattern that were timed with an interval compete",
            "Leave out --best",
        ],
    )


def test_a_change_of_single_rounds_has_no_interval(tmp_path: Path, shflbench: Command) -> None:
    convert(shflbench, tmp_path, "base", "copy/one,0,5", "copy/two,0,7.0", "copy/two,1,7.5", "copy/two,2,7.2")
    convert(shflbench, tmp_path, "new", "copy/one,0,6", "copy/two,0,7.1")
    outcome = shflbench("compare", "base", "new", "--format", "json")
    (one, _) = json.loads(outcome.out)["verdicts"]
    assert (one["outcome"], one["reason"]) == ("suspected", "too-few-rounds")
    assert one["ratio"] == {"value": 1.2, "low": None, "high": None}
    assert (one["detectable"], one["sentence"]) == (None, "5.000 µs, now 6.000 µs: +20.0%")
    table = shflbench("compare", "base", "new", "--plot", "changes.svg").out
    (line,) = (line for line in table.splitlines() if " copy/one " in line)
    assert line.split()[-3:] == ["+0.000", "+20.0%", "2%"]
    assert "±" not in (tmp_path / "changes.svg").read_text().partition("+20.0%")[0][-200:]
