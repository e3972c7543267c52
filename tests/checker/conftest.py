"""Reports on real kernels, each compiled and checked once."""

from pathlib import Path

import pytest

from shflbench.checker import Filters, KernelReport, check_all, compile_all, find
from shflbench.compile.build import Builder
from tests import kernels
from tests.checker.in_process import start_no_processes

PLANTED = Path(__file__).parent / "planted" / "pairs"
ARCH = "sm_90"


class Reports(dict[str, KernelReport]):
    """The reports on the planted kernels, by variant; each is checked when a test first asks for it."""

    def __init__(self, cache: Path) -> None:
        super().__init__()
        self._subjects = {subject.case.variant: subject for subject in find([str(PLANTED)], Filters(dtypes=("i32",)))}
        self._kernels = dict(compile_all(list(self._subjects.values()), Builder(kernels.tools(), ARCH, cache)))

    def __missing__(self, variant: str) -> KernelReport:
        (self[variant],) = check_all([self._subjects[variant]], self._kernels, ARCH, seed=0)
        return self[variant]


@pytest.fixture(scope="session")
def planted(kernel_cache: Path) -> Reports:
    with pytest.MonkeyPatch.context() as monkeypatch:
        start_no_processes(monkeypatch)
        return Reports(kernel_cache)
