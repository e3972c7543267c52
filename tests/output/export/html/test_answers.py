import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.answers.group_answers import newest_answers
from shflbench.analysis.answers.over_settings import summary_answers
from shflbench.output.export.html import render
from shflbench.output.export.html.answers import answers_on_gpus
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.output.export.html.pages import content_of, real, small

H200 = "NVIDIA H200"


@pytest.mark.archs
def test_the_answer_table_says_what_advise_says() -> None:
    run = read_run(real("gtc2013"))
    answers = newest_answers([run], {run.folder: read_limits(run.folder)})
    advised = {(one.usual.pattern, one.usual.dtype): one for one in summary_answers(answers, run.info.device)}
    shown = content_of(run.folder).answers
    assert len(shown) == len(advised) > 30
    for line in shown:
        one = advised[line.pattern, line.dtype]
        assert (line.use, line.mechanism, line.settings, line.outcome) == (
            one.usual.variant,
            one.usual.mechanism,
            f"{one.leads} of {len(one.answers)}",
            "depends" if one.exceptions else one.usual.certainty,
        )


@pytest.mark.archs
def test_an_answer_gives_setting_factor_certainty_and_limit() -> None:
    known = read_limits(real("gtc2013"))["neighbor/shfl/f64/26x1024/4096/mode=idx"]
    lines = {(line.pattern, line.dtype): line for line in content_of(real("gtc2013")).answers}
    neighbor = lines["neighbor", "f64"]
    assert (neighbor.use, neighbor.outcome) == ("shfl", "clear")
    assert neighbor.setting == "26x1024, 4096 iterations, mode=idx"
    assert (neighbor.over_next, neighbor.next_best) == ("2.0×", "smem-syncwarp")
    assert (neighbor.over_baseline, neighbor.baseline) == ("2.4×", "smem")
    assert (neighbor.limit, neighbor.limit_by) == (f"{known.limit_fraction:.0%}", known.limit_by)


@pytest.mark.archs
def test_a_winner_that_differs_between_settings_says_depends_and_where() -> None:
    depends = [line for line in content_of(real("gtc2013")).answers if line.outcome == "depends"]
    assert depends
    assert all("elsewhere: " in line.exceptions and " at " in line.exceptions for line in depends)


@pytest.mark.archs
def test_variants_that_are_not_shown_to_be_slower_are_not_called_as_fast() -> None:
    blocks, gtc2013 = content_of(real("blocks")), content_of(real("gtc2013"))
    remarks = {line.outcome: line.exceptions for line in (*blocks.answers, *gtc2013.answers)}
    assert remarks["undecided"].startswith("not shown to be slower here: ")
    assert remarks["tie"].startswith("as fast here: ")
    assert blocks.sentences[0].endswith("; 8 depend on the setting and 3 are undecided.")
    assert gtc2013.sentences[0].endswith("; 6 depend on the setting and 1 is a tie.")


@pytest.mark.archs
def test_library_calls_are_named_beside_the_answer_and_are_none() -> None:
    lines = {(line.pattern, line.dtype): line for line in content_of(real("gtc2013")).answers}
    integers = lines["reduce", "i32"]
    assert integers.use == "redux"
    assert re.search("library calls as fast: (cub, cg|cg, cub)", integers.exceptions)


def on_another_gpu(folder: Path) -> Path:
    """Return a copy of a committed run whose GPU has another name."""
    shutil.copytree(real("moving-average"), folder)
    text = (folder / "run.json").read_text(encoding="utf-8")
    assert text.count(f'"{H200}"') == 1
    (folder / "run.json").write_text(text.replace(f'"{H200}"', '"NVIDIA <H100>"'), encoding="utf-8")
    return folder


def test_runs_of_two_gpus_have_one_table_with_a_column_per_gpu(tmp_path: Path) -> None:
    content = content_of(real("moving-average"), on_another_gpu(tmp_path / "h100"))
    assert set(content.gpus) == {H200, "NVIDIA <H100>"}
    assert len(content.answers) == 2 * len(content.on_gpus) > 0
    for row in content.on_gpus:
        first, second = row.answers
        assert first
        assert second
        assert (first.gpu, second.gpu) == content.gpus
        same = "undecided" if first.outcome == "undecided" else "same"
        assert (first.use, row.agreement) == (second.use, same)
    html = render(content)
    table = html.partition('id="gpu-table"')[2].partition("</table>")[0]
    heads = re.findall(r'<button type="button">(.*?)</button>', table)
    escaped = [gpu.replace("<", "&lt;").replace(">", "&gt;") for gpu in content.gpus]
    assert heads == ["Pattern", "Type", *escaped, "GPUs agree"]
    assert table.count('<tr role="row">') == 1 + len(content.on_gpus)
    alike = sum(row.agreement == "same" for row in content.on_gpus)
    assert table.count('<span class="badge same">same</span>') == alike > 0
    assert "<summary>Setting, speeds and limit of each answer</summary>" in html


def test_a_report_of_one_gpu_has_no_column_per_gpu() -> None:
    assert small().on_gpus == ()
    assert 'id="gpu-table"' not in render(small())


@pytest.mark.parametrize(
    ("others", "agreement"),
    [
        ({"use": "shfl"}, "same"),
        ({"use": "shfl", "outcome": "tie"}, "same"),
        ({"use": "shfl", "outcome": "undecided"}, "undecided"),
        ({"use": "smem"}, "differs"),
        ({"use": "smem", "suite": "another"}, "undecided"),
        ({"use": "smem", "outcome": "tie"}, "undecided"),
        ({"use": "smem", "outcome": "depends"}, "undecided"),
        ({"use": "smem", "dtype": "i64"}, ""),
    ],
    ids=str,
)
def test_gpus_differ_only_where_each_answer_is_clear(others: dict[str, str], agreement: str) -> None:
    first = replace(small().answers[0], gpu="a", use="shfl", outcome="clear", dtype="f32")
    second = replace(first, gpu="b", **others)  # type: ignore[arg-type]  # all of them are texts
    row, *more = answers_on_gpus([first, second], ["a", "b"])
    assert row.agreement == agreement
    assert row.answers == ((first, None) if more else (first, second))
    assert [other.answers for other in more] == ([(None, second)] if more else [])
