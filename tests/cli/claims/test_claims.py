"""`shflbench claims` on a committed run, with the claims of a suite of its own."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shflbench.store import read_run
from tests.conftest import Command, Outcome

ROOT = Path(__file__).parents[3]
HEAD = """\
schema: 1
name: mine
experiments:
  - pattern: reduce
  - pattern: transpose
claims:
"""
CLAIMS = {
    "faster": "holds: 'speedup(shfl, smem) > 2', where: {pattern: reduce}, figure: about 3×, source: a talk",
    "slower": "holds: 'speedup(shfl, smem) < 1', where: {pattern: reduce}",
    "mixed": "holds: 'speedup(shfl, smem) > 2', where: {pattern: [reduce, transpose]}",
    "nowhere": "holds: 'speedup(shfl, smem) > 2', where: {pattern: reduce, dtype: f64}",
    "hazards": "holds: 'hazards(shfl) == 0', where: {pattern: reduce}",
    "taste": "untestable: nobody can measure how readable code is",
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Copy a run of which three patterns are left, without its samples and the report on hazards."""
    folder = tmp_path / "run"
    shutil.copytree(
        ROOT / "results/quick/nvidia-h200", folder, ignore=shutil.ignore_patterns("samples.csv.gz", "check.json")
    )
    keep(folder, lambda line: line.startswith(("reduce/", "transpose/", "neighbor/")))
    return folder


def keep(folder: Path, is_kept: Callable[[str], bool]) -> None:
    """Drop the rows of a run whose line is not kept."""
    path = folder / "results.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(head + "".join(filter(is_kept, lines)), encoding="utf-8")


def suite(*ids: str, required: bool = False) -> str:
    """Write a suite with some of the `CLAIMS`, and return its path."""
    rest = ", required: true" if required else ""
    lines = (f"  - {{id: {name}, says: it is {name}, {CLAIMS[name]}{rest}}}\n" for name in ids)
    Path("mine.yaml").write_text(HEAD + "".join(lines), encoding="utf-8")
    return "mine.yaml"


@pytest.fixture
def judge(shflbench: Command, run: Path) -> Callable[..., Outcome]:
    """Judge some of the `CLAIMS` by the run."""

    def call(*ids: str, required: bool = False, words: tuple[str, ...] = ()) -> Outcome:
        return shflbench("claims", run, "--suite", suite(*ids, required=required), *words)

    return call


def verdicts(outcome: Outcome) -> dict[str, Any]:
    """Return the record of each claim of the only GPU model."""
    (record,) = json.loads(outcome.out)
    return {claim["id"]: claim for claim in record["claims"]}


def test_each_verdict_is_printed_with_what_was_claimed_and_measured(judge: Callable[..., Outcome]) -> None:
    outcome = judge(*CLAIMS)
    assert outcome.code == 0
    head, *lines = outcome.out.splitlines()
    assert head == "NVIDIA H200, sm_90, 1 run"
    shown = dict(line.split()[:2] for line in lines if line.split() and line.split()[0] in CLAIMS)
    assert shown == {
        "faster": "confirmed",
        "slower": "refuted",
        "mixed": "depends",
        "nowhere": "inconclusive",
        "hazards": "inconclusive",
        "taste": "untestable",
    }
    assert lines[-1] == "6 claims: 1 confirmed, 1 refuted, 1 depends, 2 inconclusive, 1 untestable"
    assert "about 3× (a talk)" in outcome.out


def test_json_has_every_setting_with_its_interval_and_cases(judge: Callable[..., Outcome]) -> None:
    claims = verdicts(judge("mixed", "nowhere", words=("--format", "json")))
    reduce, transpose = claims["mixed"]["settings"]
    assert (reduce["pattern"], reduce["outcome"]) == ("reduce", "holds")
    assert (transpose["pattern"], transpose["outcome"]) == ("transpose", "fails")
    assert reduce["measured"]["low"] < reduce["measured"]["value"] < reduce["measured"]["high"]
    assert set(reduce["cases"]) == {"reduce/shfl/f32/26x1024/512/width=32", "reduce/smem/f32/26x1024/512/width=32"}
    assert claims["nowhere"]["settings"] == []


def test_markdown_has_a_table(judge: Callable[..., Outcome]) -> None:
    text = judge("faster", "slower", words=("--format", "markdown")).out
    assert "| faster | it is faster | about 3× (a talk) |" in text
    assert "- **slower** refuted: " in text


def test_output_goes_to_a_file(judge: Callable[..., Outcome]) -> None:
    outcome = judge("faster", words=("-o", "claims.txt"))
    assert (outcome.code, outcome.out) == (0, "")
    assert "faster  confirmed" in Path("claims.txt").read_text(encoding="utf-8")


def test_only_the_claims_that_are_asked_for_are_judged(judge: Callable[..., Outcome]) -> None:
    outcome = judge("faster", "slower", "mixed", words=("--claim", "slower", "--claim", "faster", "--format", "json"))
    assert list(verdicts(outcome)) == ["faster", "slower"]


