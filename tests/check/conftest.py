"""Reports on real kernels, each compiled and checked once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shflbench.check import Filters, KernelReport, check_all, compile_all, find
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find as find_toolchain

if TYPE_CHECKING:
    from collections.abc import Sequence

PLANTED = Path(__file__).parent / "planted" / "pairs"
Reports = dict[str, KernelReport]


def checked(cache: Path, targets: Sequence[str], filters: Filters) -> Reports:
    """Return the reports on the targets for sm_90, by the kernels' names."""
    subjects = find(targets, filters)
    kernels = dict(compile_all(subjects, Builder(find_toolchain(), "sm_90", cache)))
    reports = check_all(subjects, kernels, "sm_90", seed=0)
    return {subject.name: report for subject, report in zip(subjects, reports, strict=True)}


@pytest.fixture(scope="session")
def built_in(kernel_cache: Path) -> Reports:
    """Return what is said of every kernel that shflbench ships, in f32; of one that has it not, in i32."""
    reports = checked(kernel_cache, ["neighbor", "reduce"], Filters(dtypes=("f32",)))
    return reports | checked(kernel_cache, ["reduce"], Filters(variants=("redux",)))


@pytest.fixture(scope="session")
def planted(kernel_cache: Path) -> Reports:
    """Return what is said of the planted kernels, by their variant."""
    reports = checked(kernel_cache, [str(PLANTED)], Filters(dtypes=("i32",)))
    return {report.variant: report for report in reports.values()}
