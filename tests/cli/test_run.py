"""The real `shflbench run`, on a scripted GPU and on none."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from shflbench.errors import LaunchError
from shflbench.model import Status
from shflbench.patterns.discover import builtin
from shflbench.store import Row, read_run
from tests.fakes.backend import (
    H200,
    FakeBackend,
    Script,
    after_first_trip,
    in_trip,
    lost,
    one_lane,
    plug_in,
    unplug,
    unrolled_body,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conftest import Command, Outcome
    from tests.fakes.backend import Fault

    Plug = Callable[[FakeBackend], FakeBackend]

PATTERNS = Path(__file__).parents[1] / "patterns"
SUITE = """\
schema: 1
name: demo
title: A demonstration
defaults: {launch: 2x64, iterations: 4096, dtypes: f32}
experiments:
  - pattern: neighbor
    variants: [smem, smem-unsafe, shfl]
  - pattern: reduce
    variants: [smem, shfl]
"""
SCRIPTS = {
    "smem": Script(ns_per_iteration=80.0),
    "smem-unsafe": Script(ns_per_iteration=32.0),
    "shfl": Script(ns_per_iteration=16.0),
}
NEIGHBOR = [f"neighbor/{variant}/f32/2x64/4096" for variant in ("smem", "smem-unsafe", "shfl")]
REDUCE = [f"reduce/{variant}/f32/2x64/4096" for variant in ("smem", "shfl")]


@pytest.fixture
def run(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench run` in a folder with the suite above, on a machine without a GPU."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("demo.yaml").write_text(SUITE, encoding="utf-8")
    unplug(monkeypatch)
    return lambda *words: shflbench("run", *words)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Give this machine a scripted GPU."""
    return lambda device: plug_in(monkeypatch, device)


def rows_of(outcome: Outcome) -> dict[str, Row]:
    """Return the rows of the run whose folder was printed, by case."""
    return {row.case_id: row for row in read_run(Path(outcome.out.strip())).rows}


def statuses(outcome: Outcome) -> list[Status]:
    return [row.status for row in rows_of(outcome).values()]


