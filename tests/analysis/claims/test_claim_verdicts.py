import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.claims.claim_verdicts import ClaimRun, judge_claims, judge_subjects, read_claim_run, verdict_of
from shflbench.analysis.claims.verdict import ClaimStatus, ClaimVerdict, SettingStatus
from shflbench.core.claims.claim import Claim, Quantifier
from shflbench.core.model import Interval, Noise, Status
from shflbench.errors import ResultsError
from shflbench.store.run_files import CHECK_FILE, SAMPLES_FILE
from tests.analysis.claims.conftest import claim, edit_rows, recorded, subject

QUICK = "reduce, f32, 26x1024, 512 iterations, width=32"


def judge(tested: Claim, *runs: ClaimRun | str) -> ClaimVerdict:
    if all(isinstance(run, str) for run in runs):
        (verdict,) = judge_subjects([tested], [subject(str(run)) for run in runs])
    else:
        (verdict,) = judge_claims([tested], [recorded(run) if isinstance(run, str) else run for run in runs])
    return verdict


def changed(source: ClaimRun, case_id: str, **fields: object) -> ClaimRun:
    """Return the run with other values in one row."""
    rows = [replace(row, **fields) if row.case_id == case_id else row for row in source.run.rows]  # type: ignore[arg-type]
    return replace(source, run=replace(source.run, rows=tuple(rows)))


def test_a_claim_that_holds_in_its_setting_is_confirmed_with_interval_and_reason() -> None:
    verdict = judge(claim("speedup(shfl, smem) > 1", pattern="reduce"), "quick")
    assert verdict.verdict is ClaimStatus.CONFIRMED
    times = {row.variant: row.time_us or 0.0 for row in recorded("quick").run.rows if row.pattern == "reduce"}
    ratio = times["smem"] / times["shfl"]
    assert verdict.measured == f"{ratio:.1f}×"
    assert verdict.sentence.startswith(f"holds at {QUICK}: {ratio:.1f}×")
    assert verdict.why.startswith("shfl: 5 SHFL per iteration, ")
    assert "; smem: 5 STS, 5 LDS, 10 BAR per iteration, " in verdict.why
    (setting,) = verdict.settings
    assert setting == verdict.worst
    assert (setting.outcome, setting.suite, setting.pattern) == (SettingStatus.HOLDS, "quick", "reduce")
    assert setting.case_ids == ("reduce/shfl/f32/26x1024/512/width=32", "reduce/smem/f32/26x1024/512/width=32")
    assert isinstance(setting.measured, Interval)
    assert setting.measured.low < ratio < setting.measured.high


def test_a_claim_that_fails_everywhere_is_refuted() -> None:
    verdict = judge(claim("speedup(shfl, smem) > 100", pattern="reduce|scan"), "quick")
    assert verdict.verdict is ClaimStatus.REFUTED
    assert verdict.sentence.startswith("fails in both settings; most clearly at ")


def test_a_claim_that_holds_in_some_settings_depends_on_the_factor_that_decides() -> None:
    tested = claim("speedup(shfl, smem) > 2", pattern="neighbor", grid="1|sms")
    verdict = judge(tested, "launch-sweep")
    assert verdict.verdict is ClaimStatus.DEPENDS
    assert verdict.measured == "1.5× to 4.6×"
    assert verdict.sentence == "holds in 6 of 12 settings (block=256, 512, 1024) and fails in 6 (block=32, 64, 128)"
    assert verdict.worst
    assert verdict.worst.outcome is SettingStatus.FAILS
    ratios = [setting.measured.value for setting in verdict.settings if isinstance(setting.measured, Interval)]
    assert isinstance(verdict.worst.measured, Interval)
    assert verdict.worst.measured.value == min(ratios)


@pytest.mark.archs
def test_values_that_undecided_settings_have_too_are_not_named() -> None:
    tested = claim("speedup(shfl-warp, smem) >= 1.5", pattern="softmax", length="64|128|256|512|1024")
    verdict = judge(tested, "rows")
    assert verdict.sentence.startswith("holds in 14 of 17 settings and fails in 2 (grid=768, 16384); undecided in 1 ")


def test_one_setting_refutes_a_claim_that_says_always() -> None:
    tested = claim("speedup(shfl, smem) > 2", quantifier=Quantifier.ALWAYS, pattern="neighbor", grid="1|sms")
    verdict = judge(tested, "launch-sweep")
    assert verdict.verdict is ClaimStatus.REFUTED
    assert verdict.sentence.startswith("holds in 6 of 12 settings (block=256, 512, 1024) and fails in 6 (")
    assert "; fails most clearly at " in verdict.sentence


