"""The code of a user's `pattern.py`, run by the command in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.patterns.new import write
from tests.conftest import Outcome

REPOSITORY = Path(__file__).parents[2]
SUITE = "schema: 1\nname: demo\nexperiments: [{pattern: ./ring, launch: 1x32, iterations: 1, dtypes: f32}]\n"
PATIENCE = 120.0  # seconds after which a test gives up on a machine that is busy


class Project:
    """A folder with a suite and the pattern `ring`, as `shflbench new` writes it."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.pattern = folder / "ring/pattern.py"
        write("ring", folder)
        (folder / "demo.yaml").write_text(SUITE, encoding="utf-8")

    def add(self, code: str) -> None:
        """Add code to the start of pattern.py."""
        text = self.pattern.read_text(encoding="utf-8")
        self.pattern.write_text(f"{code}\n{text}", encoding="utf-8")

    def start(self, *words: str) -> subprocess.Popen[str]:
        paths = [str(REPOSITORY), *filter(None, sys.path)]
        return subprocess.Popen(
            [sys.executable, "-m", "shflbench", *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SHFLBENCH_CACHE": str(self.cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *words: str) -> Outcome:
        process = self.start(*words)
        out, err = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        return Outcome(process.returncode, out, err)


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


@pytest.mark.parametrize("file", ["demo.yaml", "ring/pattern.py", "ring/kernels.cu"])
@pytest.mark.parametrize("command", [("run", "--device", "none"), ("check",), ("validate",)])
def test_a_fifo_is_refused_unread(project: Project, command: tuple[str, ...], file: str) -> None:
    path = project.folder / file
    path.unlink()
    os.mkfifo(path)
    outcome = project.call(command[0], "demo.yaml", *command[1:])
    assert (outcome.code, outcome.out) == (3, "")
    assert "is a FIFO" in outcome.err.splitlines()[0]


@pytest.mark.parametrize(
    ("suite", "kind"), [("/dev/zero", "a device"), ("/dev/null", "a device"), ("ring", "a directory")]
)
def test_a_device_or_a_directory_as_suite_is_refused(project: Project, suite: str, kind: str) -> None:
    outcome = project.call("run", suite, "--device", "none")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == f"error: {suite} is {kind}, not a file\nA suite is a text file in YAML\n"


def test_a_launch_that_yaml_reads_as_a_number_is_shown_as_it_is_written(project: Project) -> None:
    (project.folder / "demo.yaml").write_text(SUITE.replace("1x32", "0x400"), encoding="utf-8")
    outcome = project.call("run", "demo.yaml", "--device", "none")
    assert outcome.code == 3
    assert outcome.err == (
        "error: demo.yaml:3:41: found `0x400`, which is the number 1024; allowed: grid x block, such as `26x1024`, "
        "`sms x 128`, `2*sms x 256`, `sms/2 x 64` or `fill x 1024`\n"
    )


def test_an_unknown_suite_is_not_said_to_be_found(project: Project) -> None:
    outcome = project.call("run", "gtc2014", "--device", "none")
    assert outcome.code == 3
    assert outcome.err.startswith("error: unknown suite `gtc2014`; allowed: ")
    assert outcome.err.endswith("; did you mean `gtc2013`?\n`shflbench list suites` says what each of them measures\n")
