import time

import pytest

from shflbench.core.thresholds import ALLOWED, CASES_ALLOWED, Special, Threshold, Thresholds

CASE = "neighbor/shfl/f32/sms/2 x 64/4096/mode=idx"
ONE_PERCENT = Threshold(0.01)
TWO_PERCENT = Threshold(0.02)
FIFTH_OF_A_MICROSECOND = Threshold(0.2, "us")


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("1%", ONE_PERCENT),
        (" 1.0 % ", ONE_PERCENT),
        (".5%", Threshold(0.005)),
        ("100%", Threshold(1)),
        ("0.001%", Threshold(0.00001)),
        ("0.2us", FIFTH_OF_A_MICROSECOND),
        ("0.2 \u00b5s", FIFTH_OF_A_MICROSECOND),
        ("0.2\u03bcs", FIFTH_OF_A_MICROSECOND),
        ("1000000us", Threshold(1_000_000, "us")),
    ],
)
def test_a_threshold_is_a_percentage_or_a_time(text: str, threshold: Threshold) -> None:
    assert Threshold.parse(text) == threshold


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "0.01", "%", "us", "1.%", "1e-1%", "-1%", "+1%", "1_0%", "\u0661%", "nan%", "1%%", "1ms", "1 US"),
        *("0%", "0us", "0.0009%", "0.0009us", "100.1%", "1000001us", "9" * 500 + "%", f"0.{'0' * 400}1us"),
    ],
)
def test_invalid_threshold_is_answered_with_the_allowed_forms(text: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  (its text is compared)
        Threshold.parse(text)
    assert str(error.value) == ALLOWED


def test_a_long_number_is_refused_at_once() -> None:
    begin = time.process_time()
    with pytest.raises(ValueError, match="a percentage"):
        Threshold.parse("9" * 50_000)
    assert time.process_time() - begin < 1  # reading each digit as the first of a fraction took 10 s


@pytest.mark.parametrize("text", ["1%", "0.7%", "0.001%", "12.5%", "100%", "0.2us", "0.001us", "1000000us"])
def test_a_threshold_is_written_as_it_is_read(text: str) -> None:
    assert str(Threshold.parse(text)) == text


def test_a_time_is_a_larger_part_of_a_shorter_time() -> None:
    assert [FIFTH_OF_A_MICROSECOND.fraction_of(time_us) for time_us in (1.0, 10.0)] == [0.2, 0.02]
    assert [ONE_PERCENT.fraction_of(time_us) for time_us in (1.0, 10.0)] == [0.01, 0.01]


@pytest.mark.parametrize(
    ("special", "holds"),
    [
        (Special(ONE_PERCENT), True),
        (Special(ONE_PERCENT, pattern="neighbor"), True),
        (Special(ONE_PERCENT, pattern="neigh"), False),
        (Special(ONE_PERCENT, variant="shfl"), True),
        (Special(ONE_PERCENT, variant="f32"), False),
        (Special(ONE_PERCENT, pattern="neighbor", variant="smem"), False),
        (Special(ONE_PERCENT, case=CASE), True),
        (Special(ONE_PERCENT, case="neighbor"), False),
        (Special(ONE_PERCENT, case="*/f32/*"), True),
        (Special(ONE_PERCENT, case="NEIGHBOR/*"), False),
        (Special(ONE_PERCENT, case="*mode=idx", variant="smem"), False),
        (Special(ONE_PERCENT, case="[z-a"), False),
    ],
)
def test_a_threshold_for_some_cases_applies_to_those_that_match_all_its_parts(special: Special, *, holds: bool) -> None:
    assert special.holds_for(CASE) is holds


def test_an_id_of_one_word_is_a_pattern_without_a_variant() -> None:
    assert Special(ONE_PERCENT, pattern="neighbor").holds_for("neighbor")
    assert not Special(ONE_PERCENT, variant="shfl").holds_for("neighbor")


def test_the_last_threshold_that_holds_for_a_case_counts() -> None:
    some = Thresholds(TWO_PERCENT, (Special(ONE_PERCENT), Special(FIFTH_OF_A_MICROSECOND, variant="shfl")))
    assert some.of(CASE) == FIFTH_OF_A_MICROSECOND
    assert some.of(CASE.replace("shfl", "smem")) == ONE_PERCENT
    assert Thresholds(TWO_PERCENT).of(CASE) == TWO_PERCENT
    assert Thresholds().of(CASE) is None


def test_all_thresholds_are_returned() -> None:
    assert Thresholds().values() == ()
    assert Thresholds.parse(["2%", "*/shfl/*=0.2us"]).values() == (TWO_PERCENT, FIFTH_OF_A_MICROSECOND)


def test_thresholds_are_parsed_from_options() -> None:
    assert Thresholds.parse(["1%", f"{CASE}=0.2us", " */shfl/* =1%", "2%"]) == Thresholds(
        TWO_PERCENT, (Special(FIFTH_OF_A_MICROSECOND, case=CASE), Special(ONE_PERCENT, case="*/shfl/*"))
    )
    assert Thresholds.parse([]) == Thresholds()


@pytest.mark.parametrize("text", ["", "=1%", " =1%", "neighbor/*", CASE, "neighbor/*=", "1%=neighbor/*"])
def test_invalid_option_value_is_answered_with_the_allowed_forms(text: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  (its text is compared)
        Thresholds.parse(["1%", text])
    assert str(error.value) == CASES_ALLOWED


def test_options_for_some_cases_keep_the_suites_thresholds_for_others() -> None:
    suite = Thresholds(TWO_PERCENT, (Special(ONE_PERCENT, variant="shfl"),))
    flags = Thresholds(None, (Special(FIFTH_OF_A_MICROSECOND, case="*/f32/*"),))
    both = suite.overridden_by(flags)
    assert both.of(CASE) == FIFTH_OF_A_MICROSECOND
    assert both.of(CASE.replace("f32", "f64")) == ONE_PERCENT
    assert both.of("neighbor/smem/f64/1x32/1") == TWO_PERCENT


def test_an_option_for_all_cases_overrides_every_threshold_of_the_suite() -> None:
    suite = Thresholds(TWO_PERCENT, (Special(ONE_PERCENT, variant="shfl"),))
    assert suite.overridden_by(Thresholds(FIFTH_OF_A_MICROSECOND)) == Thresholds(FIFTH_OF_A_MICROSECOND)
    assert suite.overridden_by(Thresholds()) == suite
