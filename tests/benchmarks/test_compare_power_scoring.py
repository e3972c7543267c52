from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from benchmarks.compare_power import __main__ as compare_power
from benchmarks.compare_power.__main__ import RECORDED, WITH_CONTEXTS, main
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.judges import by_program, by_samples, parse
from benchmarks.compare_power.plain import write_side
from benchmarks.compare_power.rules import medians
from benchmarks.compare_power.scoring import BatchScore, Estimate, RulesReport, ScoredRule, pooled_estimate, score
from benchmarks.compare_power.tally import KINDS, LONG, MIDDLE, SHORT, TEN, TWO, Share, process_jackknife
from shflbench.analysis.compare.comparison import Outcome
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.compare.estimates import Process

FIRST = min(RECORDED.glob("*.npz"))
SLOW = "reduce/smem/f32/26x1024/100/width=32"  # 49 µs
# A rule as a user would write it, with nothing but Python: slower from 4% more time in the mean.
SCRIPT = """\
import csv, sys
from pathlib import Path
from statistics import fmean

def means(folder):
    times = {}
    for path in Path(folder).iterdir():
        with path.open() as file:
            for line in csv.DictReader(file):
                times.setdefault(line["case"], []).append(float(line["time_us"]))
    return {case: fmean(taken) for case, taken in times.items()}

base, new = map(means, sys.argv[1:])
print("case,verdict")
for case, time in new.items():
    if case in base:
        print(f'"{case}",{"slower" if time > 1.04 * base[case] else "same"}')
sys.exit(7)
"""


@pytest.fixture(scope="module")
def batch() -> Batch:
    (batch,) = load([FIRST])
    return batch


def four_percent(batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]) -> Mapping[str, Outcome]:
    """The rule of SCRIPT, but for medians."""
    return by_samples(lambda before, after, cases: medians(before, after, cases, 0.04), batch, percent, base, new)


def test_side_has_a_file_per_process_with_every_sample_of_the_block(batch: Batch, tmp_path: Path) -> None:
    processes = batch.processes(5)[:2]
    folder = write_side(tmp_path / "new", batch, processes, 5, 1980.0)
    first, second = sorted(folder.iterdir())
    assert first.read_text(encoding="utf-8").startswith("case,process,round,time_us,sm_clock_mhz\n")
    for path, process in ((first, processes[0]), (second, processes[1])):
        times = pd.read_csv(path).groupby("case")["time_us"].agg(sorted).to_dict()
        assert times.keys() == batch.pool(5).cases.keys()  # no sentinels, and no passes, which were not slowed
        assert times == {case: taken[process].tolist() for case, taken in batch.samples(5).items()}


def test_score_tells_apart_lengths_and_true_slowdowns(batch: Batch) -> None:
    result = score(ScoredRule("4%", 3, four_percent, 12, 2), batch)
    assert (result.batch, result.suites.share.of, result.cases.of) == ("h200-1", 12, 12 * 54)
    assert result.cases.hits < 12
    assert result.slower[TEN, LONG].share.value == 1.0
    assert result.slower[TWO, LONG].share == Share(0, result.slower[TWO, LONG].share.of)
    assert result.slower[TWO, LONG].share.of > 0
    assert {kind: share.hits for kind, share in result.open.items()} == dict.fromkeys(KINDS, 0)
    assert result.faster.of == 2 * 5 * 44  # five numbers of iterations; ten passes have no slower copy


