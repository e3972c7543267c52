from __future__ import annotations

import pytest

from shflbench.backends.emulator.findings import Kind
from shflbench.backends.emulator.policies import POLICIES
from shflbench.check.report import WORDS
from shflbench.check.verdict import Level, Verdict, judge

SOME = ["half-warp first", "lanes in order"]


@pytest.mark.parametrize(
    ("kinds", "wrong", "stopped", "safe", "unsafe"),
    [
        ([], [], [], Verdict.CLEAN, Verdict.HARMLESS),
        ([Kind.RAW], [], [], Verdict.BROKEN, Verdict.UNSAFE),
        ([], SOME, [], Verdict.BROKEN, Verdict.UNSAFE),
        ([], [], SOME, Verdict.BROKEN, Verdict.UNSAFE),
        ([Kind.ACTIVEMASK], [], [], Verdict.DEPENDENT, Verdict.DEPENDENT),
        ([Kind.ACTIVEMASK, Kind.WAW], [], [], Verdict.BROKEN, Verdict.UNSAFE),
        ([Kind.SAME_VALUE], [], [], Verdict.DOUBTFUL, Verdict.HARMLESS),
        ([Kind.ENDED], [], [], Verdict.DOUBTFUL, Verdict.HARMLESS),
    ],
)
def test_what_was_found_makes_the_verdict(
    kinds: list[Kind], wrong: list[str], stopped: list[str], safe: Verdict, unsafe: Verdict
) -> None:
    assert judge(safe=True, kinds=kinds, wrong=wrong, stopped=stopped)[0] is safe
    assert judge(safe=False, kinds=kinds, wrong=wrong, stopped=stopped)[0] is unsafe


def test_a_broken_promise_breaks_an_unsafe_kernel_as_well() -> None:
    promise = "the machine code has no SHFL"
    for safe in (True, False):
        said = judge(safe=safe, kinds=[Kind.RAW], wrong=[], stopped=[], violations=[promise])
        assert said == (Verdict.BROKEN, "the machine code has no SHFL; 1 hazard")


def test_a_sentence_tells_everything_that_speaks_against_a_kernel() -> None:
    kinds = [Kind.RAW, Kind.WAR, Kind.ACTIVEMASK]
    assert judge(safe=True, kinds=kinds, wrong=list(POLICIES), stopped=SOME) == (
        Verdict.BROKEN,
        "declared safe, but wrong under all 7 schedules, stopped by an error under 2 of 7 schedules, 2 hazards",
    )


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_of_finding_has_its_words(kind: Kind) -> None:
    assert "{here}" in WORDS[kind.name]


@pytest.mark.parametrize("kind", [kind for kind in Kind if not kind.breaks])
def test_every_doubt_has_its_words(kind: Kind) -> None:
    assert judge(safe=True, kinds=[kind], wrong=[], stopped=[])[0].level in {Level.WARNING, Level.NOTICE}
