"""The code of a user's `pattern.py`, run by the command in a process of its own."""

import json
import signal
from pathlib import Path

import pytest

from tests.fakes.project import PATIENCE, Project


@pytest.fixture
def project(tmp_path: Path, kernel_cache: Path) -> Project:
    return Project(tmp_path, kernel_cache)


PRINTS = "import os; print('printed'); os.write(1, b'written\\n'); os.system('echo from a child process')"


def test_what_pattern_py_prints_goes_to_stderr(project: Project) -> None:
    project.add(PRINTS)
    outcome = project.call("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (0, "demo.yaml: 2 cases\n")
    assert sorted(outcome.err.splitlines()) == ["from a child process", "printed", "written"]


def test_functions_that_print_leave_the_json_of_check_and_the_folder_of_run_alone(project: Project) -> None:
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
def test_whatever_pattern_py_raises_is_one_sentence(project: Project, code: str, reason: str) -> None:
    project.add(code)
    outcome = project.call("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        f"error: demo.yaml:3:25: the pattern `./ring` cannot be used: {project.pattern} cannot be imported: "
        f"line 1: {reason}\nFix the file; `python {project.pattern}` shows the whole traceback\n"
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


def test_an_import_that_takes_long_names_its_file_and_goes_on(project: Project) -> None:
    project.add("import time; time.sleep(6)")
    outcome = project.call("validate", "demo.yaml")
    assert (outcome.code, outcome.out) == (0, "demo.yaml: 2 cases\n")
    assert outcome.err == f"warning: importing {project.pattern} has taken 5 s so far; Ctrl-C stops it\n"
