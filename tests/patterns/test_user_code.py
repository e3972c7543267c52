"""The code of a user's `pattern.py`, run by the real command, mostly in a process of its own."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from shflbench.patterns.user_code import run_user_code
from tests.conftest import Command
from tests.fakes.project import PATIENCE, Project


@pytest.fixture
def project(tmp_path: Path, kernel_cache: Path) -> Project:
    return Project(tmp_path, kernel_cache)


PRINTS = "import os; print('printed'); os.write(1, b'written\\n'); os.system('echo from a child process')"


def test_output_of_pattern_py_goes_to_stderr(project: Project) -> None:
    project.add(PRINTS)
    outcome = project.call("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (0, "demo.yaml: 2 cases\n")
    assert sorted(outcome.err.splitlines()) == ["from a child process", "printed", "written"]


@pytest.mark.archs
def test_functions_that_print_do_not_change_the_stdout_of_check_and_run(project: Project) -> None:
    project.add(f"{PRINTS}\nfrom shflbench.patterns.data import distinct")
    project.add("def inputs(rng, at):\n    print('drawing')\n    return distinct(rng, at.dtype, at.threads)\n")
    run = project.call("run", "demo.yaml", "--device", "emulator", "--output", "out")
    assert (run.code, run.out) == (0, "out\n")
    check = project.call("check", "demo.yaml", "--format", "json")
    assert (check.code, len(json.loads(check.out)["kernels"])) == (0, 2)
    assert "drawing" in check.err


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("raise BaseException('stop here')", "BaseException: stop here"),
    ],
)
def test_any_exception_of_pattern_py_is_reported_in_one_sentence(
    project: Project, shflbench: Command, code: str, reason: str
) -> None:
    project.add(code)
    outcome = shflbench("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == sentence(project.pattern, reason)


def test_a_pattern_py_that_exits_does_not_end_the_process(project: Project) -> None:
    project.add("raise SystemExit(0)")
    outcome = project.call("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == sentence(project.pattern, "SystemExit: 0")


def sentence(pattern: Path, reason: str) -> str:
    """Return what is said of an exception in line 1."""
    return (
        f"error: demo.yaml:3:25: the pattern `./ring` cannot be used: {pattern} cannot be imported: "
        f"line 1: {reason}\nFix the file; `python {pattern}` shows the whole traceback\n"
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("catches", [False, True])
def test_a_signal_ends_a_slow_import(project: Project, number: int, code: int, *, catches: bool) -> None:
    nap = "print('importing', flush=True); time.sleep(60)"
    project.add(f"import time\ntry:\n    {nap}\nexcept BaseException:\n    pass" if catches else f"import time; {nap}")
    process = project.start("validate", "demo.yaml")
    assert process.stderr
    assert process.stderr.readline() == "importing\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (code, "")
    assert err.splitlines()[-1] == f"error: {'interrupted' if number == signal.SIGINT else 'terminated'}"


PATIENT_FOR = """
from shflbench.cli.main import entry
from shflbench.patterns import discover

discover.SLOW_SECONDS = {}
entry()
"""
PYTHON = [  # how the command is started, and after how many seconds it warns
    (("-c", PATIENT_FOR.format(0.2)), 0.2),
    pytest.param(("-m", "shflbench"), 5, marks=pytest.mark.archs),
]


@pytest.mark.parametrize(("python", "seconds"), PYTHON)
def test_a_slow_import_continues_and_a_warning_names_its_file(
    project: Project, python: tuple[str, str], seconds: float
) -> None:
    project.add("import threading, time\nwhile threading.active_count() > 1: time.sleep(0.01)")  # until it has warned
    outcome = project.call("validate", "demo.yaml", python=python)
    assert (outcome.code, outcome.out) == (0, "demo.yaml: 2 cases\n")
    assert outcome.err == f"warning: importing {project.pattern} has taken {seconds} s so far; Ctrl-C stops it\n"


def test_threads_that_run_user_code_at_the_same_time_leave_stdout_as_it_was() -> None:
    program = """
import sys, threading
from pathlib import Path
from shflbench.patterns.user_code import run_user_code

def several():
    for _ in range(100):
        with run_user_code(Path("pattern.py")):
            sum(range(50))

sys.setswitchinterval(0.0001)
threads = [threading.Thread(target=several) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("data")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr) == ("data\n", "")


@pytest.mark.parametrize("catches", [False, True])
def test_the_handler_of_a_signal_is_called_once(*, catches: bool) -> None:
    calls: list[int] = []

    def handle(number: int, _: object) -> None:
        calls.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        with (
            pytest.raises(KeyboardInterrupt),
            run_user_code(Path("pattern.py")),
            suppress(*[KeyboardInterrupt] if catches else []),
        ):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert calls == [signal.SIGTERM]
