"""The page on the advice on public files."""

from benchmarks.file_advice.page import page
from benchmarks.file_advice.runs import PAGE, Key, measured, readings, results, sample, suggestions


def test_the_page_is_that_of_the_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def suggested(name: str) -> set[Key]:
    return {one.key for record in results(name) for one in suggestions(record)}


def test_each_suggestion_was_read_once() -> None:
    read = [item.key for item in readings()]
    assert len(set(read)) == len(read)
    assert set(read) == suggested("first.jsonl") | suggested("again.jsonl")


def test_no_suggestion_that_readers_call_wrong_remains() -> None:
    wrong = {item.key for item in readings() if item.decided == "wrong"}
    assert len(wrong) == 18
    assert not wrong & suggested("again.jsonl")


def test_the_last_run_is_of_all_files() -> None:
    assert [record["file"] for record in results("again.jsonl")] == [file.key for file in sample()]
    assert {item.file for item in measured()} <= {record["file"] for record in results("first.jsonl")}