H, F, U = SettingStatus.HOLDS, SettingStatus.FAILS, SettingStatus.UNDECIDED
ALL, ALWAYS, SOME = Quantifier


@pytest.mark.parametrize(
    ("quantifier", "outcomes", "expected"),
    [
        (ALWAYS, [H, H, U], ClaimStatus.INCONCLUSIVE),
        (ALWAYS, [H, F, U], ClaimStatus.REFUTED),
        (ALWAYS, [F, U, U], ClaimStatus.REFUTED),
        (ALL, [H, F, U], ClaimStatus.DEPENDS),
        (ALL, [F, F, U], ClaimStatus.INCONCLUSIVE),  # it may depend on the setting
        (ALL, [F, U], ClaimStatus.INCONCLUSIVE),
        (SOME, [F, F, U], ClaimStatus.INCONCLUSIVE),  # it may hold in the third
        (SOME, [F, U, H], ClaimStatus.CONFIRMED),
        (ALL, [], ClaimStatus.INCONCLUSIVE),
    ],
)
def test_the_verdict_follows_from_the_settings(
    quantifier: Quantifier, outcomes: list[SettingStatus], expected: ClaimStatus
) -> None:
    assert verdict_of(quantifier, outcomes) is expected


def test_settings_that_no_factor_separates_are_named_up_to_four() -> None:
    verdict = judge(claim("registers(shfl) > 24", pattern="struct-access"), "gtc2013")
    assert verdict.verdict is ClaimStatus.DEPENDS
    holds, fails = verdict.sentence.split(" and fails in ")
    assert max(holds.count(";"), fails.count(";")) <= 4
    assert "words=" in holds
    assert "f32" not in verdict.sentence  # all settings have it


def test_of_many_settings_those_of_each_pattern_are_counted() -> None:
    verdict = judge(claim("registers(shfl) > 24"), "gtc2013")
    holds, fails = verdict.sentence.split(" and fails in ")
    assert holds.startswith("holds in ")
    assert " of scan" in holds + fails
    assert len(verdict.sentence) < 400


def test_a_claim_near_the_boundary_is_inconclusive_and_says_why() -> None:
    source = recorded("quick")
    (speedup,) = (row.speedup for row in source.run.rows if (row.pattern, row.variant) == ("transpose", "shfl"))
    verdict = judge(claim(f"speedup(shfl, smem) > {speedup}", pattern="transpose"), source)
    assert verdict.verdict is ClaimStatus.INCONCLUSIVE
    assert "undecided at transpose, f32, 26x1024, 512 iterations, words=8: speedup(shfl, smem) is " in verdict.sentence
    assert not verdict.settings[0].is_missing


def test_one_setting_is_enough_for_some() -> None:
    verdict = judge(claim("speedup(shfl, smem) > 4.5", quantifier=Quantifier.SOME, pattern="neighbor"), "launch-sweep")
    assert verdict.verdict is ClaimStatus.CONFIRMED
    assert verdict.sentence.startswith("holds in 3 of 30 settings, such as neighbor, f32, ")
    verdict = judge(claim("speedup(shfl, smem) > 9", quantifier=Quantifier.SOME, pattern="neighbor"), "launch-sweep")
    assert verdict.verdict is ClaimStatus.REFUTED


def test_runs_are_judged_together() -> None:
    tested = claim("sass(shfl, SHFL) == 5", pattern="reduce", dtype="f32", width="32")
    verdict = judge(tested, "gtc2013", "quick", "launch-sweep")
    assert {setting.suite for setting in verdict.settings} == {"gtc2013", "quick", "launch-sweep"}
    assert len(verdict.settings) == 32
    assert verdict.verdict is ClaimStatus.CONFIRMED


def test_two_runs_of_a_suite_are_distinguished_by_their_folders() -> None:
    source = recorded("quick")
    moved = replace(source, run=replace(source.run, folder=Path("earlier")))
    verdict = judge(claim("registers(shfl) > 99", pattern="reduce"), moved, source)
    assert [setting.run for setting in verdict.settings] == ["earlier", str(source.folder)]
    run = changed(moved, "reduce/shfl/f32/26x1024/512/width=32", registers=100)
    verdict = judge(claim("registers(shfl) > 99", pattern="reduce"), run, source)
    assert verdict.sentence == f"holds in 1 of 2 settings (earlier) and fails in 1 ({source.folder})"


