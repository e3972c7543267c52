import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Case, Status
from shflbench.store import read_run
from tests.cli.gate.runs import SHFL, command, lay, process, put_rows, unread, without
from tests.conftest import Command
from tests.fakes.runs import measured, untimed, write_run

NEVER = {"cupy", "cuda", "pynvml", "matplotlib", "ruamel", "rich"}
LOADED = """\
import sys
from shflbench.cli.main import main
code = main(sys.argv[1:])
print(code, *sys.modules)
"""


def test_report_says_what_changed_and_how_it_was_judged(shflbench: Command, tmp_path: Path) -> None:
    """Two runs of one process each, as an early shflbench left them: without sentinels."""
    for name, factor in (("base", 1.0), ("new", 1.2)):

        def slowdown(case: Case, factor: float = factor) -> float:
            return factor if case.variant == "shfl" else 1.0

        rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], noise=1e-9, slowdown=slowdown)
        write_run(tmp_path / name, [replace(row, rounds=None) for row in rows], samples)
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert outcome.err.startswith("warning: ")
    assert "sentinels" in outcome.err
    report, ground = outcome.out.split("what could have been missed: ")
    assert (
        report
        == """\
base: base: NVIDIA H200, driver 580.159, NVRTC 13.0.48, commit 0123456, 1 run, 1 process per case
new:  new: NVIDIA H200, driver 580.159, NVRTC 13.0.48, commit 0123456, 1 run, 1 process per case

base, new: as measured (time_us in results.csv)
correction: the mean of the fastest half of the samples replaces their median
judged change: new - base + correction, in percent of the corrected base, with an interval that holds for all cases \
together with 99% probability

verdict  case                            base µs  new µs  correction µs  judged change             threshold
slower   neighbor/shfl/f32/26x1024/4096  70.02    84.00   +0.03          +20.0% (+19.3 to +20.7%)  2%

5 cases are the same: they changed by less than the threshold of 2%
"""
    )
    assert ground.startswith("in each of these cases, a slowdown of 6.19% or more ")
    assert "\ntested: 6 cases; 1 process per side; smallest change that matters (threshold): 2%; " in ground
    assert ground.endswith("\n1 slower of 6 cases\n")