def test_unknown_claim_suggests_the_nearest_id(judge: Callable[..., Outcome]) -> None:
    outcome = judge("faster", "slower", words=("--claim", "faste"))
    assert outcome.code == 2
    assert outcome.err == "error: no claim has the id `faste`\nDid you mean `faster`?\n"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("slower", "error: required claim `slower` is refuted (measured: "),
        ("mixed", "error: required claim `mixed` does not hold in every setting (measured: "),
        ("nowhere", "error: required claim `nowhere` was not tested: "),
    ],
)
def test_required_claim_that_does_not_hold_exits_1_with_a_sentence(
    judge: Callable[..., Outcome], name: str, sentence: str
) -> None:
    outcome = judge("faster", name, required=True)
    assert outcome.code == 1
    assert outcome.err.startswith(sentence)
    assert f"{name}  " in outcome.out


def test_required_claim_without_a_case_exits_1_and_names_the_case(judge: Callable[..., Outcome], run: Path) -> None:
    keep(run, lambda line: not line.startswith("reduce/smem/"))
    outcome = judge("faster", required=True)
    assert outcome.code == 1
    assert "error: required claim `faster` " in outcome.err
    assert "smem" in outcome.err


def test_inconclusive_required_claim_is_a_warning_and_exits_6_if_strict(judge: Callable[..., Outcome]) -> None:
    outcome = judge("faster", "hazards", required=True)
    assert outcome.code == 0
    assert outcome.err.startswith("warning: required claim `hazards` is inconclusive")
    assert "shflbench check" in outcome.err
    strict = judge("faster", "hazards", required=True, words=("--strict",))
    assert strict.code == 6
    assert strict.err.startswith("error: required claim `hazards` is inconclusive")


def test_inconclusive_claim_that_is_not_required_passes_also_if_strict(judge: Callable[..., Outcome]) -> None:
    assert judge("hazards", "slower", words=("--strict",)).code == 0


def test_runs_whose_suite_has_no_claims_exit_3(shflbench: Command, run: Path) -> None:
    rename_suite(run, "unclaimed")
    outcome = shflbench("claims", run)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: there is no claim to judge: no section `claims` in unclaimed\n")


def rename_suite(folder: Path, name: str) -> None:
    """Give the suite of a run another name, so that it is not one that comes with shflbench."""
    path = folder / "run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["suite"]["name"] = name
    path.write_text(json.dumps(record), encoding="utf-8")


def test_runs_of_another_gpu_model_are_judged_apart(shflbench: Command, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    path = other / "run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["device"]["name"] = "NVIDIA L4"
    path.write_text(json.dumps(record), encoding="utf-8")
    keep(other, lambda line: not line.startswith("transpose/"))
    outcome = shflbench("claims", run, other, "--suite", suite("mixed"), "--format", "json")
    first, second = json.loads(outcome.out)
    assert {(gpu["device"], gpu["claims"][0]["verdict"]) for gpu in (first, second)} == {
        ("NVIDIA H200", "depends"),
        ("NVIDIA L4", "confirmed"),
    }


def test_folder_of_runs_is_judged_together(shflbench: Command, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    outcome = shflbench("claims", tmp_path, "--suite", suite("faster"), "--format", "json")
    assert len(verdicts(outcome)["faster"]["settings"]) == 2
    assert len({setting["run"] for setting in verdicts(outcome)["faster"]["settings"]}) == 2


def test_nothing_in_the_runs_changes(judge: Callable[..., Outcome], run: Path) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    judge(*CLAIMS)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert len(read_run(run).rows) == 9


def test_mistake_in_the_suite_is_named_with_its_position(shflbench: Command, run: Path) -> None:
    path = Path(suite("faster"))
    path.write_text(path.read_text(encoding="utf-8").replace("> 2", ">> 2"), encoding="utf-8")
    outcome = shflbench("claims", run, "--suite", "mine.yaml")
    assert outcome.code == 3
    assert outcome.err.startswith("error: mine.yaml:7:")


def report(*kernels: tuple[str, str, list[str]]) -> Path:
    """Write a report as `check --format json` prints it: pattern, variant and kinds of findings of each kernel."""
    records = [
        {
            "pattern": pattern,
            "variant": variant,
            "dtype": "f32",
            "options": {"width": "32"},
            "verdict": "race" if kinds else "clean",
            "sentence": "",
            "findings": [{"kind": kind} for kind in kinds],
            "wrong_schedules": [],
            "errors": [],
        }
        for pattern, variant, kinds in kernels
    ]
    Path("check.json").write_text(json.dumps({"arch": "sm_90", "kernels": records}), encoding="utf-8")
    return Path("check.json")


@pytest.mark.parametrize(("kinds", "word"), [([], "confirmed"), (["race"], "refuted")])
def test_hazards_come_from_the_report_of_check(judge: Callable[..., Outcome], kinds: list[str], word: str) -> None:
    path = report(("reduce", "shfl", kinds))
    outcome = judge("hazards", words=("--check", str(path), "--format", "json"))
    assert verdicts(outcome)["hazards"]["verdict"] == word


def test_report_serves_the_runs_that_have_its_patterns(shflbench: Command, run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    keep(other, lambda line: not line.startswith("reduce/"))
    path = report(("reduce", "shfl", []))
    words = ("--suite", suite("hazards"), "--check", path, "--format", "json")
    assert verdicts(shflbench("claims", run, other, *words))["hazards"]["verdict"] == "confirmed"
    outcome = shflbench("claims", other, *words)
    assert (outcome.code, outcome.out) == (3, "")
    assert "check.json is about kernels of other patterns: reduce" in outcome.err
