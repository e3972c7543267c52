"""The fastest variants beside kernels that someone wrote to beat the published answers."""

import json

import pytest

from shflbench.patterns.discover import builtin, builtin_declaration
from tools.docs.records.opponents import RECORD, gpu_of, has_other_layout, merged, rivals, timed

RECORDS = json.loads(RECORD.read_text(encoding="utf-8"))
# Cycles per iteration of the challengers on an H100; on an H200 they took the same within 1.3%.
CHALLENGERS = {
    "reduce f32 sms x 32 width=32": 105,
    "reduce f32 sms x 256 width=32": 114,
    "reduce f32 2*sms x 1024 width=32": 321,
    "scan f32 sms x 32 kind=inclusive": 126,
    "scan f32 sms x 256 kind=inclusive": 140,
    "scan f32 2*sms x 1024 kind=inclusive": 325,
    "bitonic-sort i32 sms x 32 payload=none": 197,
    "bitonic-sort i32 sms x 256 payload=none": 273,
    "bitonic-sort i32 2*sms x 1024 payload=none": 1261,
    "transpose f32 sms x 32 words=8": 59,
    "broadcast-work f32 sms x 32": 151,
    "broadcast-last f32 sms x 32": 77.4,
    "convert-layout i32 sms x 32 bits=1": 128,
    "convert-layout i32 sms x 32 bits=2": 183,
    "convert-layout i32 sms x 32 bits=3": 182,
    "convert-layout i32 sms x 32 bits=5": 182,
    "convert-layout i32 4*sms x 256 bits=1": 850,
    "convert-layout i32 4*sms x 256 bits=2": 1637,
    "top-k i32 sms x 32 elements=32 k=8": 207,
    "top-k i32 sms x 32 elements=64 k=8": 444,
    "top-k i32 8*sms x 128 elements=64 k=8": 1126,
    "block-reduce f32 sms x 256 result=all": 229,
    "block-scan f32 sms x 256 kind=inclusive": 262,
}
MARGIN = 1.03
STILL_FASTER = {"transpose f32 sms x 32 words=32": 135}
LEAD = 1.04  # of these, at most


def test_the_record_is_of_both_models() -> None:
    assert [record["device"] for record in RECORDS] == ["NVIDIA H100 80GB HBM3", "NVIDIA H200"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["device"])
@pytest.mark.parametrize("setting", CHALLENGERS)
def test_no_challenger_is_faster(record: dict[str, object], setting: str) -> None:
    fastest, *_ = timed(record, setting)
    assert fastest.time <= MARGIN * CHALLENGERS[setting], fastest


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["device"])
@pytest.mark.parametrize("setting", STILL_FASTER)
def test_challengers_that_are_still_faster_lead_by_little(record: dict[str, object], setting: str) -> None:
    fastest, *_ = timed(record, setting)
    assert 1 < fastest.time / STILL_FASTER[setting] < LEAD, fastest


def test_a_copy_of_data_in_another_layout_is_no_answer() -> None:
    setting = "struct-access f32 512x256 words=16 way=store"
    times = {"soa": ["global", 4.4, "µs"], "shfl": ["shfl", 4.7, "µs"], "smem": ["smem", 4.6, "µs"]}
    record = {**RECORDS[0], "settings": {setting: times}}
    assert [one.variant for one in timed(record, setting)] == ["soa", "smem", "shfl"]
    assert [one.variant for one in rivals(record, setting)] == ["smem", "shfl"]


def test_layouts_are_as_declared() -> None:
    declared = {name: builtin_declaration(name) for name in builtin()}
    others = {(name, one.name) for name, item in declared.items() if item for one in item.variants if one.other_layout}
    assert others == {("struct-access", "soa")}
    assert has_other_layout("struct-access", "soa")
    assert not has_other_layout("struct-access", "a variant of an earlier run")
    assert not has_other_layout("a pattern of an earlier run", "soa")


def test_a_run_of_some_patterns_replaces_their_settings_alone() -> None:
    whole = {
        **{name: value for name, value in RECORDS[1].items() if name != "parts"},
        "settings": {"vote i32 1x32 op=any": {"vote": ["collective", 31.0, "cycles"]}, "scan f32 1x32": {}},
    }
    new = {
        **whole,
        "uuid": "GPU-another",
        "settings": {"vote i32 1x32 op=any": {"vote": ["collective", 30.0, "cycles"]}},
    }
    other, both = merged([RECORDS[0], whole], new)
    assert other == RECORDS[0]
    assert both["settings"] == {**whole["settings"], **new["settings"]}
    assert [gpu_of(both, pattern)["uuid"] for pattern in ("scan", "vote")] == [whole["uuid"], "GPU-another"]
    again = merged([both], {**new, "uuid": "GPU-third"})
    assert [part["uuid"] for part in again[0]["parts"]] == ["GPU-third"]
    assert merged([both], {**whole, "uuid": "GPU-whole"}) == [{**whole, "uuid": "GPU-whole"}]
    cut = {**new, "settings": {"vote i32 2x32 op=any": {}}}
    with pytest.raises(ValueError, match="lacks settings of the record, such as vote i32 1x32 op=any"):
        merged([whole], cut)
