"""Disturbances in the samples of a device, in its log."""

from typing import Any
from unittest.mock import Mock

from shflbench.cli.run.fleet.watch import FleetWatch
from shflbench.core.model import Disturbance, Trouble
from shflbench.session import GroupDone
from shflbench.session.fleet.run import DeviceDone, FleetEvent


def test_log_has_a_line_per_kind_of_disturbance_when_the_run_has_ended() -> None:
    run = Mock(label="node:0", stopped=None)
    run.plan.suite.cases = ["a", "b", "c"]
    run.plan.suite.rules.precision = 0.005
    log = Mock()
    members = Mock(runs=[run], logs=[log], refused=[])
    watch = FleetWatch(members, Mock(), Mock())
    for case, size in (("a", 0.02), ("b", 0.03), ("c", 0.001)):
        row: Any = Mock(case_id=case, status="timed")
        trouble = Trouble(Disturbance.DRIFT, size, f"drifted by {size:.0%}", "let it cool")
        watch.show(FleetEvent(0, GroupDone((row,), {case: (trouble,)})))
    watch.show(FleetEvent(0, DeviceDone()))
    lines = [line for call in log.write.call_args_list for line in call.args]
    assert lines == [
        "noise: the times of 2 cases drifted by up to 3%, worst in b; let it cool",
        "done, 3 of 3 cases",
    ]
