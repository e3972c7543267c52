"""Devices with known times: which are named, and with which evidence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shflbench.analysis.fleet import DeviceRecord, DeviceResult, FleetReport, OutlierKind, rank
from shflbench.analysis.fleet.record import BadRow
from shflbench.core.model import Status
from tests.fakes.fleets import CASES, record

SOUND = [record(number) for number in range(7)]


def named(report: FleetReport) -> dict[str, list[OutlierKind]]:
    """Return the kinds of findings by device."""
    return {device.label: [finding.kind for finding in device.findings] for _, device in report.outliers()}


def of(report: FleetReport, label: str) -> DeviceResult:
    """Return a device."""
    return next(device for model in report.models for device in model.devices if device.label == label)


def sentence(report: FleetReport, label: str) -> str:
    """Return the evidence of a device with one finding."""
    (finding,) = of(report, label).findings
    return finding.sentence


def test_a_device_that_is_3_percent_slower_is_named_with_its_interval_cases_and_patterns() -> None:
    report = rank([*SOUND, record(7, factor=1.03)])
    assert named(report) == {"node:7": [OutlierKind.SLOW]}
    device = of(report, "node:7")
    assert device.place == 1
    assert device.slower is not None
    assert device.slower.low < 0.03 < device.slower.high
    assert device.slow_cases == device.cases == len(CASES)
    assert device.findings[0].cases == tuple(CASES)
    assert sentence(report, "node:7").startswith("+3.0% (2.")
    assert "slower in 9 of 9 cases; in all 3 patterns; sentinels +3.0%: the whole device" in sentence(report, "node:7")


def test_sound_devices_are_not_named_and_are_near_zero() -> None:
    report = rank(SOUND)
    assert named(report) == {}
    assert report.exit_code(fail_on_outliers=True, strict=True) == 0
    for device in report.models[0].devices:
        assert device.slower is not None
        assert abs(device.slower.value) < 0.001
        assert device.slower.low < 0 < device.slower.high


def test_slower_cases_with_unchanged_sentinels_are_not_a_matter_of_the_clock() -> None:
    report = rank([*SOUND, record(7, factor=1.03, sentinels=1.0)])
    assert of(report, "node:7").sentinels == pytest.approx(0.0)
    assert sentence(report, "node:7").endswith("sentinels +0.0%: not the SM clock")


def test_a_device_that_is_slower_in_one_pattern_is_named_for_it() -> None:
    report = rank([*SOUND, record(7, factors={"scan": 1.05}, sentinels=1.0)])
    device = of(report, "node:7")
    assert device.slower is not None
    assert device.slower.value < 0.002
    assert sentence(report, "node:7").startswith("in scan +5.0% (")
    assert device.findings[0].cases == tuple(case_id for case_id in CASES if case_id.startswith("scan/"))


def test_launches_that_take_longer_are_subtracted_and_reported() -> None:
    report = rank([*SOUND, record(7, launch_us=2.0)])
    device = of(report, "node:7")
    assert named(report) == {}
    assert device.launch_offset_us == pytest.approx(2.0, abs=0.001)
    assert device.remarks == (
        "each launch takes 2.00 µs longer than on the median device, by the sentinels; subtracted",
    )


def test_a_slowdown_below_the_threshold_is_not_named_and_another_threshold_names_it() -> None:
    records = [*SOUND, record(7, factor=1.01)]
    assert named(rank(records)) == {}
    assert named(rank(records, threshold=0.005)) == {"node:7": [OutlierKind.SLOW]}


def test_where_devices_differ_much_a_device_within_their_spread_is_not_named() -> None:
    random = np.random.default_rng(1)
    factors = 1 + 0.02 * random.standard_normal(20)
    records = [record(number, factor=factor) for number, factor in enumerate(factors.tolist())]
    report = rank([*records, record(20, factor=1.03)])
    assert named(report) == {}
    assert of(report, "node:20").undecided
    assert report.exit_code(fail_on_outliers=True, strict=True) == 6


def test_a_model_with_three_devices_has_too_few_but_its_wrong_results_are_named() -> None:
    wrong = BadRow("neighbor/shfl/f32/26x1024/4096", Status.INCORRECT, "lane 3 has 4.0")
    report = rank([*SOUND[:2], record(2, factor=1.5, bad=(wrong,), missing=(wrong.case_id,))])
    (model,) = report.models
    assert not model.comparable
    assert model.table is None
    assert all(device.slower is None for device in model.devices)
    assert sentence(report, "node:2") == f"1 case incorrect, first {wrong.case_id}: lane 3 has 4.0"
    assert report.exit_code(fail_on_outliers=True, strict=True) == 1
    assert rank(SOUND[:3]).exit_code(fail_on_outliers=True, strict=True) == 6


def test_devices_are_compared_with_their_own_model_only() -> None:
    slow_model = [record(number, factor=2.0, model="NVIDIA A30") for number in range(10, 15)]
    report = rank([*SOUND, *slow_model])
    assert [(model.model, len(model.devices)) for model in report.models] == [("NVIDIA H200", 7), ("NVIDIA A30", 5)]
    assert named(report) == {}


@pytest.mark.parametrize(
    ("more", "kind", "evidence"),
    [
        ({"scatter": 3.0}, OutlierKind.NOISY, "its samples scatter 3.0× as far as those of its model's median device"),
        ({"temperature_c": 70.0}, OutlierKind.HOT, "70 °C, the median device of its model 50 °C"),
        (
            {"throttled": {"power brake": 4}, "throttled_cases": 4},
            OutlierKind.THROTTLED,
            "throttled in 4 of 9 cases: power brake (4)",
        ),
        ({"problem": "its worker was lost"}, OutlierKind.INCOMPLETE, "its worker was lost"),
    ],
)
def test_other_faults_are_named_with_their_evidence(more: dict[str, Any], kind: OutlierKind, evidence: str) -> None:
    report = rank([*SOUND, record(7, **more)])
    assert named(report) == {"node:7": [kind]}
    assert sentence(report, "node:7") == evidence


def test_a_model_that_is_throttled_everywhere_has_no_throttled_outlier() -> None:
    cap: dict[str, Any] = {"throttled": {"software power cap": 9}, "throttled_cases": 9}
    assert named(rank([record(number, **cap) for number in range(6)])) == {}


def test_a_case_that_fails_on_most_devices_is_no_fault_of_a_device() -> None:
    bad = BadRow("vote/ballot/i32/26x1024/4096", Status.FAILED, "out of memory")
    everywhere = rank([record(number, bad=(bad,)) for number in range(5)])
    assert named(everywhere) == {}
    assert everywhere.models[0].notes == (
        f"{bad.case_id} failed on most devices: a fault of the case, not of a device",
    )
    other = BadRow("vote/cg/i32/26x1024/4096", Status.FAILED, "out of memory")
    (note,) = rank([record(number, bad=(bad, other)) for number in range(5)]).models[0].notes
    assert note == f"2 cases failed on most devices, first {bad.case_id}: a fault of the cases, not of a device"
    alone = rank([*(record(number, right=frozenset([bad.case_id])) for number in range(4)), record(4, bad=(bad,))])
    assert named(alone) == {"node:4": [OutlierKind.WRONG]}


def test_settings_and_noise_that_may_explain_a_finding_are_remarks() -> None:
    common = [record(number, settings={"power limit in W": "700.0"}) for number in range(5)]
    other = record(5, factor=1.05, settings={"power limit in W": "400.0"}, noise="busy: others used the GPU")
    device = of(rank([*common, other]), "node:5")
    assert device.remarks == (
        "possible cause: power limit in W 400.0, most devices 700.0",
        "its run was busy: others used the GPU",
    )


def test_each_case_has_its_place_and_interval_and_a_missing_one_has_none() -> None:
    first, *_ = CASES
    records: Sequence[DeviceRecord] = [*SOUND, record(7, factor=1.03, missing=(first,))]
    (model,) = rank(records).models
    table = model.table
    assert table is not None
    assert table.cases == tuple(CASES)
    assert np.isnan(table.slower[0, 0])
    assert np.isnan(table.places[0, 0])
    assert table.places[0, 1:].tolist() == [1.0] * 8
    assert table.slower[0, 1:] == pytest.approx(0.03, abs=0.002)
    assert (table.half_widths[0, 1:] < 0.01).all()
    assert table.medians_us == pytest.approx(list(CASES.values()), rel=0.001)


def test_devices_without_samples_are_ranked_without_sentinels_and_scatter() -> None:
    bare: dict[str, Any] = {"sentinels_us": {}, "sentinel_version": ""}
    records = [record(number, scatter=float("nan"), **bare) for number in range(6)]
    report = rank([*records, record(6, factor=1.05, scatter=float("nan"), **bare)])
    device = of(report, "node:6")
    assert named(report) == {"node:6": [OutlierKind.SLOW]}
    assert (device.sentinels, device.noise_factor, device.launch_offset_us) == (None, None, None)


def test_a_device_without_samples_is_named_in_a_note() -> None:
    bare: dict[str, Any] = {"sentinels_us": {}, "sentinel_version": "", "has_samples": False}
    sentence = "cannot be judged there, and slow launches may make cases look slow"
    (note,) = rank([*SOUND, record(7, **bare)]).models[0].notes
    assert note == f"node:7 has no samples.csv.gz: scatter, sentinels and slow launches {sentence}"
    (note,) = rank([record(0), record(1), *(record(number, **bare) for number in (2, 3))]).models[0].notes
    assert note.startswith("2 devices, first node:2, have no samples.csv.gz: ")
    assert note.endswith(f"{sentence}; too few devices have sentinels to compare them")


def test_a_device_without_any_time_is_incomplete_and_has_no_place() -> None:
    empty = record(7, missing=tuple(CASES), problem="no worker ran it")
    device = of(rank([*SOUND, empty]), "node:7")
    assert (device.place, device.slower, device.cases) == (None, None, 0)
    assert [finding.kind for finding in device.findings] == [OutlierKind.INCOMPLETE]


def test_devices_of_one_name_with_different_sms_are_different_models() -> None:
    slices = [record(number, factor=2.0, sms=16) for number in range(10, 15)]
    lost = record(20, missing=tuple(CASES), problem="no worker ran it")
    report = rank([*(record(number, sms=132) for number in range(7)), *slices, lost])
    assert [(model.model, len(model.devices)) for model in report.models] == [
        ("NVIDIA H200 (132 SMs)", 8),
        ("NVIDIA H200 (16 SMs)", 5),
    ]
    assert named(report) == {"node:20": [OutlierKind.INCOMPLETE]}


def test_devices_that_divided_the_suite_are_compared_by_their_sentinels() -> None:
    patterns = ("neighbor", "reduce", "scan")
    shards = [
        record(
            number,
            factor=1.03 if number == 4 else 1.0,
            temperature_c=70.0 if number == 5 else 50.0,
            missing=tuple(case_id for case_id in CASES if not case_id.startswith(patterns[number % 3])),
        )
        for number in range(9)
    ]
    report = rank(shards)
    (model,) = report.models
    assert (model.comparable, model.by_sentinels) == (False, True)
    assert named(report) == {"node:4": [OutlierKind.SLOW], "node:5": [OutlierKind.HOT]}
    assert sentence(report, "node:4") == "sentinels +3.0%; too few devices timed the same cases to compare these"
    assert model.devices[0].label == "node:4"
    assert report.exit_code(fail_on_outliers=True, strict=True) == 1
    assert rank(shards[:4]).exit_code(fail_on_outliers=True, strict=True) == 6


def test_settings_that_differ_are_counted_and_only_those_of_most_devices_are_usual() -> None:
    drivers = [record(number, settings={"driver": "580.1" if number < 3 else "570.2"}) for number in range(6)]
    report = rank(drivers)
    assert report.models[0].notes == ("driver differs; values (devices): 580.1 (3), 570.2 (3)",)
    assert all(not device.remarks for device in report.models[0].devices)
    several = [record(number, settings={"power limit in W": f"{number // 2}"}) for number in range(10)]
    assert rank(several).models[0].notes[0].endswith("0 (2), 1 (2), 2 (2), 2 more")


def test_without_a_majority_no_device_is_slow_but_none_is_sound_either() -> None:
    report = rank([record(number, factor=1.03 if number < 2 else 1.0) for number in range(4)])
    assert named(report) == {}
    assert report.exit_code(fail_on_outliers=True, strict=True) == 6


def test_pattern_whose_samples_have_another_number_of_launches_leaves_a_device_undecided() -> None:
    slow = record(8, factors={"neighbor": 1.5}, sentinels=1.0)
    launches = np.array([8.0 if case_id.startswith("neighbor/") else 1.0 for case_id in slow.times.ids])
    others = [replace(one, times=replace(one.times, launches=launches)) for one in map(record, range(8))]
    (model,) = rank([*others, slow]).models
    device = next(device for device in model.devices if device.label == slow.label)
    assert (device.findings, device.undecided) == ((), True)
    assert "not compared: neighbor, with other numbers of launches per sample" in device.remarks[0]
    assert not any(device.undecided for device in model.devices if device.label != slow.label)
