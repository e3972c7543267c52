"""Events are the same after encoding and decoding."""

import json
from typing import get_args

import pytest

from shflbench.core.model import Conditions, Proof, Sample, Status
from shflbench.measure.events import (
    KINDS,
    BurstTaken,
    CaseFailed,
    ContextLost,
    Converged,
    GridResolved,
    ImportStarted,
    JobDone,
    JobEvent,
    Note,
    Opened,
    OpenFailed,
    RoundDone,
    SentinelFailed,
    StepStarted,
    Verified,
    WarmedUp,
    decode,
    encode,
)
from tests.fakes.runs import H200

BURST = BurstTaken("a/b", 4096, 8, 1.25, (69.536, 69.568), 1980.0, dropped=False)
EVENTS: tuple[JobEvent, ...] = (
    Opened("cuda", H200, ""),
    OpenFailed("no usable GPU: “lost”\n", "See `shflbench doctor`."),
    WarmedUp(steady=True, clock_mhz=None),
    ImportStarted("neighbor"),
    StepStarted("a/b", "verifying"),
    GridResolved("a/b", 26, None),
    Verified("a/b", Proof(7, 8, (1, 51), "26x1024", "after 1 iteration …")),
    CaseFailed("a/b", Status.FAILED, "illegal memory access"),
    RoundDone(3, 12, (BURST,), Conditions(1980, 40, 250.5, ("power brake",))),
    Converged("a/b", "precision"),
    Note("NVML stopped answering"),
    SentinelFailed("sentinel/l2", "it did not end within 2 s"),
    ContextLost(),
    JobDone(),
)


def test_every_kind_of_event_has_an_example() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(JobEvent)) == set(KINDS.values())


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_event_is_one_line_that_decodes_to_the_same_event(event: JobEvent) -> None:
    line = encode(event)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert decode(line) == event


@pytest.mark.parametrize(
    "line",
    [
        "",
        "rubbish",
        "[]",
        "{}",
        "[" * 100_000,
        '{"Nonsense":{}}',
        '{"ContextLost":{},"JobDone":{}}',
        '{"CaseFailed":{"case_id":"a"}}',
        '{"ContextLost":[]}',
        '{"Note":{"sentence":7}}',
        '{"Note":{"sentence":"\\ud800"}}',
        '{"ImportStarted":{"pattern":null}}',
    ],
)
def test_invalid_line_is_rejected(line: str) -> None:
    with pytest.raises(ValueError, match="not an event: "):
        decode(line)


def test_samples_of_a_round_are_numbered_within_their_bursts() -> None:
    half = BurstTaken("a/b", 2048, 8, 1.5, (40.0,), None, dropped=True)
    taken = RoundDone(3, 12, (BURST, half), Conditions()).samples()
    assert taken == [
        Sample("a/b", 3, 12, 0, 4096, 8, 69.536, 1980.0, dropped=False, seconds=1.25),
        Sample("a/b", 3, 12, 1, 4096, 8, 69.568, 1980.0, dropped=False, seconds=1.25),
        Sample("a/b", 3, 12, 0, 2048, 8, 40.0, None, dropped=True, seconds=1.5),
    ]


def test_time_is_not_rounded() -> None:
    third = 100 / 3
    line = encode(RoundDone(0, 0, (BurstTaken("a/b", 1, 1, third, (third,), third, dropped=False),), Conditions()))
    (burst,) = json.loads(line)["RoundDone"]["bursts"]
    assert (burst["seconds"], burst["times_us"]) == (third, [third])
