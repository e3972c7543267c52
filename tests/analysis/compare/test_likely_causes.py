"""Causes of a change of time; `tests/cli/compare/test_causes.py` reads them from the folders of runs."""

from dataclasses import fields
from typing import Any

import pytest

from shflbench.analysis.compare import Metric
from shflbench.analysis.compare.likely_causes import causes_of_time
from shflbench.store.limits_file import CaseLimit
from tests.fakes.case_changes import CASE, change, kernel, loop

CODE, OTHER = kernel("code"), kernel("other")


def limit(**known: object) -> dict[str, CaseLimit]:
    """Return the record of a side with this limit."""
    empty: dict[str, Any] = dict.fromkeys((item.name for item in fields(CaseLimit)), None)
    return {"limit": CaseLimit(**{**empty, "case_id": CASE.id, **known})}


def kinds(*words: Any, **known: Any) -> list[str]:
    return [cause.kind.value for cause in causes_of_time(change(*words, **known))]


Columns = dict[str, object]
RESOURCES: list[
    tuple[Columns, Columns, str, str]
] = [  # columns of the base and the new row, what explains a slower case, and with what words
    ({}, {"spill_bytes": 64}, "spills", "64 instead of 0 bytes of spills per thread"),
    ({}, {"local_bytes": 128}, "local-memory", "128 instead of 0 bytes of local memory per thread"),
    ({}, {"occupancy": 0.5}, "occupancy", "occupancy 100% → 50%"),
    ({}, {"occupancy": 0.5, "registers": 72}, "occupancy", "occupancy 100% → 50% (registers 16 → 72)"),
    ({}, {"occupancy": 0.5, "shared_bytes": 99}, "occupancy", "occupancy 100% → 50% (shared bytes 0 → 99)"),
]


@pytest.mark.parametrize(("base", "new", "kind", "sentence"), RESOURCES)
def test_resource_explains_a_change_in_its_direction_alone(
    base: Columns, new: Columns, kind: str, sentence: str
) -> None:
    (cause,) = causes_of_time(change(1.1, base_row=base, new_row=new))
    assert (cause.kind, cause.sentence) == (kind, sentence)
    assert kinds(0.9, base_row=new, new_row=base) == [kind]
    assert kinds(0.9, base_row=base, new_row=new) == kinds(1.1, base_row=new, new_row=base) == []


def test_registers_alone_explain_nothing() -> None:
    assert kinds(1.1, new_row={"registers": 40}) == []


def test_grid_that_depends_on_the_kernel_is_named() -> None:
    (cause,) = causes_of_time(change(1.1, base_row={"grid": 132}, new_row={"grid": 264}))
    assert (cause.kind, cause.sentence) == ("grid", "264 instead of 132 blocks per launch")


@pytest.mark.parametrize(
    ("ratio", "clocks", "expected"),
    [
        (1.10, (1980.0, 1800.0), ["clock"]),
        (1.10, (1980.0, 1900.0), []),  # 4% of 10%
        (1.10, (1800.0, 1980.0), []),
        (0.91, (1800.0, 1980.0), ["clock"]),
        (1.10, (None, 1800.0), []),
        (1.10, (1980.0, None), []),
    ],
)
def test_clock_is_named_if_it_explains_half_of_the_change(
    ratio: float, clocks: tuple[float | None, float | None], expected: list[str]
) -> None:
    rows = [{"sm_clock_mhz": clock} for clock in clocks]
    assert kinds(ratio, base_row=rows[0], new_row=rows[1]) == expected


def test_throttled_clock_has_its_reason_and_cycles_do_not_depend_on_it() -> None:
    slowed = change(1.1, CODE, CODE, new_row={"sm_clock_mhz": 1800.0, "throttle": ("software power cap",)})
    clock, code = causes_of_time(slowed)
    assert clock.sentence == "the SM clock was 1980 MHz, now 1800 MHz (software power cap)"
    assert code.sentence == "the machine code is the same"
    assert [cause.kind.value for cause in causes_of_time(slowed, Metric.CYCLES_PER_ITERATION)] == ["same-code"]


def test_same_code_names_another_driver_and_gpu() -> None:
    records = {"base_record": {"driver": "580.1", "gpu": "GPU-1"}, "new_record": {"driver": "590.1", "gpu": "GPU-2"}}
    (cause,) = causes_of_time(change(1.1, CODE, CODE, **records))
    assert cause.sentence == (
        "the machine code is the same; the driver was 580.1, now 590.1, and the sides were measured on two GPUs"
    )


@pytest.mark.parametrize(
    ("ratio", "base", "new", "sentences"),
    [
        (1.1, {"limit_us": 60.0, "limit_by": "issue"}, {"limit_us": 66.0, "limit_by": "exchange"},
         ["limited by exchange instead of issue: the limit is 66 instead of 60 µs"]),
        (1.1, {"limit_us": 60.0, "limit_by": "issue"}, {"limit_us": 66.0, "limit_by": "issue"},
         ["the limit is 66 instead of 60 µs"]),
        (1.1, {"limit_us": 60.0, "limit_by": "issue"}, {"limit_us": 60.1, "limit_by": "exchange"}, []),
        (1.1, {"limit_us": 66.0, "limit_by": "issue"}, {"limit_us": 60.0, "limit_by": "exchange"}, []),
        (1.1, {"limit_us": None, "limit_by": None}, {"limit_us": 60.0, "limit_by": "exchange"}, []),
        (0.9, {"limit_us": 66.0, "limit_by": "issue"}, {"limit_us": 60.0, "limit_by": "issue"},
         ["the limit is 60 instead of 66 µs"]),
        (1.1, {"model_us": 60.0}, {"model_us": 65.0}, ["the model predicts +8.3% from the machine code"]),
        (1.1, {"model_us": 60.0}, {"model_us": 61.0}, []),
        (1.1, {"model_us": 65.0}, {"model_us": 60.0}, []),
    ],
)  # fmt: skip
def test_limit_and_prediction_are_named_if_they_moved_with_the_time(
    ratio: float, base: dict[str, object], new: dict[str, object], sentences: list[str]
) -> None:
    known = {"base_record": limit(**base), "new_record": limit(**new)}
    causes = causes_of_time(change(ratio, CODE, OTHER, **known))
    assert [cause.sentence for cause in causes if cause.kind in {"limit", "model"}] == sentences
    assert kinds(ratio, CODE, CODE, **known) == ["same-code"]


def test_effects_come_before_their_origin_and_the_most_specific_first() -> None:
    known = {
        "base_record": limit(limit_us=60.0, limit_by="issue", model_us=70.0),
        "new_record": limit(limit_us=66.0, limit_by="exchange", model_us=77.0),
    }
    row = {"spill_bytes": 8, "occupancy": 0.5, "registers": 40, "grid": 99, "sm_clock_mhz": 1800.0}
    assert kinds(1.1, loop(SHFL=16), loop(SHFL=32), new_row=row, **known) == [
        "spills", "occupancy", "grid", "instructions", "limit", "model", "compiler", "clock",
    ]  # fmt: skip


def test_unknown_case_has_no_cause() -> None:
    assert kinds(1.1) == []
