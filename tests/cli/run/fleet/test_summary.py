"""The first failure of each device of a fleet, and the exit code of its run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from shflbench.cli.console import Console
from shflbench.cli.run.fleet.summary import failure_sentences, summarize
from shflbench.errors import DeviceError, ResultsError, ShflbenchError
from shflbench.session.fleet.conclusion import MemberCounts

SOUND = MemberCounts(9)
FAILED = MemberCounts(9, 3, first="reduce/shfl/f32: illegal memory access")
OTHER = MemberCounts(9, 1, first="reduce/smem/f32: wrong result")


def test_devices_with_the_same_first_failure_share_a_sentence() -> None:
    counts = {"node7:0": FAILED, "node7:1": SOUND, "node7:2": replace(FAILED, bad=2), "node8:0": OTHER}
    assert list(failure_sentences(counts)) == [
        "node7:0, node7:2: reduce/shfl/f32: illegal memory access; up to 2 other cases failed, too",
        "node8:0: reduce/smem/f32: wrong result",
    ]


def test_many_devices_and_many_failures_are_counted() -> None:
    same = {f"node7:{number}": FAILED for number in range(5)}
    different = {f"node8:{number}": replace(OTHER, first=f"case {number}: failed") for number in range(4)}
    *_, last = sentences = list(failure_sentences(same | different))
    assert sentences[0] == f"node7:0, node7:1, node7:2 and 2 more: {FAILED.first}; 2 other cases failed, too"
    assert len(sentences) == 4
    assert last == "cases failed on 2 other GPUs, too: see the logs"


LOST, DIFFERS = DeviceError("no worker offered node7:0 again"), ResultsError("node7-0 cannot be resumed")


@pytest.mark.parametrize(
    ("is_complete", "errors", "missing", "code"),
    [
        (True, [], [], 0),
        (True, [LOST], [], 0),  # it came back, or others measured the rest
        (True, [], [LOST], 4),
        (False, [], [], 4),
        (False, [LOST, DIFFERS], [], 3),
        (False, [DIFFERS], [LOST], 3),
    ],
)
def test_exit_code_is_that_of_what_is_missing(
    *, is_complete: bool, errors: Sequence[ShflbenchError], missing: Sequence[ShflbenchError], code: int
) -> None:
    members = Mock(unassigned={}, is_complete=is_complete)
    members.folder.members, members.folder.path = {}, Path("out")
    members.conclusions.all.return_value = iter(())
    assert summarize(members, errors, missing, Console()) == code