def test_run_on_a_gpu_prints_its_folder_and_tells_the_rest(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    title, machine, *rest = outcome.err.splitlines()
    assert title == "A demonstration: 5 cases."
    assert machine.startswith("NVIDIA H200, driver 580.159, CUDA 13.0, NVRTC ")
    assert rest == [
        "SM clock when warm: 2000 MHz.",
        "",
        "neighbor  f32  2x64  4096 iterations",
        "  variant      time µs        ns/iteration  vs smem   proof",
        "  shfl          69.54 ± 0.02  16.00 ± 0.02  4.77×     verified",
        "  smem-unsafe  135.07 ± 0.02  32.00 ± 0.02  2.46×     UNSAFE, 8 of 8 inputs matched",
        "  smem         331.68 ± 0.02  80.00 ± 0.02  baseline  verified",
        "",
        "reduce  f32  2x64  4096 iterations",
        "  variant  time µs        ns/iteration  vs smem   proof",
        "  shfl      69.54 ± 0.02  16.00 ± 0.02  4.77×     verified",
        "  smem     331.68 ± 0.02  80.00 ± 0.02  baseline  verified",
        "",
        "neighbor, f32: shfl is 4.8 times as fast as smem",
        "reduce, f32: shfl is 4.8 times as fast as smem",
    ]


def test_row_holds_the_exact_figures_of_the_script(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    rows = rows_of(run("demo.yaml"))
    assert list(rows) == NEIGHBOR + REDUCE
    assert rows[NEIGHBOR[2]] == Row(
        case_id="neighbor/shfl/f32/2x64/4096",
        pattern="neighbor",
        variant="shfl",
        mechanism="shfl",
        safe=True,
        dtype="f32",
        launch="2x64",
        grid=2,
        block=64,
        iterations=4096,
        options="",
        backend="cuda",
        arch="sm_90",
        status=Status.TIMED,
        matched=8,
        inputs=8,
        time_us=69.536,
        time_low_us=69.52,
        time_high_us=69.552,
        samples=90,
        dropped=0,
        stopped_by="precision",
        ns_per_iteration=16.0,
        ns_per_iteration_low=15.98438,
        ns_per_iteration_high=16.01562,
        cycles_per_iteration=32.0,
        launch_overhead_us=4.0,
        baseline="smem",
        speedup=4.769903,
        speedup_low=4.768576,
        speedup_high=4.771231,
        registers=24,
        shared_bytes=0,
        local_bytes=0,
        spill_bytes=0,
        occupancy=1.0,
        sass_per_iteration="SHFL=1",
        sm_clock_mhz=2000.0,
        temperature_c=40,
        power_w=250.0,
        verified_launch="2x64",
        verified_iterations="1;51",
    )
    baseline = rows[NEIGHBOR[0]]
    assert (baseline.speedup, baseline.speedup_low, baseline.speedup_high) == (1.0, 1.0, 1.0)
    assert (baseline.shared_bytes, baseline.sass_per_iteration) == (256, "STS=1;LDS=1;BAR=2")


def test_every_sample_is_on_disk(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml")
    samples = read_run(Path(outcome.out.strip())).samples()
    shfl = samples[(samples["case_id"] == NEIGHBOR[2]) & (samples["iterations"] == 4096)]
    assert len(shfl) == rows_of(outcome)[NEIGHBOR[2]].samples == 90
    assert sorted(set(shfl["time_us"])) == pytest.approx([69.504, 69.536, 69.568])
    assert set(samples["case_id"]) == {*NEIGHBOR, *REDUCE}


@pytest.mark.parametrize(
    ("fault", "iterations"),
    [
        pytest.param(one_lane(in_trip(0)), 1, id="one lane"),
        pytest.param(one_lane(after_first_trip), 51, id="from the second trip on"),
        pytest.param(one_lane(unrolled_body), 51, id="in the unrolled body"),
        pytest.param(lost(unrolled_body), 51, id="nothing in the unrolled body"),
    ],
)
def test_wrong_kernel_is_incorrect_has_no_time_and_exits_5(
    run: Command, plug: Plug, fault: Fault, iterations: int
) -> None:
    device = plug(FakeBackend(SCRIPTS | {"neighbor/shfl": Script(fault=fault)}))
    outcome = run("demo.yaml")
    assert outcome.code == 5
    assert outcome.err.endswith("warning: 1 of 5 cases failed or computed a wrong result\n")
    row = rows_of(outcome)[NEIGHBOR[2]]
    assert (row.status, row.matched, row.inputs) == (Status.INCORRECT, 0, 8)
    assert (row.reason or "").startswith(f"after {iterations} iteration{'s' * (iterations > 1)} on input 0, element ")
    assert (row.time_us, row.ns_per_iteration, row.speedup, row.samples) == (None, None, None, None)
    assert "INCORRECT, 0 of 8 inputs matched: after " in outcome.err
    assert statuses(outcome).count(Status.TIMED) == 4
    assert "neighbor/shfl" not in {name for name, _ in device.launched}


def test_unsafe_variant_is_timed_and_reported_as_matched_n_of_n(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS | {"smem-unsafe": Script(fault=one_lane(in_trip(0), runs=5))}))
    outcome = run("demo.yaml")
    assert outcome.code == 0
    row = rows_of(outcome)[NEIGHBOR[1]]
    assert (row.status, row.safe, row.matched, row.inputs) == (Status.TIMED, False, 5, 8)
    assert "UNSAFE, 5 of 8 inputs matched" in outcome.err


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(Script(run_raises={2: LaunchError("shfl: illegal address")}), id="while it is verified"),
        pytest.param(Script(burst_raises={7: LaunchError("shfl: illegal address")}), id="while it is timed"),
        pytest.param(Script(resident_raises=LaunchError("shfl: illegal address")), id="while it is loaded"),
    ],
)
@pytest.mark.parametrize("launch", ["2x64", "fill x 64"])
def test_crash_costs_its_case_alone_and_exits_5(run: Command, plug: Plug, script: Script, launch: str) -> None:
    plug(FakeBackend(SCRIPTS | {"neighbor/shfl": script}))
    outcome = run("demo.yaml", "--launch", launch)
    assert outcome.code == 5
    row = rows_of(outcome)[f"neighbor/shfl/f32/{launch}/4096"]
    assert (row.status, row.reason, row.time_us) == (Status.FAILED, "shfl: illegal address", None)
    assert statuses(outcome).count(Status.TIMED) == 4


