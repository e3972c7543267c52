import os
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.processes import CANNOT_START, JobProcess, bound_to_parent, map_in_processes, run_in_processes

MORE_THAN_A_PIPE_HOLDS = 1 << 24


def wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def crash_on_zero(number: int) -> int:
    if not number:
        os._exit(1)
    return number


def divide(number: int) -> float:
    return 1 / number


def process_id(_: int) -> int:
    return os.getpid()


def zeros(size: int) -> bytes:
    return bytes(size)


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert list(map_in_processes(wait, [0.2, 0, 0.1])) == [0.2, 0, 0.1]


def test_at_most_the_given_number_of_processes_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert len(set(map_in_processes(process_id, [0, 1, 2], 1))) == 1


def test_no_job_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("shflbench.core.processes.JobProcess")
    assert list(map_in_processes(wait, [])) == []


def test_job_that_crashes_says_so_and_the_others_finish() -> None:
    futures = dict(run_in_processes(crash_on_zero, [*range(8), 0]))
    assert sorted(index for index, future in futures.items() if not future.exception()) == [*range(1, 8)]
    for index in (0, 8):
        with pytest.raises(BrokenProcessPool):
            futures[index].result()


def test_error_of_a_job_names_the_lines_that_raised_it() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        list(map_in_processes(divide, [0]))
    assert "return 1 / number" in error.value.__notes__[0]


def test_process_that_is_killed_while_it_sends_its_result_is_not_waited_for() -> None:
    worker = JobProcess(zeros, 0)
    jobs = [MORE_THAN_A_PIPE_HOLDS]
    assert worker.receive(jobs) is None  # it asked for the job
    connection.wait([worker.pipe])  # it has begun to send
    worker.process.kill()
    worker.process.wait()
    future = worker.receive(jobs)
    worker.end()
    assert future is not None
    with pytest.raises(BrokenProcessPool):
        future.result()


def test_processes_end_when_nobody_waits_for_their_results_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(*arguments: Any) -> JobProcess:
        started.append(JobProcess(*arguments))
        return started[-1]

    monkeypatch.setattr("shflbench.core.processes.JobProcess", start)
    results = run_in_processes(wait, [0, 600])
    assert next(results)[0] == 0
    assert any(worker.process.poll() is None for worker in started)
    results.close()
    assert all(worker.process.returncode is not None for worker in started)


@pytest.mark.parametrize(
    "interruption",
    [
        pytest.param("start = subprocess.Popen; subprocess.Popen = lambda *a, **k: start(*a, **k) and sys.exit(3)"),
        pytest.param("Connection.send = lambda *_: sys.exit(3)"),
        pytest.param("Connection.send = lambda *_: os._exit(3)"),
    ],
    ids=["while the process starts", "while its function is sent", "by the end of its parent"],
)
def test_process_whose_start_is_interrupted_ends_without_a_word(interruption: str) -> None:
    script = (
        "import os, subprocess, sys; from multiprocessing.connection import Connection\n"
        "from shflbench.core.processes import JobProcess\n"
        f"{interruption}\nJobProcess(abs, 0)"
    )
    # It returns when nobody has its stderr open, the process neither.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_program_ends_with_the_process_that_started_it() -> None:
    script = (
        "import subprocess; from shflbench.core.processes import bound_to_parent\n"
        "subprocess.run(bound_to_parent(['/bin/sh', '-c', 'echo $$; exec sleep 600']))"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    program = Path("/proc") / parent.stdout.readline().strip()
    assert program.is_dir()
    parent.kill()
    parent.communicate()  # until nobody has its stdout open, the program neither
    deadline = time.monotonic() + 10
    while program.is_dir():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_program_that_does_not_start_has_a_status_of_its_own(tmp_path: Path) -> None:
    run = subprocess.run(bound_to_parent([str(tmp_path / "gone")]), capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (CANNOT_START, "No such file or directory")
    assert subprocess.run(bound_to_parent(["/bin/sh", "-c", "exit 3"]), check=False).returncode == 3


def test_program_does_not_run_again_in_its_processes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "print('once', flush=True)\n"
        "from operator import neg\nfrom shflbench.core.processes import map_in_processes\n"
        "print(list(map_in_processes(neg, [1, 2])))\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["once", "[-1, -2]"], done.stderr
