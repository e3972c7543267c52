import os
import time
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children

import pytest

from shflbench.processes import map_in_processes, run_in_processes


def wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def crash_on_zero(number: int) -> int:
    if not number:
        os._exit(1)
    return number


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert list(map_in_processes(wait, [0.2, 0, 0.1])) == [0.2, 0, 0.1]


def test_no_job_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("shflbench.processes.ProcessPoolExecutor")
    assert list(map_in_processes(wait, [])) == []


def test_job_that_crashes_says_so_and_ends_no_other_process() -> None:
    futures = dict(run_in_processes(crash_on_zero, [0]))
    with pytest.raises(BrokenProcessPool):
        futures[0].result()
    assert dict(run_in_processes(crash_on_zero, [7]))[0].result() == 7


def test_processes_end_when_nobody_waits_for_their_results_any_more() -> None:
    before = set(active_children())
    results = run_in_processes(wait, [0, 600])
    assert next(results)[0] == 0
    assert set(active_children()) - before
    results.close()
    deadline = time.monotonic() + 60
    while set(active_children()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(active_children()) <= before
