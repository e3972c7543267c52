"""The parts that all programs share: their option for a page, tables, records that can be resumed, and runs."""

import sys
from pathlib import Path

import pytest

from benchmarks.common.pages import bullets, met, program, publish, table
from benchmarks.common.records import JsonLines, PublicFile, read_json, read_rows, read_table, write_json
from benchmarks.common.runs import NOT_ENDED, call, run_all


@pytest.mark.parametrize(("words", "file"), [([], None), (["--record"], "page.md"), (["--record", "b.md"], "b.md")])
def test_a_page_is_written_where_it_is_kept_or_to_another_file(words: list[str], file: str | None) -> None:
    record = program("A program.", Path("page.md")).parse_args(words).record
    assert record == (Path(file) if file else None)


def test_a_page_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish("a page\n", tmp_path / "page.md")
    publish("another page\n", None)
    assert capsys.readouterr().out == "a page\n\nanother page\n\n"
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["a page\n"]


def test_figures_are_aligned_to_the_right() -> None:
    assert (
        table(("case", "by", "µs"), [("a", "b", 1.5)], texts=2)
        == "| case | by | µs |\n| --- | --- | --: |\n| a | b | 1.5 |"
    )


def test_requirements_say_whether_they_are_met() -> None:
    assert met([("at most 1%", True), ("all", False)]) == "- met: at most 1%\n- **missed**: all"
    assert bullets([]) == "None."


def test_records_are_read_without_the_half_line_of_a_stopped_run(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "run.jsonl")
    assert lines.read() == []
    lines.add({"file": "a.cu", "µs": 1})
    with lines.path.open("a", encoding="utf-8") as file:
        file.write('{"file": "b')
    assert lines.read() == [{"file": "a.cu", "µs": 1}]


def test_only_items_without_a_record_are_worked_on(tmp_path: Path) -> None:
    lines, files = JsonLines(tmp_path / "run.jsonl"), [PublicFile("o/n", "c", name) for name in ("a.cu", "b.cu")]
    assert files[0].below(tmp_path) == tmp_path / "o+n" / "a.cu"
    lines.add_all(files[:1], lambda _: {"verdict": "clean"})
    lines.add_all(files, lambda file: {"verdict": file.path})
    assert lines.read() == [{"file": "o/n/a.cu", "verdict": "clean"}, {"file": "o/n/b.cu", "verdict": "b.cu"}]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"unit": "µs", "values": [1, None]})
    assert read_json(tmp_path / "a.json") == {"unit": "µs", "values": [1, None]}
    (tmp_path / "a.tsv").write_text('path\treason\na.cu\tthe "first"\n', encoding="utf-8")
    assert read_table(tmp_path / "a.tsv") == [{"path": "a.cu", "reason": 'the "first"'}]
    (tmp_path / "a.tsv").write_text("repository\tcommit\tpath\no/n\tc\ta.cu\n", encoding="utf-8")
    assert read_rows(tmp_path / "a.tsv", PublicFile) == [PublicFile("o/n", "c", "a.cu")]


def test_a_command_ends_within_its_limit(tmp_path: Path) -> None:
    done = call([sys.executable, "-c", "import os; print(os.getcwd()); raise SystemExit(3)"], 60, tmp_path)
    assert (done.code, done.out) == (3, f"{tmp_path}\n")
    late = call([sys.executable, "-c", "import time; time.sleep(60)"], 0.1)
    assert (late.code, late.out, late.errors, late.json()) == (NOT_ENDED, "", "not finished in 0.1 s", {})
    assert call(["cat"], 60, text='{"a": 1}').json() == {"a": 1}


def test_each_item_has_its_result_whatever_ends_first() -> None:
    assert dict(run_all(range(20), lambda item: item * item, workers=4)) == {item: item * item for item in range(20)}