@pytest.fixture
def own_neighbor(tmp_path: Path) -> Callable[[str], None]:
    """Make the suite use a copy of `neighbor` whose shuffle is written like this."""

    def write(shuffle: str) -> None:
        shutil.copytree(builtin()["neighbor"], tmp_path / "neighbor")
        kernels = tmp_path / "neighbor" / "kernels.cu"
        text = kernels.read_text(encoding="utf-8").replace("__shfl_sync(FULL_WARP, x, right)", shuffle)
        kernels.write_text(text, encoding="utf-8")
        Path("demo.yaml").write_text(SUITE.replace("pattern: neighbor", "pattern: ./neighbor"), encoding="utf-8")

    return write


def test_kernel_that_breaks_its_promise_fails_without_being_run(
    run: Command, plug: Plug, own_neighbor: Callable[[str], None]
) -> None:
    own_neighbor("x * T(0.5) + T(lane())")
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--pattern", "neighbor")
    assert outcome.code == 5
    assert rows_of(outcome)[NEIGHBOR[2]].reason == (
        "the machine code has no SHFL: the shfl mechanism was optimised away; "
        "the loop has 0 SHFL a trip, not the declared 1"
    )
    assert "neighbor/shfl" not in {name for name, _ in device.launched}


def test_kernel_that_does_not_compile_costs_its_case_alone(run: Command, own_neighbor: Callable[[str], None]) -> None:
    own_neighbor("shuffle(x)")
    outcome = run("demo.yaml", "--pattern", "neighbor")
    assert outcome.code == 5
    assert statuses(outcome) == [Status.VERIFIED, Status.VERIFIED, Status.FAILED]
    reason = rows_of(outcome)[NEIGHBOR[2]].reason or ""
    assert reason.startswith("neighbor_shfl<float> for sm_90 does not compile: neighbor/kernels.cu:")
    assert 'identifier "shuffle" is undefined' in reason
    assert reason.endswith("| REPEAT(iterations) x = shuffle(x);")


def test_launch_that_does_not_fit_the_device_is_skipped_with_the_reason(run: Command, plug: Plug) -> None:
    plug(FakeBackend(folders=[PATTERNS / "memory"]))
    head, _ = SUITE.split("  - ", 1)
    Path("demo.yaml").write_text(f"{head}  - pattern: {PATTERNS / 'memory'}\n", encoding="utf-8")
    outcome = run("demo.yaml")
    assert outcome.code == 0
    assert statuses(outcome) == [Status.TIMED, Status.SKIPPED]
    assert rows_of(outcome)["memory/too-large/f32/2x64/4096"].reason == (
        "a block of 64 threads with 1048576 bytes of shared memory does not fit an SM"
    )


def test_fill_gives_each_sm_as_many_blocks_as_the_hungriest_variant_allows(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, device=replace(H200, max_shared_bytes=5 * 256)))
    rows = rows_of(run("demo.yaml", "--launch", "fill x 64", "--pattern", "neighbor"))
    assert {row.grid for row in rows.values()} == {5 * 132}
    assert {row.verified_launch for row in rows.values()} == {"660x64"}


def test_device_that_is_always_throttled_gives_no_time_and_says_why(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, throttled_rounds=range(1_000_000)))
    outcome = run("demo.yaml", "--pattern", "reduce", "--max-seconds", "0.01")
    assert outcome.code == 5
    assert statuses(outcome) == [Status.FAILED, Status.FAILED]
    assert {row.reason for row in rows_of(outcome).values()} == {"every sample was taken while the GPU was throttled"}


def test_clock_that_does_not_settle_is_warned_of_and_noted(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, warm_clocks=[1500.0, 1980.0] * 40))
    outcome = run("demo.yaml", "--pattern", "reduce")
    note = "the SM clock was still moving after the warm-up, at 1980 MHz"
    assert f"warning: {note}\n" in outcome.err
    assert read_run(Path(outcome.out.strip())).info.notes == (note,)


