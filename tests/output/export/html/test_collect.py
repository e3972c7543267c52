import re
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.kernel_sentences import kernel_sentences
from shflbench.output.export.html import collect
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from shflbench.store.readers import read_recording, run_of
from tests.fakes.kept_runs import BUSY, edit
from tests.fakes.report_runs import run_of_day, two_of_one_suite
from tests.fakes.runs import compiled, info, measured, write_run
from tests.output.export.html.pages import content_of, parsed, real, small
from tests.store.readers.foreign_files import write_csv


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return two_of_one_suite(tmp_path_factory.mktemp("runs"))


@pytest.mark.archs
def test_three_sentences_say_what_wins_what_matters_and_how_much_was_measured() -> None:
    run = read_run(real("gtc2013"))
    use, matters, trust = content_of(run.folder).sentences
    assert use.startswith(
        "On NVIDIA H200, of 34 pairs of pattern and element type, the fastest safe mechanism is shuffle"
    )
    assert matters.startswith("The choice matters most for ")
    when = run.info.started[:10]
    assert trust == f"The {len(run.rows)} times are from 1 run on NVIDIA H200 of {when}, all on a quiet machine."


def test_provenance_of_each_run_is_shown() -> None:
    (card,) = small().runs
    assert not card.is_quiet
    expected = {"Driver": "580.159.04", "NVRTC": "13.5", "Date": "2026-11-28 17:20:58 UTC"}
    assert expected.items() <= card.facts.items()
    assert card.facts["Commit"].startswith("c0663e72")
    assert card.facts["Suite"].startswith("moving-average, revision ")
    assert card.facts["Cases"] == "118: 118 timed"


def test_a_busy_machine_is_named(tmp_path: Path) -> None:
    folder = edit(run_of_day(tmp_path / "run", 0), noise=BUSY)
    content = content_of(folder)
    (card,) = content.runs
    assert (card.is_quiet, card.verdict, card.noise) == (False, BUSY.verdict, BUSY.sentence)
    assert content.sentences[-1].endswith("none of them on a quiet machine.")
    answers = parsed(content).text.split("Filter answers")[0]
    assert f"{BUSY.verdict} gtc2013, NVIDIA H200, 2026-10-01 08:00: {BUSY.sentence}" in answers


@pytest.mark.parametrize("slow", ["", "shfl"])
def test_a_report_says_of_kernels_of_a_file_what_show_says(tmp_path: Path, slow: str) -> None:
    run = read_run(run_of_day(tmp_path / "run", 0, slow=slow))
    kernels = replace(run, info=replace(run.info, suite=replace(run.info.suite, path="neighbor.cu")))
    (pattern,) = collect([kernels], Path("no-baselines")).patterns
    assert pattern.on_gpus[0].sentences == tuple(kernel_sentences(kernels.rows, RunTimes(kernels)))
    assert pattern.on_gpus[0].sentences != content_of(run.folder).patterns[0].on_gpus[0].sentences


def test_answers_are_from_the_newest_run_of_a_suite(runs: list[Path]) -> None:
    content = content_of(*runs)
    (answer,) = content.answers
    assert answer.over_baseline == "3.9×"
    assert [card.is_newest for card in content.runs] == [False, True]
    (pattern,) = content.patterns
    assert pattern.cases
    assert len(pattern.cases.rows) == 6


def test_neighbors_are_judged_as_compare_does_newest_last(runs: list[Path]) -> None:
    (series,) = content_of(*runs).series
    assert [label.split(", ")[1] for label in series.runs] == ["2026-10-01", "2026-11-01"]
    (pair,) = series.neighbors
    assert pair.headline.startswith("1 suspected of 6") or pair.headline.startswith("1 slower of 6")
    assert pair.reason == ""
    first = series.table.rows[0]
    assert [cell.text for cell in first[:3]] == ["neighbor/shfl/f32/26x1024/4096", "70.00", "83.99"]
    names = [column.name for column in series.table.columns]
    assert names[2:6] == ["Run 2, µs", "Correction 1 to 2, µs", "Judged change 1 to 2", "Verdict 1 to 2"]
    assert abs(float(first[3].text)) < 0.1
    assert first[4].text.startswith("+20.0% (")
    assert first[5].text in {"slower", "suspected"}
    assert {row[5].text for row in series.table.rows[1:]} == {"same"}
    notes = " ".join(pair.notes)
    assert "judged change: new - base + correction" in notes
    assert "what could have been missed: " in notes
    assert "tested: 6 cases; 1 process per side" in notes


