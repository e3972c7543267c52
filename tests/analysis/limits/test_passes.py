import pytest

from shflbench.analysis.limits import count
from shflbench.analysis.limits.passes import passes
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests
from tests.analysis.limits.timed import code, item

LOAD, STORE = AccessKind.LOAD, AccessKind.STORE
WARPS = 4


def access(
    kind: AccessKind,
    bits: int,
    taken: float,
    *,
    warps: float = WARPS,
    sites: float = 1,
    fewest: float | None = None,
    space: AccessSpace = AccessSpace.SHARED,
) -> AccessRequests:
    """Return the requests of `warps` warps, from `sites` instructions per iteration."""
    fewest = taken if fewest is None else fewest
    return AccessRequests("a.cu", 1, space, kind, bits, warps * sites, sites, 32, taken, fewest, fewest)


def requests(*accesses: AccessRequests) -> KernelRequests:
    return KernelRequests(accesses, (), WARPS, per_iteration=True)


def test_without_requests_passes_follow_the_width() -> None:
    assert passes(code("STS.128", "LDS.128", "LDS.64", "LDS.U8", "SHFL.IDX", "FADD")) == 4 + 2 + 1 + 1 + 1
    assert passes(code("@P0 STS", "FADD")) == 0


def test_requests_of_the_same_kind_and_width_decide() -> None:
    counted = requests(access(LOAD, 64, 2), access(LOAD, 32, 8), access(STORE, 32, 1))
    assert passes(code("LDS.64", "LDS", "STS", "SHFL.IDX"), counted) == 2 + 8 + 1 + 1
    assert count(code("LDS.64", "LDS", "STS"), counted).passes == 2 + 8 + 1


def test_passes_are_per_iteration_of_an_unrolled_loop() -> None:
    assert passes(code("LDS", "LDS", unroll=2), requests(access(LOAD, 32, 3))) == 3


def test_narrow_accesses_count_with_those_of_32_bits() -> None:
    assert passes(code("LDS.S8", "LDS"), requests(access(LOAD, 8, 2), access(LOAD, 32, 4))) == 2 + 4


def test_with_equal_numbers_the_mean_of_all_counts_predicated_ones_included() -> None:
    half = access(STORE, 32, 6, warps=WARPS / 2)
    assert passes(code("@P0 STS", "FADD"), requests(half)) == 3
    assert passes(code(item("STS", always=False), "FADD"), requests(half)) == 3


def test_with_other_numbers_each_certain_one_takes_the_fewest_passes_of_the_ptx() -> None:
    three = requests(access(LOAD, 32, 4, sites=2, fewest=2), access(LOAD, 32, 8))
    assert passes(code("LDS", "LDS"), three) == 2 * 2
    assert passes(code("@P0 LDS", "LDS"), three) == 2


def test_a_width_that_only_the_machine_code_has_takes_what_the_width_needs() -> None:
    assert passes(code("LDS.128"), requests(access(LOAD, 32, 1, sites=4))) == 2


def test_each_matrix_takes_a_pass_or_as_many_as_its_rows_were_counted_to_take() -> None:
    forms = ("LDSM.16.M88", "LDSM.16.M88.2", "LDSM.16.MT88.4", "STSM.16.M88.4")
    assert [passes(code(form)) for form in forms] == [1, 2, 4, 4]
    assert passes(code("LDSM.16.M88.4"), requests(access(LOAD, 128, 32))) == 32
    assert passes(code("STSM.16.M88"), requests(access(STORE, 128, 1))) == 1
    assert passes(code("STSM.16.M88.4"), requests(access(STORE, 128, 1))) == 4


def test_other_memory_is_no_shared_memory() -> None:
    assert passes(code("LDS"), requests(access(LOAD, 32, 9, space=AccessSpace.LOCAL))) == 1


@pytest.mark.parametrize(("taken", "expected"), [(1, 4 + 0), (6, 6 + 2)])
def test_registers_of_stores_take_a_clock_each_whatever_lanes_are_active(taken: float, expected: float) -> None:
    # A store of one lane takes one pass and four clocks, in which the banks also serve the uniform load.
    assert passes(code("STS.128", "LDS.128"), requests(access(STORE, 128, taken), access(LOAD, 128, 2))) == expected
