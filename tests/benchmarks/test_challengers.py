"""The page of the kernels that beat published answers: what it counts, and that it follows from its record."""

import json
from pathlib import Path

import pytest

from benchmarks import challengers
from benchmarks.challenger_rounds import FIRST, Round
from benchmarks.challenger_rounds import ROUNDS as ROUNDS_
from benchmarks.opponents import kept, of_model
from shflbench.store import read_run

RESULTS = Path(__file__).parents[2] / "results"

PAGE = challengers.PAGE.read_text(encoding="utf-8")
RECORDS = json.loads(challengers.RECORD.read_text(encoding="utf-8"))
NOW = {"uuid": "GPU-0", "started": "2026-11-28", "settings": {}}
ROUNDS = list(zip(ROUNDS_, RECORDS, strict=True))


def test_the_page_follows_from_the_records() -> None:
    assert challengers.page(RECORDS, kept()) == PAGE


# Settings at which a challenger is still faster. In the first three of the first round it has other code around the
# exchange; in `count` and `moving-average`, of the second round, larger blocks. In `grid-reduce`, of the third, one of
# three sizes of the block, that which was fastest at each setting.
STILL_FASTER = (
    {
        "broadcast-last f32 sms x 32",
        "broadcast-last f32 sms x 256",
        "vote i32 sms x 32 op=any",
        "private-array f32 8*sms x 64 length=32, index=worst, math=0",
        "cluster-reduce f32 sms x 128 cluster=8",
        "cluster-reduce f32 64*sms x 128 cluster=2",
    },
    {
        "broadcast-work i32 2*sms x 1024",
        "reduce f32 sms x 256 width=32",
        "scan i32 sms x 32 kind=inclusive",
        "convert-layout i32 sms x 256 bits=3",
        "convert-layout i32 4*sms x 256 bits=5",
        "fragment-load i16 sms x 32 layout=swizzled",
        "top-k i32 sms x 256 elements=256, k=8",
        "transpose f32 sms x 256 words=3",
        "transpose f32 8*sms x 256 words=4",
        "cluster-reduce f32 1x128 cluster=8",
        "handoff i32 sms x 160 stages=1",
        "count i32 16384x256 counters=1",
        "moving-average f32 16384x256 missing=0",
    },
    {
        "cluster-copy i32 1x128 bytes=64, cluster=2",
        "cluster-copy i32 sms/2 x 128 bytes=16, cluster=2",
        "cluster-copy i32 sms/2 x 128 bytes=64, cluster=2",
        "grid-reduce i32 1x128 blocks=8",
        "grid-reduce f32 1x128 blocks=2",
        "grid-reduce f32 1x128 blocks=32",
        "grid-reduce f32 1x256 blocks=2",
        "grid-reduce f32 1x256 blocks=32",
    },
)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_beat_a_published_answer_is_in_the_patterns_now(number: int) -> None:
    one, record = ROUNDS[number]
    fell = challengers.falls(one, record, of_model(one.model, kept()))
    assert len(fell) > 30
    assert {fall.setting for fall in fell if not fall.now} == set()
    assert {fall.setting for fall in fell if not fall.is_answered} == STILL_FASTER[number]


def test_of_ten_answers_that_the_third_round_chose_one_fell() -> None:
    one, record = ROUNDS[2]
    settings = {setting.split()[0] for setting in record["settings"]}
    fell = {fall.setting.split()[0] for fall in challengers.falls(one, record, of_model(one.model, kept()))}
    assert fell - set(one.unanswered) == {"vote"}
    assert len(settings - set(one.unanswered)) == 10
    assert (
        "31 of the 33 are of cluster-copy, grid-reduce and scale-max, which had no answer; the others: `vote`." in PAGE
    )


