"""A plugin of pytest: no test starts after `--seconds`; the summary says how many did not."""

from __future__ import annotations

from time import time
from typing import Any

import pytest

START = "quick_start"  # for worker processes, which start later


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--seconds", type=float, required=True, help="start no test after this time")


def pytest_configure(config: pytest.Config) -> None:
    """Count the reports of this process, or take over the time at which the first process started."""
    config.pluginmanager.register(_Limit(config), "time limit")


class _Limit:
    def __init__(self, config: pytest.Config) -> None:
        given = getattr(config, "workerinput", {})
        self.start: float = given.get(START, time())
        self.end = self.start + config.getoption("--seconds")
        self.collected, self.done = set[str](), set[str]()

    @pytest.hookimpl(optionalhook=True)  # there is none without pytest-xdist
    def pytest_configure_node(self, node: Any) -> None:  # noqa: ANN401  (xdist has no types)
        """Tell a worker process of xdist when the first process started."""
        node.workerinput[START] = self.start

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Keep what a worker process of xdist collected."""
        self.collected.update(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Leave out a test when the time is over."""
        return True if time() > self.end else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test that ran."""
        self.done.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many tests did not start."""
        if left := len(self.collected - self.done):
            terminalreporter.write_line(f"{left} of {len(self.collected)} tests did not start in time: run `make test`")
