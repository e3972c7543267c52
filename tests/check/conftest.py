"""Reports on real kernels, each compiled and checked once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shflbench.check import Filters, KernelReport, check_all, compile_all, find
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find as find_toolchain
from shflbench.processes import map_in_processes
from tests.trial import report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.trial import Tried

PLANTED = Path(__file__).parent / "planted" / "pairs"
Reports = dict[str, KernelReport]


def checked(cache: Path, targets: Sequence[str], filters: Filters) -> Reports:
    """Return the reports on the targets for sm_90, by the kernels' names."""
    subjects = find(targets, filters)
    built = dict(compile_all(subjects, Builder(find_toolchain(), "sm_90", cache)))
    found = check_all(subjects, built, "sm_90", seed=0)
    return {subject.name: item for subject, item in zip(subjects, found, strict=True)}


@pytest.fixture(scope="session")
def reports(request: pytest.FixtureRequest, tried: Mapping[str, Tried]) -> Mapping[str, KernelReport]:
    """Return what is said of the built-in kernels that the tests of this session ask for."""
    items = [item for item in request.session.items if "reports" in getattr(item, "fixturenames", ())]
    wanted = {item.callspec.params["built_in"] for item in items if hasattr(item, "callspec")}
    compiled = {name: kernel for name in tried if name in wanted and (kernel := tried[name].kernel) is not None}
    return dict(zip(compiled, map_in_processes(report, list(compiled.items())), strict=True))


@pytest.fixture(scope="session")
def planted(kernel_cache: Path) -> Reports:
    """Return what is said of the planted kernels, by their variant."""
    found = checked(kernel_cache, [str(PLANTED)], Filters(dtypes=("i32",)))
    return {item.variant: item for item in found.values()}
