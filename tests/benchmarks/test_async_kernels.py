"""The list of public kernels with clusters, bulk copies and dependent launches, and the page that is written of it."""

import pytest

from benchmarks.async_kernels.page import page
from benchmarks.async_kernels.runs import PAGE, KernelResult, PublicKernel, notes, read_costs, results, sample


def expected(verdict: str) -> PublicKernel:
    return PublicKernel("o/n", "c", "k.cu", "", "k", "cluster", "host", "", "MIT", verdict, "a reason")


def test_the_page_is_that_of_the_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(sample(), results("first.jsonl"), results("final.jsonl"), notes())


def test_each_result_and_each_note_is_of_a_kernel_of_the_list() -> None:
    keys = {kernel.key for kernel in sample()}
    assert len(keys) == len(sample())
    assert results("final.jsonl").keys() == results("first.jsonl").keys() == keys
    assert notes().keys() <= keys


@pytest.mark.parametrize(
    ("verdict", "result", "sentence", "agrees"),
    [
        ("sound", "clean", "", True),
        ("sound", "schedule-dependent", "", True),
        ("sound", "needs arguments", "", False),
        ("broken", "broken", "", True),
        ("broken", "doubtful", "", False),
        ("refused", "not checked", "does not support the instruction `wgmma.fence`", True),
        ("refused", "not checked", "the time limit was reached", False),
        ("refused", "not compiled", "`cp.async.bulk.tensor`", False),
    ],
)
def test_a_verdict_agrees_with_the_expected_one(verdict: str, result: str, sentence: str, *, agrees: bool) -> None:
    assert expected(verdict).agrees(KernelResult(result, sentence, 1.0, 100.0)) is agrees


def test_the_costs_of_the_own_process_are_read_beside_those_of_all_processes() -> None:
    costs, errors = read_costs("note: a note\nown 2.5 90\nused 9.0 1200\n")
    assert costs == {"own_cpu_s": 2.5, "own_memory_mb": 90.0, "cpu_s": 9.0, "memory_mb": 1200.0}
    assert errors == ["note: a note"]


def test_the_page_judges_the_limit_without_and_with_the_compiler() -> None:
    kernel = expected("sound")
    text = page([kernel], {}, {kernel.key: KernelResult("clean", "", 9.0, 1200.0, 2.5, 90.0)}, {})
    assert "schedules | 1 | 2.5 | 2.5 | 90 | 90 | 1 of 1 |" in text
    assert "compiler | 1 | 9.0 | 9.0 | 1200 | 1200 | 0 of 1 |" in text
    assert "| clean | 2.5 | 6.5 | 9.0 | 90 |" in text
    assert "| clean | – | – | 9.0 | – |" in page([kernel], {}, {kernel.key: KernelResult("clean", "", 9.0, 1200.0)}, {})
