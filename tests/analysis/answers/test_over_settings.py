"""One answer over the settings of a pattern and dtype."""

from dataclasses import replace

from shflbench.analysis.answers.group_answers import answers_of
from shflbench.analysis.answers.over_settings import exceptions_to, summary_answers
from shflbench.core.model import Case
from tests.analysis.answers.rows import committed, run_of


def test_the_answer_is_that_of_the_representative_setting() -> None:
    def us(case: Case) -> float | None:
        at_26x1024 = case.launch.expression == "26x1024"  # that of the pattern; the others lead in more settings
        return {"shfl": 10.0 if at_26x1024 else 40.0, "smem-syncwarp": 20.0}.get(case.variant)

    (summary,) = summary_answers(answers_of(run_of(launches=("132x1024", "26x1024", "264x1024"), us=us), {}))
    assert (summary.usual.variant, summary.usual.launch, summary.leads) == ("shfl", "26x1024", 1)
    assert summary.exceptions == ("smem-syncwarp (2.0× the speed of shfl) at grid=132 or 264",)


def test_another_winner_is_named_with_the_settings_and_its_factor() -> None:
    def us(case: Case) -> float | None:
        small = case.launch.block == 32
        return {"shfl": 20.0 if small else 10.0, "smem-syncwarp": 10.0 if small else 40.0}.get(case.variant)

    run = run_of(launches=("26x1024", "26x512", "26x32"), us=us)
    (summary,) = summary_answers(answers_of(run, {}))
    assert (summary.usual.variant, summary.leads, len(summary.answers)) == ("shfl", 2, 3)
    assert summary.exceptions == ("smem-syncwarp (2.0× the speed of shfl) at block=32",)


def test_a_factor_is_given_only_where_the_variant_was_measured() -> None:
    def us(case: Case) -> float | None:
        is_usual = case.launch.block == 1024
        return {"shfl": 10.0 if is_usual else 20.0, "smem-syncwarp": 40.0 if is_usual else 10.0}.get(case.variant)

    run = run_of(launches=("26x1024", "26x512", "26x32"), us=us)
    rows = tuple(row for row in run.rows if (row.variant, row.block) != ("shfl", 32))
    (summary,) = summary_answers(answers_of(replace(run, rows=rows), {}))
    assert summary.exceptions == (
        "smem-syncwarp (2.0× the speed of shfl) at block=512",
        "smem-syncwarp (shfl was not measured) at block=32",
    )


def test_a_tie_is_no_exception() -> None:
    def us(case: Case) -> float | None:
        return {"shfl": 10.0, "smem-syncwarp": 10.0 if case.launch.block == 32 else 40.0}.get(case.variant)

    (summary,) = summary_answers(answers_of(run_of(launches=("26x1024", "26x32"), us=us), {}))
    assert (summary.leads, summary.exceptions) == (2, ())


def test_each_dtype_has_its_own_answer() -> None:
    summaries = summary_answers(answers_of(run_of("f32", "i32", pattern="reduce"), {}))
    found = [(summary.usual.dtype, summary.usual.variant) for summary in summaries]
    assert found == [
        ("f32", "shfl"),
        ("i32", "redux"),
    ]


def test_redux_sums_whole_warps_of_integers_only_on_the_committed_run() -> None:
    answers = answers_of(committed("gtc2013", "reduce"), {})
    summaries = {summary.usual.dtype: summary for summary in summary_answers(answers)}
    assert summaries["i32"].usual.variant == "redux"
    assert set(summaries["i32"].usual.libraries) == {"cub", "cg"}
    assert summaries["i32"].exceptions == ("shfl (redux was not measured) at width=2 or 4 or 8 or 16",)
    assert summaries["f32"].exceptions == ()
    integers = [answer for answer in answers if answer.dtype == "i32"]
    assert exceptions_to("redux", integers) == ("shfl (redux was not measured) at width=2 or 4 or 8 or 16",)
