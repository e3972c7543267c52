"""Limits are times in four units, for all cases or for those that match."""

import pytest

from shflbench.core.time_limits import TimeLimits


@pytest.mark.parametrize(
    ("text", "time_us"),
    [("500us", 500), ("500 µs", 500), ("2ms", 2000), (".5ms", 500), ("1s", 1e6), ("250ns", 0.25), ("1.5 us", 1.5)],
)
def test_a_limit_has_a_unit(text: str, time_us: float) -> None:
    assert TimeLimits.parse([text]).of("scan/shfl") == pytest.approx(time_us)


@pytest.mark.parametrize(
    "text", ["", "500", "us", "-1us", "0us", "0.5ns", "10001s", "1e3us", "1%", "1 m", "=1us", "a=", "a=1", "nanus"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a time such as `500us`, from 1ns to 10000s"):
        TimeLimits.parse([text])


def test_the_last_limit_that_matches_holds() -> None:
    limits = TimeLimits.parse(["scan/*=2ms", "500us", "*/mode=up=3us", "scan/shfl*=1ms"])
    assert [limits.of(case) for case in ("reduce/shfl", "scan/smem", "scan/shfl/f32", "vote/mode=up")] == [
        500,
        2000,
        1000,
        3,
    ]
    assert TimeLimits.parse(["scan/*=2ms"]).of("reduce/shfl") is None
