"""Requests to memory, in clocks of the load/store unit and of L1's tags."""

import pytest

from shflbench.analysis.limits import ExecutionUnit, Residency, limit
from shflbench.analysis.limits.bound import LOAD_STORE
from shflbench.core.arch import Architecture, Figure
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests, MatchRequests
from tests.analysis.limits.timed import code, item

ONE_WARP = Residency(warps_per_block=1, warps=1)
ARCH = Architecture(
    name="sm_0",
    exchange=Figure(1.0, "a test", verified=False),
    load_store=Figure(1.0, "a test", verified=False),
    l1_tags=Figure(4.0, "a test", verified=False),
    match_values=Figure(2.0, "a test", verified=False),
)


def requests(*lines: float, space: AccessSpace = AccessSpace.LOCAL, per_iteration: bool = True) -> KernelRequests:
    """Return one load per number of lines, and two MATCH instructions with 16 and 8 distinct values."""
    accesses = [
        AccessRequests("kernels.cu", line, space, AccessKind.LOAD, 32, 1, 1, 32, lines=count)
        for line, count in enumerate(lines)
    ]
    matches = [MatchRequests("kernels.cu", line, 1, 32, distinct) for line, distinct in ((1, 16.0), (2, 8.0))]
    return KernelRequests(tuple(accesses), tuple(matches), 1, per_iteration)


def part(name: str, *opcodes: str, known: KernelRequests | None = None, arch: Architecture = ARCH) -> float | None:
    """Return the clocks of a part of the limit of one warp; None if the limit leaves it out."""
    found = limit(code(*opcodes, unroll=2), arch, ONE_WARP, known)
    assert found
    return found.parts.get(name)


def test_each_request_takes_a_clock_of_the_load_store_unit() -> None:
    assert part(LOAD_STORE, "LDG.E", "STL", "SHFL.IDX", "LDS.128", "@P0 STG.E", "FADD") == 4 / 2


def test_shared_memory_alone_is_left_to_the_exchange_path() -> None:
    assert part(LOAD_STORE, "SHFL.IDX", "STS") is None


def test_without_a_rate_global_and_local_memory_are_named() -> None:
    found = limit(code("LDG.E", "STL"), Architecture(name="sm_0"), ONE_WARP)
    assert found
    assert {ExecutionUnit.GLOBAL, ExecutionUnit.LOCAL} <= set(found.omitted)
    found = limit(code("LDG.E", "STL"), ARCH, ONE_WARP)
    assert found
    assert not {ExecutionUnit.GLOBAL, ExecutionUnit.LOCAL} & set(found.omitted)


@pytest.mark.parametrize(("lines", "clocks"), [((1,), 1), ((32,), 8), ((20, 32), 5)])
def test_scattered_requests_take_a_clock_per_four_lines(lines: tuple[float, ...], clocks: float) -> None:
    assert part(LOAD_STORE, "LDL", "LDL", known=requests(*lines)) == clocks


def test_lines_of_another_memory_or_of_a_whole_kernel_do_not_count() -> None:
    assert part(LOAD_STORE, "LDL", "LDL", known=requests(32, space=AccessSpace.GLOBAL)) == 1
    assert part(LOAD_STORE, "LDL", "LDL", known=requests(32, per_iteration=False)) == 1


def test_match_any_takes_the_time_of_its_distinct_values() -> None:
    assert part("match", "MATCH.ANY", "MATCH.ANY") == 1 / 2.0
    assert part("match", "MATCH.ANY", "MATCH.ANY", known=requests()) == 8 / 2.0  # the fewest of any line
    assert part("match", "MATCH.ALL", "@P0 MATCH.ANY", known=requests()) == 0.5 / 2.0


@pytest.mark.parametrize(
    ("opcodes", "assumed"),
    [
        (("STS", "LDS"), ("no bank conflicts",)),
        (("LDG.E", "STG.E"), ("loads hit L1",)),
        (("STG.E", "STL"), ()),
        (("LDG.E.STRONG.GPU",), ("loads hit L2",)),
        (("LDL", "ATOMG.E.ADD"), ("loads hit L1", "loads hit L2")),
        (("MATCH.ANY", "BRA.DIV"), ("one value per MATCH", "warps do not diverge")),
        ((item("FADD", always=False),), ("branches take the shortest path",)),
    ],
)
def test_a_limit_says_what_it_assumes(opcodes: tuple[str, ...], assumed: tuple[str, ...]) -> None:
    found = limit(code(*opcodes), ARCH, ONE_WARP)
    assert found
    assert found.assumed == assumed


def test_counted_requests_replace_assumptions() -> None:
    found = limit(code("STS", "MATCH.ANY"), ARCH, ONE_WARP, requests())
    assert found
    assert found.assumed == ()