@pytest.mark.archs
def test_calls_with_settings_make_one_setting_of_the_groups_that_they_join() -> None:
    tested = claim(
        "time(local, index=worst) > time(local, index=uniform)", pattern="private-array", length="32", math="0"
    )
    verdict = judge(tested, "dynamic-indexing")
    names = [setting.setting for setting in verdict.settings]
    assert len(names) == len(set(names))
    assert not any("index" in name for name in names)
    assert "local (index=worst): " in verdict.why


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (Status.FAILED, "reduce/shfl/f32/26x1024/512/width=32 failed: it crashed"),
        (Status.INCORRECT, "reduce/shfl/f32/26x1024/512/width=32 computed a wrong result: it crashed"),
    ],
)
def test_a_case_that_failed_makes_the_claim_inconclusive_and_is_named(status: Status, sentence: str) -> None:
    run = changed(recorded("quick"), "reduce/shfl/f32/26x1024/512/width=32", status=status, reason="it crashed")
    verdict = judge(claim("speedup(shfl, smem) > 1", pattern="reduce|scan"), run)
    assert verdict.verdict is ClaimStatus.INCONCLUSIVE
    assert [setting.is_missing for setting in verdict.settings] == [True, False]
    said = f"holds in 1 of 2 settings; values are missing in 1 of 2 settings: {sentence}"
    assert verdict.sentence.startswith(said)
    assert verdict.worst == verdict.settings[1]


def test_a_claim_about_cases_that_no_run_has_is_inconclusive() -> None:
    verdict = judge(claim("speedup(shfl, magic) > 1", pattern="reduce"), "quick")
    assert verdict.verdict is ClaimStatus.INCONCLUSIVE
    assert verdict.settings[0].is_missing
    assert "there is no case of `magic` at reduce, f32" in verdict.sentence
    verdict = judge(claim("speedup(shfl, smem) > 1", pattern="stencil"), "quick")
    assert verdict.settings == ()
    assert verdict.sentence == "no run of quick has the cases of the claim (pattern=stencil)"


def test_a_group_that_the_suite_never_gave_the_variant_is_no_setting_of_the_claim() -> None:
    verdict = judge(claim("registers(shfl) < 9 * registers(smem-unsafe)", pattern="neighbor"), "quick", "launch-sweep")
    assert {setting.suite for setting in verdict.settings} == {"launch-sweep"}
    assert verdict.verdict is ClaimStatus.CONFIRMED


def test_a_case_that_a_stopped_run_lacks_is_missing() -> None:
    source = recorded("launch-sweep")
    rows = [row for row in source.run.rows if row.case_id != "neighbor/smem/f32/1x32/4096/mode=idx"]
    run = replace(source.run, rows=tuple(rows), info=replace(source.run.info, finished=None))
    verdict = judge(claim("registers(shfl) <= registers(smem) + 100", pattern="neighbor"), replace(source, run=run))
    assert verdict.verdict is ClaimStatus.INCONCLUSIVE
    assert "there is no case of `smem` at neighbor, f32, 1x32" in verdict.sentence
    assert (
        judge(claim("registers(shfl) < 100", pattern="neighbor"), replace(source, run=run)).verdict
        is ClaimStatus.CONFIRMED
    )


def test_a_claim_that_cannot_be_tested_has_its_reason() -> None:
    verdict = judge(Claim(id="A11", says="it is harder to read", untestable="a matter of taste"), "quick")
    assert (verdict.verdict, verdict.sentence) == (ClaimStatus.UNTESTABLE, "a matter of taste")


def test_equal_counts_are_said_once() -> None:
    verdict = judge(claim("sass(shfl, SHFL) == 5", pattern="reduce", dtype="f32|i32", width="32"), "gtc2013")
    assert verdict.sentence == "holds in both settings: 5 SHFL per iteration"
    assert verdict.measured == "5 SHFL per iteration"


def test_a_disturbed_run_is_named() -> None:
    source = recorded("quick")
    noise = Noise("busy GPU", "another process computed on the GPU", "stop it")
    run = replace(source, run=replace(source.run, info=replace(source.run.info, noise=noise)))
    verdict = judge(claim("speedup(shfl, smem) > 1", pattern="reduce"), run)
    assert verdict.sentence.endswith("; the GPU was not quiet during quick: busy GPU")


