"""The list of public kernels with clusters, bulk copies and dependent launches, and the page that is written of it."""

import pytest

from benchmarks.async_kernels.page import page
from benchmarks.async_kernels.sample import PAGE, KernelResult, PublicKernel, notes, results, sample


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
