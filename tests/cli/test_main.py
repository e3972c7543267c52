import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from shflbench import __version__
from shflbench.errors import CompileError, DeviceError, SuiteError
from tests.cli.gate.runs import unread
from tests.conftest import Command


def failing_with(error: BaseException) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail


@pytest.fixture
def fail_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make `shflbench schema suite` raise."""
    return lambda error: monkeypatch.setattr("shflbench.suite.json_schema", failing_with(error))


@pytest.mark.parametrize(
    ("error", "code", "printed"),
    [
        (SuiteError("a.yaml:3:5: no", "say yes"), 3, "error: a.yaml:3:5: no\nSay yes\n"),
        (DeviceError("there is no GPU"), 4, "error: there is no GPU\n"),
        (CompileError("line 7: no such type.", "fix it."), 5, "error: line 7: no such type\nFix it\n"),
        (KeyboardInterrupt(), 130, "\nerror: interrupted\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "results.csv"),
            3,
            """\
error: results.csv: no space left on device
Check the path, its permissions and the space left on its disk
""",
        ),
        (
            ZeroDivisionError("division by zero"),
            70,
            """\
error: shflbench itself failed: ZeroDivisionError: division by zero
Please report this, with the output of the same command and --debug
""",
        ),
    ],
)
def test_every_error_is_a_sentence_and_an_exit_code(
    shflbench: Command, fail_with: Callable[[BaseException], None], error: BaseException, code: int, printed: str
) -> None:
    fail_with(error)
    outcome = shflbench("schema", "suite")
    assert (outcome.code, outcome.out, outcome.err) == (code, "", printed)


def test_debug_shows_the_traceback_before_the_sentence(
    shflbench: Command, fail_with: Callable[[BaseException], None]
) -> None:
    fail_with(SuiteError("a.yaml:3:5: no"))
    lines = shflbench("--debug", "schema", "suite").err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "error: a.yaml:3:5: no"


def test_unknown_command_suggests_the_nearest_one(shflbench: Command) -> None:
    outcome = shflbench("comapre", "a", "b")
    assert outcome.code == 2
    assert outcome.err == (
        "error: there is no command `comapre`; did you mean `compare`?\nFor usage, run: shflbench --help\n"
    )


def test_unknown_command_without_a_near_one_lists_all(shflbench: Command) -> None:
    outcome = shflbench("xyzzy")
    assert outcome.code == 2
    assert outcome.err == (
        "error: there is no command `xyzzy`; commands: bench, run, show, plot, tune, list, doctor, calibrate, advise, "
        "report, limits, prices, inspect, claims, compare, gate, baseline, history, noise, fleet, convert, check, "
        "judge, challenge, new, validate, schema, mcp, completion\nFor usage, run: shflbench --help\n"
    )


def test_wrong_usage_points_to_the_help_of_the_command(shflbench: Command) -> None:
    outcome = shflbench("plot")
    assert outcome.code == 2
    assert outcome.err == "error: Missing argument 'RESULTS...'\nFor usage, run: shflbench plot --help\n"


def test_no_command_prints_the_help_and_counts_as_wrong_usage(shflbench: Command) -> None:
    outcome = shflbench()
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == shflbench("--help").out


def test_version_is_the_package_s(shflbench: Command) -> None:
    assert shflbench("--version").out == f"shflbench {__version__}\n"


@pytest.mark.parametrize("word", ["schema", "--help", "--version"])
def test_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path, word: str) -> None:
    assert unread(word, cwd=tmp_path) == (141, "")


def test_reader_of_stderr_that_goes_away_ends_the_command_likewise() -> None:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = subprocess.Popen([sys.executable, "-m", "shflbench", "nonsense"], stderr=subprocess.PIPE, env=buffered)
    assert command.stderr is not None
    command.stderr.close()
    assert command.wait() == 141


def test_option_without_its_value_points_to_the_help_of_the_command(shflbench: Command) -> None:
    outcome = shflbench("run", "quick", "--device")
    assert outcome.code == 2
    assert outcome.err == "error: Option '--device' requires an argument\nFor usage, run: shflbench run --help\n"


def test_missing_choice_is_named_in_one_line(shflbench: Command) -> None:
    outcome = shflbench("completion")
    assert outcome.code == 2
    assert outcome.err.splitlines()[0].endswith("Choose from: bash, zsh, fish")
