"""Requests of real kernels, counted in the emulator."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.launch import parse_launch
from shflbench.core.model import AccessKind, AccessSpace, Case, Kernel, KernelRequests
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import EmulatorError
from shflbench.kernel_facts.memory_requests import RequestsJob, requests_of, requests_of_all, source_line
from shflbench.patterns.discover import LoadedPattern, load
from tests import kernels
from tests.checker.in_process import start_no_processes


def counted(name: str, block: int = 128) -> KernelRequests:
    """Return the requests of one kernel of the tests."""
    return requests_of(*job(name, block))


def job(name: str, block: int = 128) -> RequestsJob:
    subject = kernels.subjects()[name]
    case = replace(subject.case, launch=replace(subject.case.launch, block=block))
    return subject.pattern, case, kernels.compiled(name, disassembled=False)


def sites(requests: KernelRequests) -> list[tuple[AccessSpace, AccessKind, int, float, float | None]]:
    return [(one.space, one.kind, one.bits, one.requests / requests.warps, one.passes) for one in requests.accesses]


SHARED, GLOBAL, LOCAL = AccessSpace
LOAD, STORE, ATOMIC = AccessKind
TILES = Path(__file__).parents[1] / "patterns" / "tile_transpose"


def test_a_timed_loop_has_the_requests_of_one_iteration() -> None:
    exchange = counted("neighbor/smem/f32/mode=idx")
    assert (exchange.warps, exchange.per_iteration) == (4, True)
    assert sorted(sites(exchange)) == [(SHARED, LOAD, 32, 1, 1), (SHARED, STORE, 32, 1, 1)]
    assert [one.most_requests for one in exchange.accesses] == [1, 1]


@pytest.mark.archs
def test_loads_of_the_width_of_the_machine_code_take_its_passes() -> None:
    assert [(one[2], one[4]) for one in sites(counted("vote/smem/i32/op=any")) if one[1] is LOAD] == [(128, 2)]
    assert sorted(sites(counted("neighbor/smem/f64/mode=idx"))) == [(SHARED, LOAD, 64, 1, 2), (SHARED, STORE, 64, 1, 2)]


@pytest.mark.archs
def test_bank_conflicts_and_only_the_active_warps_count() -> None:
    (load,) = (one for one in counted("transpose/smem/f32/words=32").accesses if one.kind is LOAD)
    assert (load.bits, load.passes, load.conflict_free_passes) == (128, 32, 4)


def test_a_shuffle_requests_nothing() -> None:
    assert counted("neighbor/shfl/f32/mode=idx").accesses == ()


@pytest.mark.archs
def test_a_kernel_of_one_pass_has_the_requests_of_the_whole_kernel() -> None:
    count = counted("count/match/i32/counters=32")
    assert not count.per_iteration
    assert {(one.space, one.kind) for one in count.accesses} == {(GLOBAL, LOAD), (GLOBAL, ATOMIC)}
    (match,) = count.matches
    assert match.lanes == 32
    assert 1 < match.distinct < 32  # counters are drawn at random, some of them more often


def test_arrays_that_the_machine_code_keeps_in_registers_are_not_in_local_memory() -> None:
    pattern, case, kernel = job("lane-array/local/f32/length=4/index=random")
    assert kernel.resources.local_bytes == 0
    assert "st.local" in kernel.ptx
    assert LOCAL not in {one.space for one in requests_of(pattern, case, kernel).accesses}
    spilled = replace(kernel, resources=replace(kernel.resources, local_bytes=8))
    assert LOCAL in {one.space for one in requests_of(pattern, case, spilled).accesses}


def test_the_block_of_the_case_is_emulated() -> None:
    assert counted("neighbor/smem/f32/mode=idx", block=96).warps == 3


@pytest.mark.archs
def test_two_blocks_of_a_grid_of_several_dimensions_access_the_data_of_the_whole_grid(kernel_cache: Path) -> None:
    pattern, launch = load(TILES), parse_launch("8x8:16x16")
    case = Case(pattern.name, "global", "f32", launch, 1)
    builder = Builder(find(), "sm_90", kernel_cache)
    ((_, kernel),) = builder.build_all({"": builder.request(pattern, case)})
    assert isinstance(kernel, Kernel)
    counted = {one.kind: one for one in requests_of(pattern, case, kernel).accesses}
    assert {kind: one.requests for kind, one in counted.items()} == {LOAD: 8, STORE: 8}
    assert (counted[LOAD].sectors, counted[LOAD].lines) == (4, 2)
    assert (counted[STORE].sectors, counted[STORE].lines) == (16, 16)  # rows of 512 bytes, and not of one tile


def test_kernels_that_the_emulator_cannot_run_do_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)
    pattern, case, kernel = job("neighbor/smem/f32/mode=idx")
    broken = replace(kernel, ptx=kernel.ptx.replace("st.shared", "st.unheard.of"))
    failed, fine = requests_of_all([(pattern, case, broken), (pattern, case, kernel)])
    assert isinstance(failed, EmulatorError)
    assert isinstance(fine, KernelRequests)


def test_lines_are_those_of_the_kernel_unless_a_locator_says_otherwise() -> None:
    def nowhere(_: LoadedPattern) -> Callable[[object], tuple[str, int]]:
        return lambda _: ("", 0)

    inlined = job("vote/smem/i32/op=any")
    files = {one.file.rpartition("/")[2] for one in requests_of(*inlined).accesses}
    assert files == {"kernels.cu"}
    assert {(one.file, one.line) for one in requests_of(*inlined, nowhere).accesses} == {("", 0)}


def test_requests_have_the_innermost_line_of_the_patterns_own_files() -> None:
    subject = kernels.subjects()["vote/smem/i32/op=any"]
    vote = (subject.pattern, subject.case, kernels.compiled(subject.name, disassembled=False))
    counted = requests_of(*vote, source_line)
    assert {one.file for one in counted.accesses} == {"vote/copy.cu"}
    for one in counted.accesses:
        line = (subject.pattern.folder / one.file.removeprefix("vote/")).read_text().splitlines()[one.line - 1]
        assert "flags[0]" in line or "] = " in line
    assert list(requests_of_all([vote], source_line)) == [counted]
