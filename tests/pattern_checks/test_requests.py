from shflbench.model import KernelRequests
from shflbench.pattern_checks.requests import requests_of, requests_of_all
from tests import kernels


def test_requests_have_the_innermost_line_of_the_patterns_own_files() -> None:
    subject = kernels.subjects()["vote/smem/i32/op=any"]
    job = (subject.pattern, subject.case, kernels.compiled(subject.name, disassembled=False))
    counted = requests_of(*job)
    assert {one.file for one in counted.accesses} == {"flags.cuh", "vote/kernels.cu"}
    for one in counted.accesses:
        line = (subject.pattern.folder / one.file.removeprefix("vote/")).read_text().splitlines()[one.line - 1]
        assert "words[0]" in line or "] = " in line
    assert list(requests_of_all([job])) == [counted]
    assert isinstance(counted, KernelRequests)
