from dataclasses import replace
from pathlib import Path

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.core.model import Noise, Status
from shflbench.output.plot.subject import caption_of, subjects, untimed_notes, whole_run
from shflbench.store import read_run
from tests.fakes.runs import info, measured, untimed, write_run
from tests.output.plot.subjects import rows, subject


def test_the_caption_names_device_driver_suite_date_and_version() -> None:
    assert caption_of(info()).origin == (
        "NVIDIA H200 (sm_90) · driver 580.159 · CUDA 13.0 · suite gtc2013 · run of 2026-11-20 · shflbench 0.1.0"
    )


def test_the_caption_warns_of_a_run_that_was_not_quiet() -> None:
    busy = Noise("busy GPU", "the sentinels were slow in 42% of their rounds", "run again")
    assert caption_of(replace(info(), noise=busy)).warning == (
        "Busy GPU: the sentinels were slow in 42% of their rounds."
    )
    quiet = Noise("quiet", "nine tenths of the sentinels' rounds within 0.53%", "")
    assert caption_of(replace(info(), noise=quiet)).warning == caption_of(info()).warning == ""


def test_variants_are_ranked_by_their_times_in_all_groups_and_untimed_ones_come_last() -> None:
    cases = [
        untimed(row, Status.FAILED, "crashed") if row.variant == "smem-double" else row for row in rows("f32", "f64")
    ]
    assert subject(cases).variants == ("shfl", "smem-syncwarp", "smem-unsafe", "smem-deck", "smem", "smem-double")


def test_a_group_is_named_by_its_cases_without_their_variant() -> None:
    assert subject(rows("f32", options=["mode=idx"])).group_names == ("neighbor/f32/26x1024/4096/mode=idx",)


def test_a_shared_setting_is_given_once_and_others_per_group() -> None:
    about = subject(rows("f32", "f64", launches=("26x1024", "132x256")))
    assert about.shared_setting == " at 4096 iterations"
    assert about.distinct_setting(about.rows[-1]) == "f64, 132x256"
    assert about.distinct_setting(about.rows[-1], {GRID, BLOCK}) == "f64"
    assert about.name_of(about.rows[-1]) == "shfl, f64, 132x256"


def test_only_kept_samples_of_the_asked_iterations_count_in_the_order_of_time(tmp_path: Path) -> None:
    cases, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=20)
    samples = [replace(sample, dropped=sample.round == 1, process=1 - sample.sample % 2) for sample in samples]
    about = whole_run(read_run(write_run(tmp_path / "run", cases, samples)))
    assert set(about.samples["iterations"]) == {4096}
    assert about.dropped == 6 * 8
    assert len(about.samples) == 6 * 12
    assert about.samples["process"].is_monotonic_increasing


def test_a_pattern_without_any_time_is_no_subject(tmp_path: Path) -> None:
    cases, samples = measured(dtypes=["f32"], samples=6)
    cases = [untimed(row, Status.FAILED, "crashed") if row.pattern == "reduce" else row for row in cases]
    run = read_run(write_run(tmp_path / "run", cases, samples))
    assert [about.pattern for about in subjects(whole_run(run))] == ["neighbor"]


def test_notes_count_the_cases_that_share_a_reason() -> None:
    cases = [untimed(row, Status.SKIPPED, "needs sm_80") for row in rows("f32", "f64") if row.variant == "shfl"]
    cases.append(untimed(rows()[0], Status.INCORRECT, "wrong at lane 3"))
    assert untimed_notes(cases) == [
        "No time for shfl in 2 cases: skipped: needs sm_80",
        "No time for smem (f32, 26x1024): incorrect: wrong at lane 3",
    ]


def test_many_notes_end_with_how_many_more_there_are() -> None:
    cases = [untimed(row, Status.FAILED, f"reason {number}") for number, row in enumerate(rows("f32", "f64"))]
    assert untimed_notes(cases)[-1] == "… and 6 more, in results.csv"
