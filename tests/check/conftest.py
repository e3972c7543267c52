"""Reports on real kernels, each compiled and checked once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from shflbench.check import Filters, KernelReport, check_all, compile_all, find
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find as find_toolchain

PLANTED = Path(__file__).parent / "planted" / "pairs"
Reports = dict[str, KernelReport]


def check(cache: Path, targets: Sequence[str], filters: Filters) -> Reports:
    """Return the reports on the targets for sm_90, by the kernels' names."""
    subjects = find(targets, filters)
    built = dict(compile_all(subjects, Builder(find_toolchain(), "sm_90", cache)))
    reports = check_all(subjects, built, "sm_90", seed=0)
    return {subject.name: item for subject, item in zip(subjects, reports, strict=True)}


@pytest.fixture(scope="session")
def planted(kernel_cache: Path) -> Reports:
    """Return the reports on the planted kernels, by variant."""
    reports = check(kernel_cache, [str(PLANTED)], Filters(dtypes=("i32",)))
    return {item.variant: item for item in reports.values()}
