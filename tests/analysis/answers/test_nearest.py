"""The measured setting nearest to a request."""

import re
from dataclasses import replace

import pytest

from shflbench.analysis.answers.answer import Answer
from shflbench.analysis.answers.group_answers import answers_of
from shflbench.analysis.answers.nearest import Advice, advise
from shflbench.analysis.answers.request import Request, is_same_launch, usual_request
from shflbench.core.model import Case
from tests.analysis.answers.rows import run_of


def answers(*dtypes: str, launches: tuple[str, ...] = ("26x1024",), options: tuple[str, ...] = ("",)) -> list[Answer]:
    return answers_of(run_of(*dtypes, launches=launches, options=options), {})


def made(request: Request, known: list[Answer]) -> Advice:
    advice = advise(request, known)
    assert advice
    return advice


def test_launches_of_as_many_threads_in_other_dimensions_differ() -> None:
    (row,) = answers("f32", launches=("64x256",))
    request = Request(pattern="neighbor", launch="8x8:16x16", block=256, grid=64)
    assert not is_same_launch(request, row)
    assert is_same_launch(replace(request, launch="64 x 256"), row)
    assert is_same_launch(request, replace(row, launch="8x8:16x16"))


def test_the_setting_itself_is_taken_where_it_was_measured() -> None:
    known = answers("f32", "f64", launches=("26x1024", "26x256"))
    advice = made(Request(pattern="neighbor", dtype="f64", block=256), known)
    assert (advice.answer.dtype, advice.answer.block, advice.differences) == ("f64", 256, ())


@pytest.mark.parametrize(("dtype", "nearest"), [("i32", "f32"), ("i64", "f64"), ("f16", "f32"), ("f32x4", "f64")])
def test_a_dtype_that_was_not_measured_takes_one_of_the_nearest_size(dtype: str, nearest: str) -> None:
    advice = made(Request(pattern="neighbor", dtype=dtype), answers("f64", "f32"))
    assert advice.answer.dtype == nearest
    assert [one.sentence for one in advice.differences] == [f"measured with {nearest}; you asked for {dtype}"]


def test_an_open_dtype_is_f32_or_the_nearest_to_it() -> None:
    assert made(Request(pattern="neighbor"), answers("f16", "f64", "f32")).answer.dtype == "f32"
    advice = made(Request(pattern="neighbor"), answers("i64", "i32"))
    assert (advice.answer.dtype, advice.differences) == ("i32", ())


def test_blocks_are_nearest_by_ratio_and_the_difference_is_said() -> None:
    advice = made(Request(pattern="neighbor", block=256), answers(launches=("26x1024", "26x32")))
    assert [one.sentence for one in advice.differences] == ["measured at 26x1024; you asked for blocks of 256"]


def test_options_count_more_than_the_launch() -> None:
    known = answers(options=("mode=idx", "mode=up"), launches=("26x1024",)) + answers(
        options=("mode=idx",), launches=("26x256",)
    )
    advice = made(Request(pattern="neighbor", options={"mode": "up"}, block=256), known)
    assert advice.answer.options == (("mode", "up"),)


def test_an_open_option_has_its_default() -> None:
    known = answers(options=("mode=up", "mode=idx"))
    assert made(usual_request("neighbor"), known).answer.options == (("mode", "idx"),)


def test_a_launch_in_other_words_is_the_same_one_on_the_gpu() -> None:
    known = answers(launches=("264x1024",))
    request = Request(pattern="neighbor", launch="2*sms x 1024", block=1024, grid=264)
    assert made(request, known).differences == ()


def test_an_open_launch_prefers_a_full_gpu_over_several_waves() -> None:
    known = answers(launches=("26x1024", "264x1024", "1056x1024"))
    assert made(Request(pattern="neighbor", full_threads=132 * 2048), known).answer.grid == 264


def slower_in_small_blocks(case: Case) -> float | None:
    small = case.launch.block <= 64
    return {"shfl": 40.0 if small else 10.0, "smem-syncwarp": 20.0}.get(case.variant)


def test_it_depends_where_the_settings_below_and_above_have_different_winners() -> None:
    known = answers_of(run_of(launches=("26x1024", "26x256", "26x64", "26x32"), us=slower_in_small_blocks), {})
    advice = made(Request(pattern="neighbor", block=128), known)
    assert {answer.block for answer in advice.around} == {64, 256}
    winner, other = advice.answer.variant, "shfl" if advice.answer.variant == "smem-syncwarp" else "smem-syncwarp"
    assert winner in {"shfl", "smem-syncwarp"}
    assert len(advice.depends) == 1
    assert re.fullmatch(rf"{other} \([\d.]+× the speed of {winner}\) at block=\d+", advice.depends[0])


def test_it_does_not_depend_where_the_requested_block_was_measured() -> None:
    known = answers_of(run_of(launches=("26x1024", "26x256", "26x64", "26x32"), us=slower_in_small_blocks), {})
    advice = made(Request(pattern="neighbor", block=256), known)
    assert (advice.answer.variant, advice.depends) == ("shfl", ())
    assert advice.elsewhere == ("smem-syncwarp (2.0× the speed of shfl) at block=32 or 64",)


def test_it_depends_on_an_open_option() -> None:
    def us(case: Case) -> float | None:
        return {"shfl": 40.0 if ("mode", "up") in case.options else 10.0, "smem-syncwarp": 20.0}.get(case.variant)

    known = answers_of(run_of(options=("mode=idx", "mode=up"), us=us), {})
    advice = made(usual_request("neighbor"), known)
    assert advice.depends == ("smem-syncwarp (2.0× the speed of shfl) at mode=up",)
    assert advice.open_factors == ("mode",)
    named = made(Request(pattern="neighbor", options={"mode": "idx"}), known)
    assert (named.depends, named.elsewhere) == ((), ("smem-syncwarp (2.0× the speed of shfl) at mode=up",))


def test_a_variant_that_ties_here_and_leads_around_is_robust() -> None:
    def us(case: Case) -> float | None:
        return {"shfl": 40.0 if ("mode", "up") in case.options else 20.0, "smem-syncwarp": 20.0}.get(case.variant)

    known = answers_of(run_of(options=("mode=idx", "mode=up"), us=us), {})
    advice = made(usual_request("neighbor"), known)
    assert (advice.answer.variant, advice.robust) == ("shfl", "smem-syncwarp")


def test_a_variant_that_ties_here_and_loses_around_is_not_robust() -> None:
    def us(case: Case) -> float | None:
        is_up = ("mode", "up") in case.options
        return {"shfl": 40.0 if is_up else 20.0, "smem-double": 20.0, "smem-syncwarp": 9.0 if is_up else 20.0}.get(
            case.variant
        )

    known = answers_of(run_of(options=("mode=idx", "mode=up"), us=us), {})
    advice = made(usual_request("neighbor"), known)
    assert set(advice.answer.leaders) == {"shfl", "smem-syncwarp", "smem-double"}
    assert advice.robust == "smem-syncwarp"


def test_another_pattern_gives_no_advice() -> None:
    assert advise(Request(pattern="reduce"), answers()) is None
