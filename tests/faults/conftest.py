"""The real `shflbench run` on a scripted GPU on which things go wrong, in a process of its own or in that of the test.

Worker processes are real in both.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from shflbench.core.model import Sample, Status
from shflbench.store import Row, read_run
from shflbench.store.samples import read as read_samples
from tests.conftest import Outcome
from tests.fakes import commands
from tests.fakes.device import CONTINUE, Plan
from tests.fakes.machine import install

REPOSITORY = Path(__file__).parents[2]
SUITE = """\
schema: 1
name: faults
title: Everything that goes wrong
defaults: {launch: 2x64, iterations: 256, dtypes: f32}
measure: {min_seconds: 0.001, precision: 5%, timeout: TIMEOUT}
experiments:
  - pattern: neighbor
    variants: [smem, smem-double, smem-syncwarp, smem-unsafe, smem-deck, shfl]
  - pattern: reduce
    variants: [smem, smem-double, shfl]
"""
CASES = 9
RECORDED = REPOSITORY / "results" / "quick" / "nvidia-h200"
PYTHONPATH = os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])
PATIENCE = 120.0  # seconds after which a test gives up on a machine that is busy


@dataclass(frozen=True)
class Machine:
    """A folder with a suite, and a scripted GPU, unless `module` is `shflbench` itself."""

    folder: Path
    cache: Path
    plan: Mapping[str, Any]
    mark: str = field(default_factory=lambda: uuid4().hex)  # in the environment of every process that it starts
    module: str = "tests.fakes.machine"
    grace: float = 2.0  # seconds after the end of a run in which all of its processes must be gone
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *words: str, command: str = "run", **options: Any) -> subprocess.Popen[str]:
        """Start `shflbench run`, or another command."""
        process = subprocess.Popen(
            [sys.executable, "-m", self.module, command, *words],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            text=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )
        self.started.append(process)
        return process

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PYTHONPATH": PYTHONPATH,
            "SHFLBENCH_CACHE": str(self.cache),
            "FAKE_MACHINE": json.dumps({"log": str(self.log), **self.plan}),
            "FAKE_MACHINE_MARK": self.mark,
        }

    def end(self, process: subprocess.Popen[str]) -> Outcome:
        """Wait for the end of a run, however it ends, and check what holds for all of them."""
        out, err = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in out + err
        self.wait_until(lambda: not self.processes(), seconds=self.grace)
        return Outcome(process.returncode, out, err)

    def run(self, *words: str, **options: Any) -> Outcome:
        """Run `shflbench run`, or another command, to its end."""
        return self.end(self.start(*words, **options))

    def call(self, *words: str, command: str = "run") -> Outcome:
        """Run a command to its end in the process of the test, which saves the start of Python."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["shflbench", command, *words])
            install(Plan.read(), patch.setattr)
            outcome = Outcome(*commands.call([command, *words]))
        assert "Traceback" not in outcome.out + outcome.err
        self.wait_until(lambda: not self.processes(), seconds=self.grace)
        return outcome

    def end_wait(self) -> None:
        """Let a worker continue that waits."""
        (self.folder / CONTINUE).touch()

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def wait_for(self, happening: str, already: int = 0) -> None:
        """Wait until a fault is about to happen, which happened `already` so many times."""
        self.wait_until(lambda: self.happened().count(happening) > already)

    def wait_for_text(self, process: subprocess.Popen[str], text: str) -> None:
        """Wait until a run has printed `text` to stderr, of which the outcome then lacks what was printed so far."""
        assert process.stderr
        pipe, printed = process.stderr.fileno(), bytearray()
        os.set_blocking(pipe, False)

        def is_printed() -> bool:
            with suppress(BlockingIOError):
                printed.extend(os.read(pipe, 1 << 16))
            return text.encode() in printed

        self.wait_until(is_printed)

    def wait_until(self, met: Callable[[], object], seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not met():
            assert time.monotonic() < deadline, self.processes()
            time.sleep(0.01)

    def happened(self) -> str:
        """Return a line for each worker process that was started, and for each fault."""
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def clear(self) -> None:
        """End what a test that failed left behind."""
        for process in self.started:
            process.kill()
            process.communicate()

    def processes(self) -> list[str]:
        """Return the command lines of all processes that were started here, and live."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text(encoding="utf-8").replace("\0", " "))
            except OSError:  # it ended meanwhile, or is somebody else's
                continue
        return found

    def all_rows(self, run: str = "out") -> tuple[Row, ...]:
        """Return the rows on disk."""
        return read_run(self.folder / run).rows

    def rows(self, run: str = "out") -> dict[str, Row]:
        """Return the rows on disk by `pattern/variant`, of a suite with one case of each."""
        return {f"{row.pattern}/{row.variant}": row for row in self.all_rows(run)}

    def samples(self, run: str = "out") -> Sequence[Sample]:
        """Return the samples on disk."""
        return read_samples(self.folder / run / "samples.csv.gz")

    def processes_of(self, name: str, run: str = "out") -> set[int]:
        """Return the numbers of the processes that a case's samples are from."""
        return {sample.process for sample in self.samples(run) if sample.case_id.startswith(f"{name}/")}

    def notes(self, run: str = "out") -> tuple[str, ...]:
        return read_run(self.folder / run).info.notes

    def failures(self, run: str = "out") -> dict[str, str]:
        """Return the reason of each failed row; every other row must have been timed."""
        rows = self.rows(run)
        assert {row.status for row in rows.values()} <= {Status.TIMED, Status.FAILED}
        assert all((row.time_us is None) == (row.status is Status.FAILED) for row in rows.values())
        return {name: row.reason or "" for name, row in rows.items() if row.status is Status.FAILED}


def shflbench(folder: Path, *words: str, module: str = "shflbench", **options: Any) -> Outcome:
    """Run any command in `folder`, in a process of its own and without a GPU."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )
    assert "Traceback" not in done.stderr
    return Outcome(done.returncode, done.stdout, done.stderr)


def shflbench_commands(folder: Path, *typed: Sequence[str]) -> list[Outcome]:
    """Run several commands in `folder`, all in the same new process."""
    environment = {**os.environ, "PYTHONPATH": PYTHONPATH}
    done = shflbench(folder, json.dumps(typed), module="tests.fakes.commands", env=environment)
    return [Outcome(*outcome) for outcome in json.loads(done.out)]


def machine(
    folder: Path, cache: Path, faults: Sequence[Mapping[str, Any]] = (), timeout: float = PATIENCE, **plan: Any
) -> Machine:
    """Return a machine in `folder` on which these faults happen, with a suite of this timeout in seconds."""
    (folder / "suite.yaml").write_text(SUITE.replace("TIMEOUT", f"{timeout:g}"), encoding="utf-8")
    return Machine(folder, cache, {"faults": list(faults), **plan})


Make = Callable[..., Machine]  # a machine with these faults
Start = Callable[..., Outcome]  # Machine.run or Machine.call
End = Callable[[subprocess.Popen[str]], None]  # what somebody does to a run


@pytest.fixture
def make(tmp_path: Path, kernel_cache: Path) -> Iterator[Make]:
    """Make a machine with the faults of a test."""
    made: list[Machine] = []

    def one(*faults: Mapping[str, Any], cache: Path = kernel_cache, **plan: Any) -> Machine:
        made.append(machine(tmp_path, cache, faults, **plan))
        return made[-1]

    yield one
    for each in made:
        each.clear()


def fault(where: str, step: str, kind: str, number: int | None = None, worker: int | None = None) -> dict[str, Any]:
    return {"where": where, "step": step, "kind": kind, "number": number, "worker": worker}
