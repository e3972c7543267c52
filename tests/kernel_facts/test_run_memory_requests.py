"""The requests of committed runs, by their own sources."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.limits.passes import passes
from shflbench.core.model import AccessKind, Disturbance
from shflbench.kernel_facts.residency import residency_of
from shflbench.kernel_facts.run_limits import load_efficiency
from shflbench.kernel_facts.run_memory_requests import requests_of_run
from shflbench.kernel_facts.stored_code import KnownCodes, stored_codes
from shflbench.patterns.discover import builtin
from shflbench.store import Run, find_runs, read_run
from tests.checker.in_process import start_no_processes

WIDE = re.compile(r"(LDS|STS)\S*\.(64|128)")
EXCHANGING = re.compile(r" (neighbor|reduce|scan|vote)/smem-(unsafe|syncwarp)/")
RESULTS = Path(__file__).parents[2] / "results"
QUICK, EXCHANGES = RESULTS / "quick" / "nvidia-h200", RESULTS / "exchanges" / "nvidia-h200"


def run_of(*variants: str, folder: Path = QUICK) -> Run:
    """Return the committed run with one row of the pattern `neighbor` per variant."""
    run = read_run(folder)
    rows = [next(row for row in run.rows if (row.pattern, row.variant) == ("neighbor", name)) for name in variants]
    return replace(run, rows=tuple(rows))


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)


def test_each_loop_with_memory_accesses_has_its_requests(kernel_cache: Path) -> None:
    run = run_of("smem", "smem-syncwarp", "shfl")
    counted = requests_of_run(run, builtin(), kernel_cache)
    assert list(counted) == [row.case_id for row in run.rows[:2]]
    for one in counted.values():
        assert (one.per_iteration, one.warps) == (True, run.rows[0].block // 32)
        assert {(access.kind, access.passes) for access in one.accesses} == {
            (AccessKind.LOAD, 1),
            (AccessKind.STORE, 1),
        }


@pytest.mark.parametrize("variant", ["ldmatrix-x1", "ldmatrix-x4"])
def test_rows_of_matrices_have_their_bank_conflicts(kernel_cache: Path, variant: str) -> None:
    run = read_run(EXCHANGES)
    rows = [row for row in run.rows if row.variant == variant and "layout=plain" in row.case_id]
    (counted,) = requests_of_run(replace(run, rows=tuple(rows[:1])), builtin(), kernel_cache).values()
    assert {access.passes / (access.conflict_free_passes or 0) for access in counted.accesses if access.passes} == {8}


def changed(folder: Path, file: str, old: str, new: str) -> dict[str, Path]:
    """Return the folder of a `neighbor` that is written like this now, by its name."""
    shutil.copytree(builtin()["neighbor"], folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return {"neighbor": folder}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("kernels.cu", "template", "// changed\ntemplate", id="a comment"),
        pytest.param("kernels.cu", "neighbor_shfl", "renamed", id="another kernel"),
        pytest.param("kernels.cu", '#include "shflbench.cuh"', '#include "gone.cuh"', id="a header"),
        pytest.param("copy.cu", "slots[threadIdx.x] = x;", "slots[threadIdx.x * 2] = x;", id="what it requests"),
        pytest.param("copy.cu", "slots[threadIdx.x] = x;", "slots[threadIdx.x] = x + 1;", id="what it computes"),
    ],
)
def test_the_kernel_that_ran_is_counted_whatever_its_source_is_now(
    file: str, old: str, new: str, kernel_cache: Path, tmp_path: Path
) -> None:
    run = run_of("smem")
    counted = requests_of_run(run, builtin(), kernel_cache)
    assert list(counted) == [run.rows[0].case_id]
    assert requests_of_run(run, changed(tmp_path / "neighbor", file, old, new), kernel_cache) == counted


STORE = "slots[threadIdx.x] = x;"


@pytest.mark.parametrize(
    ("compiled", "stores"),
    [
        pytest.param(STORE, [1], id="as it is"),
        pytest.param(f"{STORE}\n__syncthreads();\n{STORE}", [2], id="the same by two stores"),
        pytest.param("slots[threadIdx.x] = x + 1;", [], id="another result than the pattern expects"),
        pytest.param("slots[threadIdx.x] = y;", [], id="does not compile"),
    ],
)
def test_what_the_run_compiled_decides(
    compiled: str, stores: list[int], kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of("smem")
    archive = run.kernels()
    assert archive is not None
    (kernel,) = (item for item in archive.index.kernels if run.rows[0].case_id in item.cases)
    header = kernel.headers["copied/smem.cuh"]
    text = archive.contents[header].decode()
    assert STORE in text
    contents = {**archive.contents, header: text.replace(STORE, compiled).encode()}
    monkeypatch.setattr(Run, "kernels", lambda _: replace(archive, contents=contents))
    counted = requests_of_run(run, builtin(), kernel_cache).values()
    of_stores = [[access for access in one.accesses if access.kind is AccessKind.STORE] for one in counted]
    assert [sum(access.most_requests for access in accesses) for accesses in of_stores] == stores


@pytest.mark.parametrize(
    "now",
    [
        pytest.param("return np.roll(values, iterations, axis=1)", id="another exchange"),
        pytest.param('raise ValueError("no such mode any more")', id="none"),
    ],
)
def test_a_kernel_that_does_not_compute_what_its_pattern_expects_now_is_left_out(
    now: str, kernel_cache: Path, tmp_path: Path
) -> None:
    before = "return np.roll(values, -iterations, axis=1)"
    folders = changed(tmp_path / "neighbor", "pattern.py", before, now)
    assert requests_of_run(run_of("smem"), folders, kernel_cache) == {}


@pytest.mark.archs
def test_a_kernel_with_a_race_has_its_requests(kernel_cache: Path) -> None:
    run = run_of("smem-unsafe", "smem-deck", folder=QUICK.parents[1] / "gtc2013" / "nvidia-h200")
    assert list(requests_of_run(run, builtin(), kernel_cache)) == [row.case_id for row in run.rows]


@pytest.mark.parametrize(("stride", "efficiency"), [("1", 1.0), ("2", 0.5), ("32", 0.125)])
def test_loads_of_a_kernel_of_one_pass_request_whole_sectors(
    stride: str, efficiency: float, kernel_cache: Path
) -> None:
    run = read_run(QUICK.parents[1] / "warp-collectives" / "nvidia-h200")
    wanted = ("strided-read", "global", "i32", {"stride": stride, "offset": "0"})
    row = next(row for row in run.rows if (row.pattern, row.variant, row.dtype, dict(row.options)) == wanted)
    counted = requests_of_run(replace(run, rows=(row,)), builtin(), kernel_cache)
    assert not counted[row.case_id].per_iteration
    assert load_efficiency(counted[row.case_id]) == efficiency


def test_a_loop_without_loads_from_global_memory_has_no_efficiency_of_loads(kernel_cache: Path) -> None:
    (counted,) = requests_of_run(run_of("smem"), builtin(), kernel_cache).values()
    assert load_efficiency(counted) is None
    assert load_efficiency(None) is None


def test_patterns_without_a_folder_have_no_requests(kernel_cache: Path) -> None:
    assert requests_of_run(run_of("smem"), {}, kernel_cache) == {}


def shares_of_wide_loops(run: Run, cache: Path, known: KnownCodes) -> dict[str, float]:
    """Return, by case, the passes of all warps divided by the measured clocks, where loops have wide accesses."""
    device = run.info.device
    assert device
    linear = [row for row in run.rows if Disturbance.NONLINEAR not in (row.noise or ())]
    codes = stored_codes(run.kernels(), [row.case_id for row in linear], known)
    loops = {case: code.loop for case, code in codes.items() if code.loop}
    wide = {
        case for case, loop in loops.items() if WIDE.search(" ".join(i.instruction.opcode for i in loop.instructions))
    }
    rows = [row for row in linear if row.case_id in wide and row.cycles_per_iteration]
    counted = requests_of_run(replace(run, rows=tuple(rows)), builtin(), cache)
    shares = {}
    for row in rows:
        residency = residency_of(row, device)
        if row.cycles_per_iteration and row.case_id in counted and residency and residency.waves == 1:
            taken = residency.warps * passes(loops[row.case_id], counted[row.case_id])
            shares[f"{run.info.suite.name} {row.case_id}"] = taken / row.cycles_per_iteration
    return shares


@pytest.mark.archs
@pytest.mark.complete  # four minutes
def test_no_committed_row_with_wide_accesses_takes_fewer_clocks_than_passes(kernel_cache: Path) -> None:
    shares: dict[str, float] = {}
    known: KnownCodes = {}
    for run in map(read_run, find_runs([QUICK.parents[1]])):
        if run.info.device:  # `make bench` leaves a run of the emulator there
            shares |= shares_of_wide_loops(run, kernel_cache, known)
    assert len(shares) > 80
    assert {case: share for case, share in shares.items() if share > 1.01} == {}
    # The exchange path is the limit where warps do not wait at barriers of the block, unless an SM has one warp only.
    exchanging = [
        share
        for case, share in shares.items()
        if re.search(" (reduce|neighbor|vote|scan)/smem-(un|sync)", case) and "/sms x 32/" not in case
    ]
    assert len(exchanging) > 15
    assert min(exchanging) > 0.95