def test_without_samples_the_intervals_are_those_of_the_rows_and_the_sentence_says_so(quick: Path) -> None:
    tested = claim("speedup(shfl, smem) > 1", pattern="reduce")
    (quick / SAMPLES_FILE).unlink()
    verdict = judge(tested, read_claim_run(quick))
    widened = verdict.settings[0].measured
    row = next(row for row in recorded("quick").run.rows if (row.pattern, row.variant) == ("reduce", "shfl"))
    assert isinstance(widened, Interval)
    assert row.speedup_low is not None
    assert row.speedup_high is not None
    assert widened.low < row.speedup_low < row.speedup_high < widened.high
    assert verdict.sentence.endswith("has no samples: the intervals are those of its rows, widened")


def test_samples_are_not_read_for_claims_about_machine_code(quick: Path) -> None:
    (quick / SAMPLES_FILE).write_bytes(b"damaged")
    run = read_claim_run(quick)
    assert judge(claim("sass(shfl, SHFL) == 5", pattern="reduce"), run).verdict is ClaimStatus.CONFIRMED
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
        judge(claim("time(shfl) > 1", pattern="reduce"), run)


def test_the_report_of_check_is_read_beside_the_results_or_from_a_file(quick: Path, tmp_path: Path) -> None:
    tested = claim("hazards(shfl) == 0", pattern="reduce")
    (quick / CHECK_FILE).unlink(missing_ok=True)
    assert "shflbench check quick --format json -o" in judge(tested, read_claim_run(quick)).sentence
    kernel = {"pattern": "reduce", "variant": "shfl", "dtype": "f32", "options": {"width": "32"}, "verdict": "clean"}
    kernel |= {"sentence": "right", "findings": [], "wrong_schedules": [], "errors": []}
    text = json.dumps({"arch": "sm_90", "kernels": [kernel]})
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    assert judge(tested, read_claim_run(quick, tmp_path / "report.json")).verdict is ClaimStatus.CONFIRMED
    (quick / CHECK_FILE).write_text(text.replace("[]", '["warps at random"]', 1), encoding="utf-8")
    with pytest.raises(ResultsError, match="findings"):
        read_claim_run(quick)
    (quick / CHECK_FILE).write_text(text, encoding="utf-8")
    assert judge(tested, read_claim_run(quick)).verdict is ClaimStatus.CONFIRMED


HOSTILE = "<script>alert(1)</script>"


def test_names_of_a_hostile_run_are_judged_as_text(quick: Path) -> None:
    edit_rows(
        quick,
        lambda text: text.replace(",reduce,shfl,", f",reduce,{HOSTILE},").replace("width=32", "width=/etc/passwd"),
    )
    run = read_claim_run(quick)
    verdict = judge(claim(f"registers('{HOSTILE}') > 0", pattern="reduce", width="/etc/passwd"), run)
    assert verdict.verdict is ClaimStatus.CONFIRMED
    assert HOSTILE in verdict.why


@pytest.mark.parametrize("number", ["1e308", "1e150", "9" * 300])
def test_huge_values_of_a_hostile_run_are_undecided_or_an_error(quick: Path, number: str) -> None:
    (quick / SAMPLES_FILE).unlink()
    source = read_claim_run(quick)
    row = next(row for row in source.run.rows if row.case_id == "reduce/shfl/f32/26x1024/512/width=32")
    edit_rows(quick, lambda text: text.replace(f",{row.time_us},{row.time_low_us},", f",{number},{row.time_low_us},"))
    tested = claim("speedup(shfl, smem) * time(shfl) > 1", pattern="reduce")
    verdict = judge(tested, read_claim_run(quick))
    assert verdict.verdict is ClaimStatus.INCONCLUSIVE


def test_huge_samples_are_undecided_or_an_error(quick: Path) -> None:
    path = quick / SAMPLES_FILE
    lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    changed_lines = [
        ",".join([*line.split(",")[:6], "1e305", *line.split(",")[7:]]) if line.startswith("reduce/shfl") else line
        for line in lines
    ]
    path.write_bytes(gzip.compress("".join(changed_lines).encode()))
    with pytest.raises(ResultsError, match="do not match its rows"):
        judge(claim("time(shfl) > 1", pattern="reduce"), read_claim_run(quick))


def test_not_a_number_in_a_row_is_an_error(quick: Path) -> None:
    source = read_claim_run(quick)
    edit_rows(quick, lambda text: text.replace(f",{source.run.rows[0].time_us},", ",nan,", 1))
    with pytest.raises(ResultsError, match="time_us is 'nan'"):
        read_claim_run(quick)
