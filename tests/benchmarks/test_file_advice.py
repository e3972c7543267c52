"""The page on the advice on public files."""

from benchmarks.file_advice.page import page
from benchmarks.file_advice.sample import PAGE, measured, readings, results, sample, suggestions


def test_the_page_is_that_of_the_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(
        sample(), results("first.jsonl"), results("again.jsonl"), readings()
    )


def test_each_suggestion_of_the_first_run_was_read_once() -> None:
    made = [
        (one.file, one.kernel, one.line, one.what) for record in results("first.jsonl") for one in suggestions(record)
    ]
    assert sorted(made) == sorted((item.file, item.kernel, item.line, item.what) for item in readings())


def test_no_suggestion_that_readers_call_wrong_remains() -> None:
    wrong = {(item.file, item.kernel, item.line, item.what) for item in readings() if item.decided == "wrong"}
    now = {
        (one.file, one.kernel, one.line, one.what) for record in results("again.jsonl") for one in suggestions(record)
    }
    assert len(wrong) == 18
    assert not wrong & now


NOT_AGAIN = (  # takes minutes
    "PacktPublishing/Learn-CUDA-Programming/Chapter07/07_parallel_programming_pattern/01_sgemm_optimization/sgemm.cu"
)


def test_the_second_run_is_of_the_files_with_suggestions() -> None:
    with_suggestions = {record["file"] for record in results("first.jsonl") if suggestions(record)}
    assert sorted(record["file"] for record in results("again.jsonl")) == sorted(with_suggestions - {NOT_AGAIN})
    assert {item.file for item in measured()} <= with_suggestions