def test_runs_on_two_gpus_are_side_by_side_with_the_reason_why_they_are_not_compared(
    runs: list[Path], tmp_path: Path
) -> None:
    content = content_of(*runs, run_of_day(tmp_path / "h100", 2, device="NVIDIA H100"))
    assert [(line.dtype, line.gpu) for line in content.answers] == [("f32", "NVIDIA H200"), ("f32", "NVIDIA H100")]
    (series,) = content.series
    first, second = series.neighbors
    assert first.reason == ""
    assert (second.headline, "NVIDIA H100" in second.reason) == ("not compared", True)
    assert second.reason.startswith("run 2 and run 3 cannot be compared: ")
    assert [cell.text for cell in series.table.rows[0][7:]] == ["69.98", "", "", "", ""]
    assert str(tmp_path) not in parsed(content).text


@pytest.mark.archs
def test_runs_without_times_have_a_table_of_their_own_without_a_column_of_times(tmp_path: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    emulated = [replace(row, backend="emulator", matched=8, inputs=8) for row in rows]
    about = replace(info(device=None, backend="emulator"), started="2026-11-22T08:00:00Z")
    folder = write_run(tmp_path / "emulated", emulated, (), about)
    content = content_of(folder, real("gtc2013"))
    neighbor = next(pattern for pattern in content.patterns if pattern.name == "neighbor")
    assert neighbor.others
    assert neighbor.cases
    assert not any("Time" in column.name or column.name == "Speed" for column in neighbor.others.columns)
    assert neighbor.others.rows[0][1].text == "emulator (sm_90)"
    assert neighbor.others.rows[0][6].text == "8 of 8 input sets matched"
    assert all("emulator" not in cell.text for row in neighbor.cases.rows for cell in row)
    assert "; 1 run without times is listed apart." in content.sentences[-1]
    alone = content_of(folder)
    assert alone.answers == ()
    assert alone.sentences == (
        "No case has a time, so that no variant is shown to be the fastest.",
        "Of 6 cases, 6 compiled.",
        "The results are from 1 run on emulator (sm_90).",
    )
    assert next(link.attributes["href"] for link in parsed(alone).tags("a")) == "#patterns"


@pytest.mark.archs
def test_each_case_of_a_run_is_in_a_table_with_its_limit() -> None:
    run = read_run(real("gtc2013"))
    content = content_of(run.folder)
    tables = [pattern.cases for pattern in content.patterns if pattern.cases]
    assert sum(len(table.rows) for table in tables) == len(run.rows)
    names = [column.name for column in tables[0].columns]
    cells = dict(zip(names, tables[0].rows[0], strict=True))
    first, known = run.rows[0].time_us, read_limits(run.folder)[run.rows[0].case_id]
    assert (cells["Variant"].text, cells["Time, µs"].text, cells["Time, µs"].key) == ("smem", f"{first:.1f}", first)
    assert (cells["Of limit"].text, cells["Limited by"].text) == (f"{known.limit_fraction:.0%}", known.limit_by)
    assert cells["SASS per iteration"].text == "STS 1, LDS 1, BAR 2"
    assert re.fullmatch(r"\d+ of \d\d rounds were [\d.]+% slower than the others", cells["Remark"].text)


def test_times_of_another_tool_have_its_name_and_no_verdict_on_the_machine(tmp_path: Path) -> None:
    write_csv(tmp_path / "times.csv", {"sum": 2.5, "copy": 4.0})
    content = collect([run_of(read_recording(tmp_path / "times.csv"))], tmp_path)
    assert content.title == "Results of plain CSV: an unknown GPU"
    (trust,) = content.sentences
    assert trust.startswith("The 2 times are from 1 run on an unknown GPU of 2026-11-20")
    assert trust.endswith("it is not known whether the machine was quiet.")
    beside = collect([run_of(read_recording(tmp_path / "times.csv")), read_run(real("moving-average"))], tmp_path)
    assert beside.title.startswith("Shuffle or shared memory")
