"""How far the answers are from their limits."""

import json

import pytest

from tools.docs.answers.distance import FAR, RECORD, Distance, Limit, answers, distances, limits_of
from tools.docs.records.opponents import Timed

FEW = (  # settings of one kernel each, and what sets its limit
    ("reduce f32 2*sms x 1024 width=32", "exchange"),
    ("neighbor f32 sms x 32 mode=idx", "latency"),
    ("block-combine f32 fill x 256", "barrier"),
)


def test_the_record_has_the_fastest_variants_of_today() -> None:
    known = json.loads(RECORD.read_text(encoding="utf-8"))
    fastest = answers()
    assert {setting: variant for setting, (variant, *_) in known.items()} == {
        setting: fastest[setting].variant for setting in known
    }
    assert {one.setting for one in fastest.values() if one.unit == "cycles"} <= known.keys()


@pytest.mark.archs
@pytest.mark.expensive
@pytest.mark.parametrize(("setting", "by"), FEW)
def test_the_record_is_what_the_compiler_of_today_gives(setting: str, by: str) -> None:
    known = json.loads(RECORD.read_text(encoding="utf-8"))
    (found,) = limits_of({setting: answers()[setting]}).values()
    assert [*found[:3], list(found[3])] == known[setting]
    assert found[2] == by


def test_an_answer_beyond_its_limit_by_over_15_percent_is_open() -> None:
    def at(time: float) -> Distance:
        return Distance(Timed("reduce f32 sms x 32", "shfl", "shfl", time, "cycles"), Limit(100.0, "latency", ()))

    assert (at(FAR * 100).is_open, at(FAR * 100 + 1).is_open) == (False, True)


def test_an_answer_without_a_limit_is_not_open() -> None:
    one = Distance(Timed("count i32 64x256", "redux", "collective", 2.5, "µs"), None)
    assert (one.factor, one.is_open) == (None, False)


def test_no_answer_is_faster_than_its_limit() -> None:
    assert [one for one in distances() if one.factor is not None and one.factor < 0.98] == []
