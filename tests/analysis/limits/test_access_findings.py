import pytest

from shflbench.analysis.limits.access_findings import AccessFinding, AccessProblem, findings
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests

LOAD, STORE, ATOMIC = AccessKind
SHARED, GLOBAL, LOCAL = AccessSpace


def shared(passes: float, least: float, kind: AccessKind = LOAD, file: str = "own/kernels.cu") -> AccessRequests:
    return AccessRequests(file, 7, SHARED, kind, 32, 4, 1, 32, passes, passes, least)


def moved(sectors: float, least: float, kind: AccessKind = LOAD, space: AccessSpace = GLOBAL) -> AccessRequests:
    return AccessRequests("own/kernels.cu", 9, space, kind, 32, 4, 1, 32, sectors=sectors, least_sectors=least)


def found_in(*accesses: AccessRequests) -> tuple[AccessFinding, ...]:
    return findings(KernelRequests(accesses, (), 4, per_iteration=True))


def test_passes_above_those_of_the_width_are_bank_conflicts() -> None:
    (finding,) = found_in(shared(1, 1), shared(32, 4))
    assert (finding.kind, finding.per_request, finding.least) == (AccessProblem.BANK_CONFLICT, 32, 4)
    assert (finding.location, finding.requests) == ("own/kernels.cu:7", 4)


def test_sectors_above_those_of_the_data_are_uncoalesced() -> None:
    first, second = found_in(moved(32, 4), moved(4, 4), moved(16, 4, STORE))
    assert (first.kind, first.per_request, first.least) == (AccessProblem.UNCOALESCED, 32, 4)
    assert (second.access.kind, second.location) == (STORE, "own/kernels.cu:9")


def test_local_memory_counts_as_well() -> None:
    assert [finding.access.space for finding in found_in(moved(32, 4, space=LOCAL))] == [LOCAL]


@pytest.mark.parametrize("access", [moved(5, 4), shared(1.005, 1), moved(32, 2, ATOMIC), shared(32, 1, ATOMIC)])
def test_misaligned_and_rarely_conflicting_accesses_and_atomics_are_no_findings(access: AccessRequests) -> None:
    assert found_in(access) == ()


def test_a_line_that_the_compiler_does_not_name_has_no_location() -> None:
    assert [finding.location for finding in found_in(shared(2, 1, file=""))] == [""]