def interrupted(scripts: Mapping[str, Script]) -> dict[str, Script]:
    """Return the scripts of a run that somebody interrupts while `reduce` is timed."""
    return {**scripts, "reduce/smem": replace(scripts["smem"], burst_raises={9: KeyboardInterrupt()})}


def test_interrupted_run_keeps_its_finished_groups_and_says_how_to_go_on(run: Command, plug: Plug) -> None:
    plug(FakeBackend(interrupted(SCRIPTS)))
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith(
        "error: interrupted; the groups that were finished are in mine\n"
        "Go on with: shflbench run demo.yaml --resume mine\n"
    )
    left = read_run(Path("mine"))
    assert [row.case_id for row in left.rows] == NEIGHBOR
    assert left.info.finished is None


def test_resumed_run_ends_as_one_that_was_never_interrupted(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--output", "whole", "--seed", "7").code == 0
    plug(FakeBackend(interrupted(SCRIPTS)))
    assert run("demo.yaml", "--output", "mine", "--seed", "7").code == 130
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--resume", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert {name for name, _ in device.launched} == {"reduce/smem", "reduce/shfl"}
    whole, mine = read_run(Path("whole")), read_run(Path("mine"))
    assert mine.rows == whole.rows
    assert mine.info.finished is not None
    assert len(mine.samples()) == len(whole.samples())
    assert run("demo.yaml", "--resume", "mine").code == 3


def test_resuming_keeps_the_flags_of_the_start(run: Command, plug: Plug) -> None:
    plug(FakeBackend(interrupted(SCRIPTS)))
    flags = ("--variant", "smem", "--variant", "shfl", "--launch", "4x32", "--precision", "1%", "--seed", "3")
    assert run("demo.yaml", "--output", "mine", *flags).code == 130
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--resume", "mine").code == 0
    assert [row.case_id for row in read_run(Path("mine")).rows] == [
        f"{pattern}/{variant}/f32/4x32/4096" for pattern in ("neighbor", "reduce") for variant in ("smem", "shfl")
    ]
    outcome = run("demo.yaml", "--resume", "mine", "--seed", "4")
    assert outcome.code == 2
    assert "--seed cannot change it" in outcome.err


def test_without_a_gpu_every_case_is_verified_on_the_emulator(run: Command) -> None:
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    first, *_ = outcome.err.splitlines()
    assert first == (
        "No GPU (the driver lists none). Kernels are compiled, and verified by running their PTX on an emulator; "
        "nothing is timed."
    )
    assert "(emulated, not timed)" in outcome.err
    rows = rows_of(outcome)
    assert list(rows) == NEIGHBOR + REDUCE
    assert {(row.status, row.backend, row.arch) for row in rows.values()} == {(Status.VERIFIED, "emulator", "sm_90")}
    assert all((row.time_us, row.samples, row.occupancy) == (None, None, None) for row in rows.values())
    assert {row.case_id: row.matched == row.inputs for row in rows.values()} == {
        row.case_id: row.safe for row in rows.values()
    }
    assert rows[REDUCE[1]].sass_per_iteration == "SHFL=5"


def test_large_launch_is_verified_with_fewer_blocks_and_the_row_says_so(run: Command) -> None:
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", "--launch", "64x1024")
    (row,) = rows_of(outcome).values()
    assert (row.status, row.grid, row.verified_launch) == (Status.VERIFIED, 64, "32x1024")
    assert "verified at 32x1024" in outcome.err


def test_nothing_is_run_on_request(run: Command) -> None:
    outcome = run("demo.yaml", "--device", "none")
    assert outcome.code == 0
    rows = rows_of(outcome)
    assert {(row.status, row.backend) for row in rows.values()} == {(Status.COMPILED, "none")}
    assert all((row.time_us, row.matched) == (None, None) for row in rows.values())


def test_grid_stays_empty_until_the_number_of_sms_is_given(run: Command) -> None:
    flags = ("demo.yaml", "--pattern", "reduce", "--launch", "2*sms x 64", "--launch", "fill x 64")
    grids = {row.launch: row.grid for row in rows_of(run(*flags)).values()}
    assert grids == {"2*sms x 64": None, "fill x 64": None}
    grids = {row.launch: row.grid for row in rows_of(run(*flags, "--sms", "100")).values()}
    assert grids == {"2*sms x 64": 200, "fill x 64": None}


def test_variant_that_the_architecture_lacks_is_skipped_with_the_reason(run: Command) -> None:
    outcome = run("gtc2013", "--arch", "sm_75", "--pattern", "reduce", "--dtype", "i32", "--variant", "redux")
    assert outcome.code == 0
    (row,) = rows_of(outcome).values()
    assert (row.status, row.arch) == (Status.SKIPPED, "sm_75")
    assert row.reason == "redux needs sm_80 or newer, and this is sm_75"


def test_architecture_that_the_compiler_does_not_know_exits_4(run: Command) -> None:
    outcome = run("demo.yaml", "--arch", "90")
    assert (outcome.code, outcome.out) == (4, "")
    assert "does not compile for 90; it knows sm_" in outcome.err
    assert not Path("results").exists()


@pytest.mark.parametrize("flag", [("--arch", "sm_80"), ("--sms", "100")])
def test_flags_for_a_machine_without_a_gpu_are_refused_on_one_with(
    run: Command, plug: Plug, flag: tuple[str, str]
) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", *flag)
    assert outcome.code == 2
    assert outcome.err.endswith("Leave them out, or add --device none\n")
    assert run("demo.yaml", "--device", "none", *flag).code == 0


def fail(*_: object) -> NoReturn:
    raise ImportError("libcudart.so.12: cannot open shared object file")


def test_asking_for_a_gpu_where_cupy_is_missing_exits_4_with_the_remedy(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    outcome = run("demo.yaml", "--device", "cuda")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == (
        "error: cupy is not installed, so no GPU can be used\n"
        "Install `shflbench[cuda13]` (driver 580 or newer) or `[cuda12]`\n"
    )


def test_broken_cupy_is_told_from_a_missing_one(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr("shflbench.backends.cuda.importlib.import_module", fail)
    outcome = run("demo.yaml", "--device", "cuda")
    assert outcome.code == 4
    assert outcome.err.startswith(
        "error: cupy is installed but broken: libcudart.so.12: cannot open shared object file\n"
    )


def test_unwritable_results_are_refused_before_anything_is_measured(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(SCRIPTS))
    Path("taken").touch()
    outcome = run("demo.yaml", "--results", "taken/results")
    assert (outcome.code, outcome.out) == (3, "")
    assert "taken/results" in outcome.err
    assert device.launched == []


def test_cache_that_cannot_be_written_is_a_warning(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").touch()
    monkeypatch.setenv("SHFLBENCH_CACHE", "taken/kernels")
    outcome = run("demo.yaml", "--variant", "shfl", "--pattern", "neighbor")
    assert outcome.code == 0
    note = "compiled kernels cannot be kept in taken/kernels: Not a directory"
    assert f"warning: {note}\n" in outcome.err
    assert read_run(Path(outcome.out.strip())).info.notes == (note,)


def test_dry_run_lists_the_cases_and_touches_nothing(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--dry-run")
    assert outcome.code == 0
    assert outcome.out.splitlines() == NEIGHBOR + REDUCE
    assert outcome.err == "5 cases; sampling takes 10 s at most, beside compiling and verifying\n"
    assert device.launched == []
    assert not Path("results").exists()


def test_output_and_resume_exclude_each_other(run: Command) -> None:
    outcome = run("demo.yaml", "--output", "a", "--resume", "b")
    assert outcome.code == 2
    assert outcome.err.startswith("error: --resume goes on as the run was started; --output cannot change it\n")


def test_no_suite_names_the_command_that_lists_them(run: Command) -> None:
    outcome = run()
    assert outcome.code == 2
    assert outcome.err == "error: no suite given\n`shflbench list suites` names those that come with shflbench\n"


def test_missing_compiler_exits_4_with_the_remedy(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    outcome = run("demo.yaml")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.startswith("error: the CUDA compiler is not installed (")
    assert "`shflbench doctor` says what to install" in outcome.err
