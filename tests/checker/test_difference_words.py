import numpy as np
import pytest

from shflbench.checker.difference_words import difference_words
from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.runs.differences import differences
from shflbench.checker.runs.evidence import LaunchEvidence
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.explore import ScheduleResult


@pytest.mark.parametrize(
    ("text", "bits", "words"),
    [
        ("f32[32]", [0, 0, 0x3FC00000], "`out[2]` (f32) is 1.5 under `odd lanes first`, and 0.0 in lockstep execution"),
        (
            "bf16[32]",
            [0, 0, 0x3FC00000],
            "`out[5]` (bf16) is 1.5 under `odd lanes first`, and 0.0 in lockstep execution",
        ),
        ("x.npy (uint8[8])", [0, 0x700], "`out[5]` (u8) is 7 under `odd lanes first`, and 0 in lockstep execution"),
        ("i32[32]:0", [0, 0xFFFFFFFF], "`out[1]` (i32) is -1 under `odd lanes first`, and 0 in lockstep execution"),
        ("2,562 bytes", [0, 0x700], "byte 5 of `out` is 7 under `odd lanes first`, and 0 in lockstep execution"),
        ("8 bytes", [0, 0x700], "byte 5 of `out` is 7 under `odd lanes first`, and 0 in lockstep execution"),
    ],
)
def test_a_difference_names_the_element_and_both_values(text: str, bits: list[int], words: str) -> None:
    launch = PlannedLaunch(parse_shape("2x64"), Origin.GIVEN)
    zero = np.zeros(len(bits), np.uint32).view(np.uint8)
    results = (
        ScheduleResult("lockstep", (zero,), ()),
        ScheduleResult("odd lanes first", (np.array(bits, np.uint32).view(np.uint8),), ()),
    )
    out = ArgumentBuffer("out", zero, text, Origin.GIVEN, Origin.GIVEN)
    evidence = LaunchEvidence(launch, Arguments((), (), (out,), (), 0, Origin.GIVEN), 0, results)
    (difference,) = differences(results, ["out"])
    assert difference_words(evidence, difference) == f"{words} (launch 2x64)"
