"""Compile and check in this process: for tests of the results, to which a process for each core adds nothing."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

import pytest

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class InProcessExecutor:
    """Stands in for ProcessPoolExecutor: runs each job when it is submitted."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(
        self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  (whatever it is, the caller of `future.result` gets it)
            future.set_exception(error)
        return future

    def shutdown(self, **_: object) -> None:
        pass


def start_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.processes.ProcessPoolExecutor", InProcessExecutor)
