"""Reports on real kernels, each compiled and checked once."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from shflbench.core.model import Kernel
from shflbench.cuda.compile.build import Builder
from shflbench.errors import KernelError
from shflbench.kernel_facts.pattern_checks.kernels import check_all, compile_all
from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
from shflbench.kernel_facts.pattern_checks.targets import Filters, KernelSubject, find
from tests import kernels
from tests.checker.in_process import start_no_processes

PLANTED = Path(__file__).parent / "planted" / "pairs"
ARCH = "sm_90"


@cache
def pairs() -> Mapping[str, KernelSubject]:
    """Return the planted kernels by variant."""
    return {subject.case.variant: subject for subject in find([str(PLANTED)], Filters(dtypes=("i32",)))}


@cache
def compiled_pairs() -> Mapping[KernelSubject, Kernel | KernelError]:
    """Compile all planted kernels at once and keep them: the disassembler starts once for all tests that need some."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        start_no_processes(monkeypatch)
        return dict(compile_all(list(pairs().values()), Builder(kernels.tools(), ARCH, kernels.CACHE)))


class Reports(dict[str, SubjectReport]):
    """The reports on the planted kernels, by variant; each is checked when a test first asks for it."""

    def __missing__(self, variant: str) -> SubjectReport:
        (self[variant],) = check_all([pairs()[variant]], compiled_pairs(), kernels.tools().target(ARCH), seed=0)
        return self[variant]


@pytest.fixture(scope="session")
def planted() -> Reports:
    return Reports()
