"""What a worker tells survives the way to its parent."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from shflbench.measure.messages import (
    KINDS,
    BurstTaken,
    Doing,
    Ended,
    JobDone,
    Lost,
    Message,
    Opened,
    Placed,
    Refused,
    Remark,
    Round,
    Settled,
    Unwatched,
    Verified,
    Warm,
    decode,
    encode,
)
from shflbench.model import Conditions, Proof, Sample, Status
from tests.fakes.runs import H200

BURST = BurstTaken("a/b", 4096, 8, 1.25, (69.536, 69.568), 1980.0, dropped=False)
MESSAGES: tuple[Message, ...] = (
    Opened("cuda", H200, ""),
    Refused("no usable GPU: “lost”\n", "See `shflbench doctor`."),
    Warm(steady=True, clock_mhz=None),
    Doing("a/b", "verifying"),
    Placed("a/b", 26, None),
    Verified("a/b", Proof(7, 8, (1, 51), "26x1024", "after 1 iteration …")),
    Ended("a/b", Status.FAILED, "illegal memory access"),
    Round(3, 12, (BURST,), Conditions(1980, 40, 250.5, ("power brake",))),
    Settled("a/b", "precision"),
    Remark("NVML stopped answering"),
    Unwatched("sentinel/l2", "it did not end within 2 s"),
    Lost(),
    JobDone(),
)


def test_every_kind_of_message_is_tried_here() -> None:
    assert {type(message) for message in MESSAGES} == set(get_args(Message)) == set(KINDS.values())


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_message_is_one_line_that_reads_back_as_what_it_was(message: Message) -> None:
    line = encode(message)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert decode(line) == message


@pytest.mark.parametrize(
    "line", ["", "rubbish", "[]", "{}", '{"Nonsense":{}}', '{"Lost":{},"JobDone":{}}', '{"Ended":{"case_id":"a"}}']
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"not a message|Expecting value|validation error"):
        decode(line)


def test_samples_of_a_round_are_numbered_within_their_bursts() -> None:
    half = BurstTaken("a/b", 2048, 8, 1.5, (40.0,), None, dropped=True)
    taken = Round(3, 12, (BURST, half), Conditions()).samples()
    assert taken == [
        Sample("a/b", 3, 12, 0, 4096, 8, 69.536, 1980.0, dropped=False, seconds=1.25),
        Sample("a/b", 3, 12, 1, 4096, 8, 69.568, 1980.0, dropped=False, seconds=1.25),
        Sample("a/b", 3, 12, 0, 2048, 8, 40.0, None, dropped=True, seconds=1.5),
    ]


def test_time_travels_without_being_rounded() -> None:
    third = 100 / 3
    line = encode(Round(0, 0, (BurstTaken("a/b", 1, 1, third, (third,), third, dropped=False),), Conditions()))
    (burst,) = json.loads(line)["Round"]["bursts"]
    assert (burst["seconds"], burst["times_us"]) == (third, [third])