@pytest.mark.parametrize(("one", "record"), ROUNDS, ids=["first", "second", "third"])
def test_each_name_that_does_not_count_was_timed(one: Round, record: dict[str, dict[str, dict[str, object]]]) -> None:
    timed = {(at.partition(" ")[0], name) for at, times in record["settings"].items() for name in times}
    assert {(pattern, name) for pattern, names, _ in one.other_questions for name in names} <= timed
    assert set(one.without_best) <= set(record["settings"])
    assert [at for at, best in one.without_best.items() if best in record["settings"][at]] == []


def test_a_record_has_the_safe_variants_that_a_run_timed() -> None:
    run = read_run(RESULTS / "quick" / "nvidia-h200")
    wanted = {row.variant for row in run.rows if row.pattern == "reduce" and row.safe}
    settings = challengers.recorded([run.folder / "results.csv"])
    (setting,) = (at for at in settings if at.startswith("reduce f32 "))
    assert set(settings[setting]) == wanted
    assert {unit for _, unit in settings[setting].values()} == {"cycles"}
    assert {
        unit for at, times in settings.items() if at.startswith("moving-average ") for _, unit in times.values()
    } == {"µs"}


@pytest.mark.parametrize(
    ("pattern", "times", "fell"),
    [
        (
            "sum",
            {"shfl": 103.1, "smem": 110.0, "x-mma": 100.0},
            "| `shfl` 103.1 cycles | `x-mma` 100 cycles | 1.03× | – |",
        ),
        ("sum", {"shfl": 103.0, "x-mma": 100.0}, ""),
        ("sum", {"x-mma": 100.0}, ""),
        ("reserve", {"shfl": 200.0, "x-wide": 100.0}, ""),
        ("sum", {"shfl": 200.0, "x-wide": 100.0}, "| `shfl` 200 cycles | `x-wide` 100 cycles | 2.00× | – |"),
        ("count", {"redux-block": 200.0, "x-ticket": 100.0}, ""),
    ],
)
def test_only_a_challenger_of_the_same_question_counts_that_is_faster_by_more_than_the_margin(
    pattern: str, times: dict[str, float], fell: str
) -> None:
    setting = next((at for at in FIRST.without_best if at.startswith(pattern)), f"{pattern} f32 1x32")
    timed = {name: [time, "cycles"] for name, time in times.items()}
    page = challengers.section(FIRST, {"device": "a GPU", "settings": {setting: timed}}, NOW)
    assert fell in page
    assert f"At {int(bool(fell))} of 1 settings" in page
    assert ("`x-wide`: a thread stores for others" in page) == (pattern == "reserve")


def test_variants_of_another_launch_and_those_that_were_replaced_are_no_measure() -> None:
    one = Round("A round", "a", "b", "H200", (), apart={"copy": ("larger",)}, replaced={"copy": ("one",)})
    times = {"larger": [50.0, "µs"], "one": [100.0, "µs"], "two": [120.0, "µs"], "x-one": [80.0, "µs"]}
    today = {"larger": ["smem", 50.0, "µs"], "one": ["smem", 81.0, "µs"], "two": ["smem", 120.0, "µs"]}
    (fall,) = challengers.falls(one, {"settings": {"copy f32 1x32": times}}, {"settings": {"copy f32 1x32": today}})
    assert (fall.published, fall.fastest_now, fall.yardstick) == ("one", "one", "two")
    assert fall.is_answered


@pytest.mark.parametrize(
    ("unit", "now", "answered"),
    [
        ("cycles", {"shfl": 200.0, "wide": 103.0}, True),
        ("cycles", {"shfl": 200.0, "wide": 103.1}, False),
        ("µs", {"shfl": 220.0, "wide": 113.0}, True),  # on a card where launches take 1.1 times as long
        ("µs", {"shfl": 200.0, "wide": 113.0}, False),
    ],
)
def test_a_challenger_is_answered_by_a_variant_that_is_as_fast(
    unit: str, now: dict[str, float], *, answered: bool
) -> None:
    times = {"shfl": 200.0, "x-wide": 100.0}
    fall = challengers.Fall("sum f32 1x32", "shfl", "x-wide", "shfl", times, unit, now)
    assert fall.is_answered == answered
    assert ("(slower)" in fall.line) != answered
