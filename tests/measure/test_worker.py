"""The worker process: jobs in, events out, and an end with its parent."""

import os
import subprocess
import sys
from pathlib import Path

from shflbench.measure.events import JobEvent, Opened, OpenFailed, decode

REPOSITORY = Path(__file__).parents[2]
MACHINE = "tests.fakes.device:open_backend"


def run_worker(parent: int, script: str = "{}", jobs: str = "") -> tuple[int, list[JobEvent], str]:
    """Run a worker process until it ends; return its exit code, its events, and what it printed."""
    read_end, write_end = os.pipe()
    command = [sys.executable, "-m", "shflbench.measure.worker", MACHINE, "0", str(write_end), str(parent)]
    process = subprocess.run(
        command,
        cwd=REPOSITORY,
        env={**os.environ, "FAKE_MACHINE": script},
        input=jobs,
        capture_output=True,
        text=True,
        pass_fds=[write_end],
        timeout=60,
        check=False,
    )
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as pipe:
        return process.returncode, list(map(decode, pipe)), process.stdout + process.stderr


def test_worker_reports_that_the_device_is_open_and_ends_with_its_jobs() -> None:
    code, (opened,), printed = run_worker(os.getpid())
    assert (code, printed) == (0, "")
    assert isinstance(opened, Opened)
    assert opened.device.name == "NVIDIA H200"


def test_worker_that_cannot_open_the_device_reports_why() -> None:
    script = '{"faults": [{"where": "device", "step": "open", "kind": "refused"}]}'
    code, events, printed = run_worker(os.getpid(), script)
    assert (code, printed) == (0, "")
    assert events == [OpenFailed("no usable GPU: GPU is lost", "See `shflbench doctor`.")]


def test_worker_without_a_parent_opens_nothing() -> None:
    assert run_worker(parent=1) == (1, [], "")


def test_worker_starts_without_pydantic() -> None:
    code = "import sys, shflbench.measure.worker; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"
