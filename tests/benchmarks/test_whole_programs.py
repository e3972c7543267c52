"""The figures on whole programs, and the page that is written of them."""

import pytest

from benchmarks.whole_programs.page import counts, page
from benchmarks.whole_programs.sample import SAMPLES, FileResult, Reading, Sample


def result(file: str, seconds: float, **kernels: str) -> FileResult:
    worst = next((item for item in ("broken", "needs arguments") if item in kernels.values()), "clean")
    return FileResult(file, worst, seconds, tuple(kernels.items()))


def reading(file: str, kernel: str, decided: str, second: str | None = None) -> Reading:
    return Reading(file, kernel, decided, second or decided, decided, "a reason")


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_page_is_that_of_the_files_and_each_reading_of_a_kernel_of_the_sample(sample: Sample) -> None:
    assert sample.page.read_text(encoding="utf-8") == page(sample)
    files = {item.key for item in sample.files()}
    kernels = {item.file: {name for name, _ in item.kernels} for item in sample.results()}
    assert kernels.keys() == files
    assert all(item.kernel in {"", *kernels[item.file]} for item in sample.readings())


def test_samples_share_no_repository() -> None:
    repositories = [{file.repository for file in sample.files()} for sample in SAMPLES.values()]
    assert len(set().union(*repositories)) == sum(map(len, repositories))


def test_clean_files_that_nobody_read_count_at_the_rate_of_those_that_were_read() -> None:
    files = [
        result("a", 1.0, k="clean"),
        result("b", 2.0, k="clean"),
        result("c", 3.0, k="clean"),
        result("d", 4.0, k="clean"),
        result("e", 9.0, k="broken", l="clean"),
        result("f", 5.0, k="broken"),
    ]
    known = [
        reading("a", "k", "right"),
        reading("b", "k", "wrong", second="right"),
        reading("e", "k", "right"),
        reading("e", "l", "right"),
        reading("f", "", "left out"),
    ]
    figures = counts(files, known)
    assert (figures.files, figures.left_out, figures.read, figures.differing) == (5, ("f",), 3, 1)
    assert (figures.clean_read, figures.clean_right) == (2, 1)
    assert figures.right == (2 + 2 * 0.5) / 5  # a and e, and half of c and d
    assert figures.kernels == {"clean": (3, 2), "broken": (1, 1)}
    assert (figures.median_s, figures.longest_s) == (3.0, 9.0)
