"""`shflbench advise` on parts of committed runs."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from shflbench.advice.copied_code import code_of
from shflbench.advice.gpu_results import read_results
from shflbench.analysis.answers.group_answers import answers_of
from shflbench.analysis.ranking import times
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.cli.advise.results import RESULTS, Cells, part_of, reductions, set_in_record
from tests.conftest import Command


def record(shflbench: Command, *words: str | Path) -> dict[str, Any]:
    outcome = shflbench("advise", *words, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    (advice,) = json.loads(outcome.out)["advice"]
    return dict(advice)


def test_advice_names_variant_factors_limit_safety_and_code(shflbench: Command, tmp_path: Path) -> None:
    folder = reductions(tmp_path / "results" / "h200", "f32")
    rows = {row.variant: row for row in read_run(folder).rows if row.options == (("width", "32"),)}
    shuffle = rows["shfl"]
    assert shuffle.speedup
    assert shuffle.time_us
    limit = read_limits(folder)[shuffle.case_id]
    outcome = shflbench("advise", "reduce", "--option", "width=32")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "reduce, f32, 26x1024, 4096 iterations, width=32, on NVIDIA H200 (sm_90)"
    assert lines[1].startswith("Use shfl: 1.18× the speed of the next mechanism (smem4-shfl), ")
    assert lines[1].endswith(f", {times(shuffle.speedup)} the speed of the baseline (smem)")
    assert lines[2].startswith("How sure: clear: every other safe variant")
    assert lines[3] == "Library calls as fast: cg"
    assert lines[4] == "Rests on: 12 rows reduce/*/f32/26x1024/4096/width=32 of results/h200"
    assert f"Limit: {limit.limit_fraction:.0%} of what the hardware allows, set by {limit.limit_by}" in lines
    assert any(line.startswith("Safety: all lanes that the mask names") for line in lines)
    (first,) = [line for line in lines if line.endswith("recommended")]
    assert first.split()[:4] == ["shfl", "shfl", f"{shuffle.time_us:.2f}", "1×"]
    assert any(line.startswith("smem-unsafe ") and line.endswith("  unsafe") for line in lines)
    assert "__device__ inline float warp_sum(float x) {" in lines


def test_a_block_that_was_not_measured_is_named_with_the_run_that_measures_it(
    shflbench: Command, tmp_path: Path
) -> None:
    reductions(tmp_path / "results", "f32")
    outcome = shflbench("advise", "reduce", "--block", "256", "--dtype", "f32")
    assert "Differs: measured at 26x1024; you asked for blocks of 256\n" in outcome.out
    (line,) = [line for line in outcome.out.splitlines() if line.startswith("To settle it: ")]
    words = shlex.split(line.removeprefix("To settle it: "))
    assert words == [
        *["shflbench", "run", "gtc2013", "--pattern", "reduce", "--dtype", "f32", "--launch", "fill x 256"],
    ]
    listed = shflbench(*words[1:], "--dry-run", "--device", "none")
    assert listed.code == 0
    assert "reduce/shfl/f32/fill x 256/4096/width=32" in listed.out


def test_the_winner_of_an_open_option_depends_on_it(shflbench: Command, tmp_path: Path) -> None:
    reductions(tmp_path / "results", "i32")
    outcome = shflbench("advise", "reduce", "--dtype", "i32")
    assert "At this setting, use redux" in outcome.out
    assert "Other settings: use shfl (redux was not measured) at width=2 or 4 or 8 or 16\n" in outcome.out
    assert "Give your setting: --option width=…\n" in outcome.out
    named = shflbench("advise", "reduce", "--dtype", "i32", "--option", "width=8")
    assert "Use shfl: " in named.out
    assert "Elsewhere: redux (2.5× the speed of shfl) at width=32" in named.out


@pytest.mark.archs
def test_settings_that_no_suite_has_are_settled_by_a_suite_of_a_few_lines(shflbench: Command, tmp_path: Path) -> None:
    reductions(tmp_path / "results", "f64")
    settled = record(shflbench, "reduce", "--dtype", "f64", "--option", "width=8")["settled_by"]
    assert settled["command"] == "shflbench run advise.yaml"
    Path("advise.yaml").write_text(settled["suite"], encoding="utf-8")
    listed = shflbench("run", "advise.yaml", "--dry-run", "--device", "none")
    assert listed.code == 0
    assert "reduce/shfl/f64/26x1024/4096/width=8" in listed.out


def test_json_names_the_rows_the_differences_and_no_prediction(shflbench: Command, tmp_path: Path) -> None:
    reductions(tmp_path / "h200", "f32")
    advice = record(shflbench, "reduce", "h200", "--launch", "sms x 1024")
    assert advice["request"]["launch"] == "sms x 1024"
    assert advice["predicted"] is None
    measured = advice["measured"]
    assert (measured["variant"], measured["certainty"], measured["baseline"]) == ("shfl", "clear", "smem")
    assert measured["over_baseline"]["low"] < measured["over_baseline"]["value"] < measured["over_baseline"]["high"]
    assert measured["case_ids"][0].startswith("reduce/")
    assert advice["differences"] == [{"factor": "launch", "requested": "sms x 1024", "measured": "26x1024"}]
    assert advice["code"]["is_complete"] is True


def test_a_launch_in_other_words_is_that_of_the_gpu(shflbench: Command, tmp_path: Path) -> None:
    part_of("launch-sweep", tmp_path / "results", lambda row: row["pattern"] == "neighbor")
    advice = record(shflbench, "neighbor", "--launch", "264x1024")
    assert (advice["measured"]["launch"], advice["differences"]) == ("2*sms x 1024", [])


def test_a_launch_in_sms_is_that_of_the_gpu(shflbench: Command, tmp_path: Path) -> None:
    def name_blocks(row: Cells) -> None:
        row["launch"] = row["launch"].replace("2*sms x ", "264x")

    part_of("warp-collectives", tmp_path / "results", lambda row: row["pattern"] == "vote", name_blocks)
    advice = record(shflbench, "vote", "--launch", "2*sms x 1024")
    assert (advice["measured"]["launch"], advice["differences"]) == ("264x1024", [])


def test_the_suite_of_the_nearest_setting_settles(shflbench: Command, tmp_path: Path) -> None:
    part_of("warp-collectives", tmp_path / "results", lambda row: row["pattern"] == "vote")
    settled = record(shflbench, "vote", "--block", "64")["settled_by"]  # `quick` and `residency` have votes, too
    assert settled["command"].startswith(
        "shflbench run warp-collectives --pattern vote --dtype i32 --launch 'fill x 64'"
    )


def test_the_newest_of_two_runs_answers(shflbench: Command, tmp_path: Path) -> None:
    old = part_of("quick", tmp_path / "results" / "b-old", lambda row: row["pattern"] == "vote")
    new = part_of("quick", tmp_path / "results" / "a-new", lambda row: row["pattern"] == "vote")
    set_in_record(old, lambda run: run.update(started="2026-01-01T00:00:00Z"))
    set_in_record(new, lambda run: run.update(started="2026-12-01T00:00:00Z"))
    assert record(shflbench, "vote")["measured"]["run"] == "results/a-new"
    set_in_record(old, lambda run: run.update(started="2026-12-31T00:00:00Z"))
    assert record(shflbench, "vote")["measured"]["run"] == "results/b-old"


def test_each_gpu_has_its_advice_and_one_can_be_chosen(shflbench: Command, tmp_path: Path) -> None:
    part_of("quick", tmp_path / "results" / "a", lambda row: row["pattern"] == "vote")
    other = part_of("quick", tmp_path / "results" / "b", lambda row: row["pattern"] == "vote")
    set_in_record(other, lambda run: run["device"].update(name="NVIDIA B200"))
    both = shflbench("advise", "vote")
    assert both.out.count("Use vote: ") == 2
    assert record(shflbench, "vote", "--gpu", "b200")["gpu"] == "NVIDIA B200"


def test_code_alone_can_be_written_to_a_file(shflbench: Command, tmp_path: Path) -> None:
    reductions(tmp_path / "results", "f32")
    assert shflbench("advise", "reduce", "--format", "code", "-o", "warp_sum.cuh").out == ""
    text = Path("warp_sum.cuh").read_text(encoding="utf-8")
    assert text.startswith("// shfl of reduce for f32")
    assert "How sure" not in text


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("reduc",), 2, "error: unknown pattern `reduc`; did you mean `reduce`?\n"),
        (("neighbor",), 3, "error: the results have no timed case of neighbor; they have: reduce\n"),
        (("reduce", "--dtype", "f23"), 2, "error: unknown dtype `f23`; did you mean `f32`?\n"),
        (("reduce", "--option", "with=8"), 2, "error: reduce has no option `with`; did you mean `width`?\n"),
        (("reduce", "--option", "width=12"), 2, "error: reduce has no width=12"),
        (("reduce", "--option", "width"), 2, "error: --option `width` is not NAME=VALUE\n"),
        (("reduce", "--launch", "26 of 1024"), 2, "error: --launch `26 of 1024` is no launch\n"),
        (("reduce", "--launch", "8x8:16x16"), 2, "error: reduce has no launch 8x8:16x16\nIts kernels"),
        (("reduce", "--launch", "26x1024", "--block", "64"), 2, "error: --block 64 contradicts --launch 26x1024\n"),
        (("reduce", "--gpu", "H100"), 3, "error: no run is of a GPU `H100`\n"),
        (("reduce", "nowhere"), 3, "error: nowhere holds no run: there is no such folder\n"),
        ((), 2, "error: no pattern is named\n"),
        (("--costs", "nowhere"), 3, "error: nowhere holds no run: there is no such folder\n"),
    ],
)
def test_mistakes_end_with_their_code_and_advice(
    shflbench: Command, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    reductions(tmp_path / "results", "f32")
    outcome = shflbench("advise", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(message)
    assert len(outcome.err.splitlines()) >= 2  # what to do about it


def test_without_results_it_says_what_to_give(shflbench: Command) -> None:
    outcome = shflbench("advise", "reduce")
    assert outcome.code == 2
    assert "this folder has no results/" in outcome.err
    assert "shflbench run quick" in outcome.err
    assert "--arch" in outcome.err


def test_an_unknown_pattern_is_named_before_missing_results(shflbench: Command) -> None:
    outcome = shflbench("advise", "reduc")
    assert (outcome.code, "did you mean `reduce`?" in outcome.err) == (2, True)


def test_results_of_an_emulator_are_no_times(shflbench: Command, tmp_path: Path) -> None:
    def untime(row: Cells) -> None:
        row.update(status="verified", time_us="", time_low_us="", time_high_us="")

    part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote", untime)
    outcome = shflbench("advise", "vote")
    assert outcome.code == 3
    assert "no case of results was timed on a GPU" in outcome.err
    assert read_results((), None, "sm_90") == []  # as where there are no results


def test_a_pattern_with_one_candidate_has_no_advice(shflbench: Command, tmp_path: Path) -> None:
    part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "memory-ladder")
    outcome = shflbench("advise", "memory-ladder")
    assert outcome.code == 3
    assert outcome.err.startswith("error: no setting of memory-ladder has two variants to choose from\n")


def test_costs_have_documented_fields(shflbench: Command, tmp_path: Path) -> None:
    part_of("quick", tmp_path / "h200", lambda row: row["pattern"] in {"neighbor", "vote"})
    outcome = shflbench("advise", "--costs", "h200")
    assert outcome.code == 0
    table = json.loads(outcome.out)
    assert {cost["operation"] for cost in table["costs"]} == {
        "shuffle",
        "vote",
        "shared-memory round trip with __syncwarp",
        "shared-memory round trip with block barriers",
    }
    assert all(set(cost) == set(table["fields"]) for cost in table["costs"])
    assert all(table["fields"].values())
    (shuffle,) = [cost for cost in table["costs"] if cost["operation"] == "shuffle"]
    assert 15.5 < shuffle["ns_per_exchange"] < 18
    assert shuffle["case_id"] == "neighbor/shfl/f32/26x1024/512/mode=idx"


def test_every_variant_that_a_committed_run_recommends_has_code_to_copy() -> None:
    answers = [
        answer for folder in sorted(RESULTS.glob("*/nvidia-h200")) for answer in answers_of(read_run(folder), {})
    ]
    assert len(answers) > 200
    missing = [
        (answer.pattern, variant, answer.dtype, answer.options)
        for answer in answers
        for variant in answer.leaders
        if not code_of(answer.pattern, variant, answer.dtype, dict(answer.options))
    ]
    assert missing == []


@pytest.mark.archs
def test_an_earlier_run_of_the_setting_is_named_where_it_says_something_else(shflbench: Command) -> None:
    runs = [RESULTS / suite / "nvidia-h200" for suite in ("residency", "dynamic-indexing")]
    lines = shflbench("advise", "private-array", *runs).out.splitlines()
    assert lines[1].startswith("At this setting, use smem: 2.9× the speed of the next mechanism (local)")
    (earlier,) = (line for line in lines if line.startswith("Earlier run: "))
    assert earlier == f"Earlier run: {runs[1]} names smem-dp4a, 3.1× the speed of local"
    assert "Earlier run" not in shflbench("advise", "private-array", runs[1]).out


def test_safe_variants_that_the_run_did_not_time_are_named(shflbench: Command, tmp_path: Path) -> None:
    later = {"smem-wide", "smem8-shfl"}
    part_of(
        "gtc2013",
        tmp_path / "results",
        lambda row: (row["pattern"], row["dtype"]) == ("reduce", "i32") and row["variant"] not in later,
    )
    outcome = shflbench("advise", "reduce", "--dtype", "i32", "--option", "width=32")
    (line,) = [
        line for line in outcome.out.splitlines() if line.startswith("Not timed in that run, and perhaps faster: ")
    ]
    assert later <= set(line.partition(": ")[2].replace(" and ", ", ").split(", "))
    untimed = record(shflbench, "reduce", "--dtype", "i32", "--option", "width=32")["untimed"]
    assert {"redux", "redux-mask", "smem-unsafe", "cub"} & set(untimed) == set()  # timed, of groups, unsafe, a library