def loaded(cwd: Path, *words: str) -> tuple[str, set[str]]:
    """Return exit code and top-level modules of a process that ran the command."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=cwd, capture_output=True, text=True, check=True, timeout=60
    )
    code, *modules = ran.stdout.splitlines()[-1].split()
    return code, {name.partition(".")[0] for name in modules}


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code, modules = loaded(tmp_path, "compare", "--help")
    assert (code, modules & {"numpy", "pandas", "pydantic", *NEVER}) == ("0", set())


def test_comparing_imports_nothing_that_runs_kernels_draws_or_checks_suites(tmp_path: Path) -> None:
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})
    code, modules = loaded(tmp_path, "compare", "base", "new")
    assert (code, modules & NEVER) == ("1", set())


def times(factor: float, **changes: object) -> Callable[[Path], None]:
    """Let one case take so many times as long on the new side."""

    def both(folder: Path) -> None:
        lay(folder / "base", **changes)
        lay(folder / "new", **{"seed": 2, "factors": {SHFL: factor}, **changes})

    return both


def lost(folder: Path) -> None:
    lay(folder / "base")
    lay(folder / "new", seed=2, cases=without(SHFL))


def added(folder: Path) -> None:
    lay(folder / "base", cases=without(SHFL))
    lay(folder / "new", seed=2)


def untimed_on(side: str, status: Status) -> Callable[[Path], None]:
    """Let a side not have timed one case."""

    def both(folder: Path) -> None:
        times(1.0)(folder)
        found = read_run(folder / side).rows
        put_rows(folder / side, [untimed(row, status, "it stopped") if row.case_id == SHFL else row for row in found])

    return both


VERDICTS = [  # outcome, reason, what the user did, exit code, exit code with --strict
    ("slower", "beyond-threshold", times(1.1), 1, 1),
    ("faster", "beyond-threshold", times(0.9), 0, 0),
    ("same", "within-threshold", times(1.0), 0, 0),
    ("suspected", "few-processes", times(1.04, processes=1), 0, 6),
    ("suspected", "too-few-rounds", times(1.1, rounds=2), 0, 6),
    ("inconclusive", "too-few-rounds", times(1.0, rounds=2), 0, 6),
    ("missing", "not-in-new", lost, 1, 1),
    ("new", "not-in-base", added, 0, 0),
    ("failed", "case-failed", untimed_on("new", Status.FAILED), 1, 1),
    ("failed", "incorrect-result", untimed_on("new", Status.INCORRECT), 1, 1),
    ("not-comparable", "base-not-timed", untimed_on("base", Status.SKIPPED), 0, 6),
]
IDS = [f"{outcome}, {reason}" for outcome, reason, *_ in VERDICTS]


@pytest.mark.parametrize(("outcome", "reason", "sides", "code", "strict"), VERDICTS, ids=IDS)
def test_verdict_decides_the_exit_code(
    tmp_path: Path, shflbench: Command, outcome: str, reason: str, sides: Callable[[Path], None], code: int, strict: int
) -> None:
    sides(tmp_path)
    ended = shflbench("compare", "base", "new", "--format", "json")
    report = json.loads(ended.out)
    (verdict,) = [each for each in report["verdicts"] if each["case_id"] == SHFL]
    assert (verdict["outcome"], verdict["reason"]) == (outcome, reason)
    assert (ended.code, report["exit_code"], report["exit_code_strict"]) == (code, code, strict)
    assert shflbench("compare", "base", "new", "--strict").code == strict


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("sides", "flags", "code"),
    [
        pytest.param(times(1.1), (), 1, id="slower"),
        pytest.param(times(1.0), ("--strict",), 0, id="same"),
        pytest.param(times(1.1, rounds=2), ("--strict",), 6, id="suspected"),
    ],
)
def test_exit_code_is_that_of_the_process(
    tmp_path: Path, sides: Callable[[Path], None], flags: tuple[str, ...], code: int
) -> None:
    sides(tmp_path)
    ended = process("compare", "base", "new", "--format", "json", *flags, cwd=tmp_path)
    report = json.loads(ended.out)
    assert ended.code == report["exit_code_strict" if flags else "exit_code"] == code
    assert "Traceback" not in ended.err


def test_finding_outweighs_doubt(tmp_path: Path, shflbench: Command) -> None:
    times(1.1)(tmp_path)
    doubtful = ("--threshold", "0.01%", "--threshold", f"{SHFL}=1%")
    ended = shflbench("compare", "base", "new", "--strict", *doubtful)
    assert ended.code == 1
    assert ended.out.endswith("1 slower, 3 inconclusive of 4 cases\n")


def test_wrong_usage_is_neither_a_finding_nor_bad_input(shflbench: Command) -> None:
    ended = shflbench("compare", "base", "--threshold", "5")
    assert (ended.code, ended.out) == (2, "")


def test_sides_that_cannot_be_compared_are_bad_input(tmp_path: Path, shflbench: Command) -> None:
    lay(tmp_path / "base")
    lay(tmp_path / "new", suite="quick")
    ended = shflbench("compare", "base", "new")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == (
        "error: base and new cannot be compared: the suites differ (gtc2013, quick)\n"
        "Compare runs of one suite on one model of GPU, or use --across for a report without verdicts\n"
    )


def test_ctrl_c_ends_it_with_130(tmp_path: Path) -> None:
    times(1.0)(tmp_path)
    os.mkfifo(tmp_path / "pipe")  # without a reader, so that the command waits
    compare = subprocess.Popen(
        command("compare", "base", "new", "--also", "table=pipe"),
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert compare.stdout is not None
    assert compare.stdout.readline().startswith("base: base: ")
    compare.send_signal(signal.SIGINT)
    _, err = compare.communicate(timeout=30)
    assert (compare.returncode, err) == (130, "\nerror: interrupted\n")


def test_reader_that_goes_away_ends_it_with_141(tmp_path: Path) -> None:
    times(1.1)(tmp_path)
    assert unread("compare", "base", "new", cwd=tmp_path) == (141, "")
