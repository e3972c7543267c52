"""What compute-sanitizer said on an H200 of every built-in kernel, beside what its declaration and the emulator say."""

import json
from pathlib import Path
from typing import Any

from benchmarks.sanitizer import surprises
from tests import kernels

# Recorded by benchmarks/sanitizer.py.
RECORD = Path(__file__).parents[1] / "data" / "sanitizer-nvidia-h200.json"
SAID: dict[str, dict[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))["kernels"]
RACES = {"RAW", "WAR", "WAW"}


def test_every_kernel_was_recorded() -> None:
    assert sorted(SAID) == sorted(kernels.run_by_tests())


def test_the_tools_warn_of_every_unsafe_kernel_and_of_no_other() -> None:
    assert surprises(SAID) == []
    assert sum(not kernels.variant_of(name).safe for name in SAID) > 50


def test_a_warning_about_a_safe_kernel_is_a_surprise_and_silence_about_an_unsafe_one_too() -> None:
    safe, unsafe = "neighbor/shfl/f32/mode=idx", "neighbor/smem-unsafe/f32/mode=idx"
    assert surprises({safe: SAID[unsafe], unsafe: SAID[safe]}) == [f"{safe}: {SAID[unsafe]}", f"{unsafe}: {SAID[safe]}"]
