"""The answer of one setting."""

from dataclasses import replace

import pytest

from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.group_answers import answers_of
from shflbench.analysis.answers.library_words import library_words
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.ranking import Certainty
from shflbench.core.model import Mechanism, Status
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.analysis.answers.rows import answer, committed, run_of, times


def test_the_fastest_candidate_is_recommended_with_its_factors() -> None:
    best = answer(run_of(us=times({"smem": 300.0, "smem-syncwarp": 100.0, "shfl": 50.0})))
    assert (best.variant, best.certainty, best.tied) == ("shfl", Certainty.CLEAR, ())
    assert best.baseline == "smem"
    assert best.over_baseline is not None
    assert best.over_baseline.value == pytest.approx(6.0)
    assert best.over_baseline.low == pytest.approx(6 * 0.999 / 1.001)
    assert best.runner_up == "smem-syncwarp"
    assert best.over_runner_up
    assert best.over_runner_up.value == pytest.approx(2.0)


def test_a_tie_gives_the_simpler_variant_though_another_is_a_little_faster() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 50.2})))
    assert (best.variant, best.certainty, best.tied) == ("shfl", Certainty.TIE, ("smem-syncwarp",))


def test_of_one_mechanism_fewer_instructions_are_simpler() -> None:
    run = run_of(us=times({"smem-syncwarp": 50.0, "smem-double": 50.1, "shfl": 90.0}))
    counts = {"smem-syncwarp": {"STS": 1.0, "LDS": 1.0, "BAR": 1.0}}
    rows = tuple(replace(row, sass_per_iteration=counts.get(row.variant, row.sass_per_iteration)) for row in run.rows)
    assert answer(replace(run, rows=rows)).variant == "smem-double"


def test_a_lead_below_one_percent_is_a_tie_however_narrow_the_intervals_are() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 50.3}), half_width=1e-6))
    assert best.certainty is Certainty.TIE


def test_a_lead_above_one_percent_is_clear() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 51.0})))
    assert (best.variant, best.certainty) == ("smem-syncwarp", Certainty.CLEAR)


def test_wide_intervals_leave_the_answer_undecided() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 50.4}), half_width=0.03))
    assert (best.certainty, set(best.leaders)) == (Certainty.UNDECIDED, {"shfl", "smem-syncwarp"})
    assert best.variant == "shfl"  # the simpler one, which is not shown to be slower


def test_an_undecided_variant_that_was_slower_is_not_recommended() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 80.0}), half_width=0.3))
    assert (best.variant, best.certainty) == ("smem-syncwarp", Certainty.UNDECIDED)


def test_an_undecided_variant_that_is_shown_to_be_slower_is_not_recommended() -> None:
    best = answer(run_of(us=times({"smem-syncwarp": 50.0, "shfl": 50.4}), half_width=0.0039))
    assert (best.variant, best.certainty) == ("smem-syncwarp", Certainty.UNDECIDED)


def test_a_library_call_is_as_fast_only_where_its_time_is() -> None:
    fast = answer(run_of(pattern="reduce", us=times({"shfl": 50.0, "cg": 50.3}), half_width=0.003))
    assert (fast.libraries, fast.undecided_libraries) == (("cg",), ())
    assert library_words(fast) == ["library calls as fast: cg"]
    wide = answer(run_of(pattern="reduce", us=times({"shfl": 50.0, "cg": 58.0}), half_width=0.1))
    assert (wide.libraries, wide.undecided_libraries) == ((), ("cg",))
    assert library_words(wide) == ["library call undecided: cg (1.16× (0.95× to 1.42×) as long)"]
    slow = answer(run_of(pattern="reduce", us=times({"shfl": 50.0, "cg": 58.0})))
    assert (slow.libraries, slow.undecided_libraries) == ((), ())


def test_a_faster_unsafe_variant_is_named_as_unsafe_and_not_recommended() -> None:
    best = answer(run_of(us=times({"smem-unsafe": 20.0, "shfl": 50.0})))
    assert best.variant == "shfl"
    assert "smem-unsafe" not in best.leaders
    (note,) = [note for note in best.notes if "smem-unsafe" in note]
    assert note.startswith("smem-unsafe runs at 2.5× the speed, but is unsafe")
    ranked = best.rank("smem-unsafe")
    assert ranked
    assert ranked.role is Role.UNSAFE


def test_a_slower_unsafe_variant_is_not_named() -> None:
    assert not any("unsafe" in note for note in answer(run_of()).notes)


def test_a_library_call_is_ranked_but_not_recommended() -> None:
    best = answer(run_of(pattern="reduce", us=times({"cub": 10.0})))
    assert best.variant == "shfl"
    assert best.ranking[0].variant == "cub"
    assert best.ranking[0].role is Role.LIBRARY


def test_a_group_with_one_candidate_has_no_answer() -> None:
    run = run_of()
    rows = tuple(row for row in run.rows if row.variant in {"shfl", "smem-unsafe"})
    assert answers_of(replace(run, rows=rows), {}) == []


def test_cases_without_an_interval_do_not_count() -> None:
    run = run_of()
    rows = tuple(
        replace(row, time_low_us=None, time_high_us=None) if row.variant == "shfl" else row for row in run.rows
    )
    assert answer(replace(run, rows=rows)).variant == "smem-syncwarp"


def test_cases_without_a_time_do_not_count() -> None:
    run = run_of()
    rows = tuple(replace(row, status=Status.FAILED, time_us=None) if row.variant == "shfl" else row for row in run.rows)
    best = answer(replace(run, rows=rows))
    assert best.variant == "smem-syncwarp"
    assert best.rank("shfl") is None
    assert not any("/shfl/" in case for case in best.case_ids)


def test_variants_that_read_different_memories_are_no_choice() -> None:
    run = committed("quick", "memory-ladder")
    assert len(run.rows) > 1
    assert answers_of(run, {}) == []


def test_figures_are_those_of_the_committed_rows() -> None:
    run = committed("gtc2013", "reduce")
    limits = read_limits(run.folder)
    by_case = {row.case_id: row for row in run.rows}
    answers = answers_of(run, limits)
    assert len(answers) == 18
    for best in answers:
        row = by_case[best.case_ids[[one.variant for one in best.ranking].index(best.variant)]]
        assert best.over_baseline
        assert best.over_baseline.value == pytest.approx(row.speedup, rel=1e-5)
        assert best.limit_fraction == limits[row.case_id].limit_fraction
        assert row.mechanism in {Mechanism.SHFL, Mechanism.COLLECTIVE}


def test_intervals_that_hold_jointly_are_wider_than_those_of_the_rows() -> None:
    run = committed("quick", "reduce")
    narrow, wide = answer(run), answers_of(run, {}, RunTimes(read_run(run.folder)))[0]
    assert narrow.variant == wide.variant == "shfl"
    assert narrow.over_runner_up
    assert wide.over_runner_up
    assert wide.over_runner_up.half_width > narrow.over_runner_up.half_width