@pytest.fixture
def loaded(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program reads the batch that all tests share."""
    monkeypatch.setattr(compare_power, "load", lambda paths: [batch] if paths == [FIRST] else [])


@pytest.mark.usefixtures("loaded")
def test_any_program_is_scored(batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "rule.py"
    script.write_text(SCRIPT, encoding="utf-8")
    page = tmp_path / "page.md"
    words = ["--rule", shlex.join((sys.executable, str(script))), "--comparisons", "1", "--processes", "1", str(FIRST)]
    assert main([*words, "--record", str(page)]) == 0
    text = capsys.readouterr().out
    assert text == page.read_text(encoding="utf-8") + "\n"
    assert "{" not in text
    assert "Requirements" not in text  # they are those of `compare`
    start = f"| `{shlex.quote(sys.executable)}"
    (found,) = [line for line in text.splitlines() if line.startswith(start) and line.count("|") == 14]
    cells = [cell.strip() for cell in found.split("|")]
    assert cells[-4:-2] == ["100%", "100%"]  # of 9 to 11% more time, both lengths
    outcomes = by_program((sys.executable, str(script)), batch, 10, batch.processes(0)[:1], batch.processes(10)[:1])
    assert outcomes[SLOW] is Outcome.SLOWER
    assert outcomes.keys() == batch.pool(10).cases.keys()


def test_verdicts_are_csv_or_json_and_unknown_words_are_open() -> None:
    output = 'case,verdict\na,slower\n"b,c",FASTER\n\n{"case": "d", "verdict": "same"}\ne,perhaps\n'
    assert parse(output, {"a", "b,c", "d", "e", "f"}) == {
        "a": Outcome.SLOWER,
        "b,c": Outcome.FASTER,
        "d": Outcome.SAME,
        "e": Outcome.INCONCLUSIVE,
    }


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("z,slower", "`z` is not a case"),
        ("all is well", "is not a verdict"),
        ('{"case": "a"}', "is not a verdict"),
        ("[1", "is not a verdict"),
    ],
)
def test_output_that_is_no_verdict_is_one_sentence(line: str, problem: str) -> None:
    with pytest.raises(ResultsError, match=problem):
        parse(line, {"a"})


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("command", "problem"),
    [(f"{shlex.quote(sys.executable)} -c 1", "-c 1` prints no verdict"), ("/no/such/program", "cannot be run")],
)
def test_program_that_fails_is_an_error(command: str, problem: str) -> None:
    with pytest.raises(ResultsError, match=problem):
        main(["--rule", command, "--comparisons", "1", str(FIRST)])


def test_pooled_error_adds_those_of_independent_batches() -> None:
    parts = [Estimate(Share(1, 10), 0.03), Estimate(Share(4, 20), 0.02), Estimate(Share(0, 0), float("nan"))]
    total = pooled_estimate(parts)
    assert total.share == Share(5, 30)
    assert total.error == pytest.approx((0.3**2 + 0.4**2) ** 0.5 / 30)
    assert [str(each) for each in parts] == ["10% ± 3%", "20% ± 2%", "–"]
    assert str(Estimate(Share(3, 3), 0.0)) == "100%"


def test_jackknife_of_added_shares_leaves_out_a_process_and_all_its_draws() -> None:
    parts = [(frozenset({(0, 0), (0, 1)}), Share(2, 4)), (frozenset({(0, 2), (0, 3)}), Share(0, 4))]
    # Without 0 or 1: 0 of 4, without 2 or 3: 2 of 4.
    assert process_jackknife(parts) == pytest.approx((3 / 4 * 4 * 0.25**2) ** 0.5)
    assert str(process_jackknife(parts[:1])) == "nan"  # nothing remains


def test_requirements_are_those_of_all_batches_and_of_the_unseen_one(batch: Batch) -> None:
    def batch_score(name: str, alarms: int, found: int) -> BatchScore:
        slower = {(slowdown, kind): Estimate(Share(found, 50), 0.01) for slowdown in (TWO,) for kind in (MIDDLE, LONG)}
        return BatchScore(
            name, Estimate(Share(alarms, 100), 0.01), Share(0, 1), {SHORT: Share(0, 1)}, slower, Share(0, 1)
        )

    rule = ScoredRule("**`compare`, default: 3 processes per side, 1%**", 3, four_percent, 1, 1)
    scores = {rule: [batch_score("a", 0, 50), batch_score("b", 2, 48)]}
    report = RulesReport([batch], scores, {}, unseen="b")
    assert [requirement.met for requirement in report.requirements()] == [True, True, False, True, True, True]
    assert "`b`, recorded last: 2% ± 1%" in " ".join(map(str, report.requirements()))
    assert len(list(RulesReport([batch], scores, {}).requirements())) == 3


def test_batches_with_different_numbers_of_contexts_are_also_judged_apart() -> None:
    rule = ScoredRule("**`compare`, default: 3 processes per side, 1%**", 3, four_percent, 1, 1)
    batches = load([FIRST, min(WITH_CONTEXTS.glob("*.npz"))])
    slower = {(TWO, kind): Estimate(Share(50, 50), 0.0) for kind in (MIDDLE, LONG)}
    scores = [
        BatchScore(each.name, Estimate(Share(alarms, 100), alarms / 400), Share(0, 1), {}, slower, Share(0, 1))
        for each, alarms in zip(batches, (4, 0), strict=True)
    ]
    found = [str(each) for each in RulesReport(batches, {rule: scores}, {}).requirements()]
    assert [line.partition(" of ")[0] for line in found[::3]] == [
        "- **missed**: all batches: 2% ± 0.5%",
        "- **missed**: batches with 1 CUDA context per process: 4% ± 1%",
        "- met: batches with 9 CUDA contexts per process: 0%",
    ]
