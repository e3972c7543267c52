"""Results of compute-sanitizer on GPUs for every built-in kernel, compared with the declarations."""

import json
from pathlib import Path
from typing import Any

from tests import kernels
from tests.checker.sanitizer_record import surprises
from tests.unrecorded import is_recorded

# Recorded by sanitizer_record.py, on an H100 and, with --beside, on an H200 the kernels that are newer.
RECORDS = sorted((Path(__file__).parents[1] / "data").glob("sanitizer-nvidia-h?00.json"))
RESULTS: dict[str, dict[str, Any]] = {
    name: {key: value for key, value in result.items() if key != "nvrtc"}  # of kernels that another one compiled
    for record in RECORDS
    for name, result in json.loads(record.read_text(encoding="utf-8"))["kernels"].items()
}
RACES = {"RAW", "WAR", "WAW"}


def test_every_kernel_was_recorded() -> None:
    assert sorted(RESULTS) == sorted(filter(is_recorded, kernels.run_by_tests()))


def test_the_tools_warn_of_every_unsafe_kernel_and_of_no_other() -> None:
    assert surprises(RESULTS) == []
    assert sum(not kernels.variant_of(name).safe for name in RESULTS) > 50


def test_a_warning_for_a_safe_kernel_and_none_for_an_unsafe_one_are_surprises() -> None:
    safe, unsafe = "neighbor/shfl/f32/mode=idx", "neighbor/smem-unsafe/f32/mode=idx"
    assert surprises({safe: RESULTS[unsafe], unsafe: RESULTS[safe]}) == [
        f"{safe}: {RESULTS[unsafe]}",
        f"{unsafe}: {RESULTS[safe]}",
    ]
