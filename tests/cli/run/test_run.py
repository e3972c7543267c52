"""The real `shflbench run` on a scripted GPU."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.measure.sentinels.table import SENTINELS
from shflbench.store import Row, read_run
from tests.cli.demo import NEIGHBOR, PATTERNS, REDUCE, SCRIPTS, SUITE, Plug, rows_of, statuses
from tests.conftest import Command
from tests.fakes.backend import H200, FakeBackend


def test_run_on_a_gpu_prints_its_folder_to_stdout_and_the_rest_to_stderr(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    title, machine, *rest = outcome.err.splitlines()
    assert title == "A demonstration: 5 cases."
    assert machine.startswith("NVIDIA H200, driver 580.159, CUDA 13.0, NVRTC ")
    assert rest == [
        "SM clock when warm: 2000 MHz.",
        "",
        "neighbor  f32  2x64  4096 iterations  mode=idx",
        "  variant      time µs        ns/iteration  vs smem   verification",
        "  shfl          69.54 ± 0.02  16.00 ± 0.02  4.77×     verified",
        "  smem-unsafe  135.07 ± 0.02  32.00 ± 0.02  2.46×     UNSAFE, 8 of 8 inputs matched",
        "  smem         331.68 ± 0.02  80.00 ± 0.02  baseline  verified",
        "  verified with up to 51 iterations instead of 4096",
        "",
        "reduce  f32  2x64  4096 iterations  width=32",
        "  variant  time µs        ns/iteration  vs smem   verification",
        "  shfl      69.54 ± 0.02  16.00 ± 0.02  4.77×     verified",
        "  smem     331.68 ± 0.02  80.00 ± 0.02  baseline  verified",
        "  verified with up to 15 iterations instead of 4096",
        "",
        "neighbor, f32, mode=idx: shfl runs at 4.8× the speed of smem",
        "reduce, f32, width=32: shfl runs at 4.8× the speed of smem",
        "The machine was quiet: 90% of the sentinels' rounds within 0.00%, the SM clock within 0.00%.",
    ]


def test_row_holds_the_exact_figures_of_the_script(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    rows = rows_of(run("demo.yaml"))
    assert list(rows) == NEIGHBOR + REDUCE
    assert rows[NEIGHBOR[2]] == Row(
        case_id="neighbor/shfl/f32/2x64/4096/mode=idx",
        pattern="neighbor",
        variant="shfl",
        mechanism="shfl",
        safe=True,
        dtype="f32",
        launch="2x64",
        grid=2,
        block=64,
        iterations=4096,
        options=(("mode", "idx"),),
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
        rounds=9,
        launches=1,
        processes=(0,),
        stopped_by="precision",
        noise={},
        ns_per_iteration=16.0,
        ns_per_iteration_low=15.98958,
        ns_per_iteration_high=16.01042,
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
        sass_per_iteration={"SHFL": 1.0},
        sm_clock_mhz=2000.0,
        temperature_c=40,
        power_w=250.0,
        verified_launch="2x64",
        verified_iterations=(1, 51),
    )
    baseline = rows[NEIGHBOR[0]]
    assert (baseline.speedup, baseline.speedup_low, baseline.speedup_high) == (1.0, 1.0, 1.0)
    assert (baseline.shared_bytes, baseline.sass_per_iteration) == (256, {"STS": 1.0, "LDS": 1.0, "BAR": 2.0})


def test_every_sample_is_on_disk(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml")
    samples = read_run(Path(outcome.out.strip())).samples()
    shfl = samples[(samples["case_id"] == NEIGHBOR[2]) & (samples["iterations"] == 4096)]
    assert len(shfl) == rows_of(outcome)[NEIGHBOR[2]].samples == 90
    assert sorted(set(shfl["time_us"])) == pytest.approx([69.504, 69.536, 69.568])
    assert shfl["seconds"].is_monotonic_increasing
    assert set(samples["case_id"]) == {*NEIGHBOR, *REDUCE, *(sentinel.case_id for sentinel in SENTINELS)}
    assert set(samples[samples["case_id"] == NEIGHBOR[2]]["iterations"]) == {4096, 2048, 1024}


def test_fill_gives_each_sm_the_blocks_of_the_variant_with_the_lowest_occupancy(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, device=replace(H200, max_shared_bytes=5 * 256)))
    rows = rows_of(run("demo.yaml", "--launch", "fill x 64", "--pattern", "neighbor"))
    assert {row.grid for row in rows.values()} == {5 * 132}
    assert {row.verified_launch for row in rows.values()} == {"660x64"}


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


def test_device_that_is_always_throttled_gives_no_time_but_a_reason(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, throttled_rounds=range(1_000_000)))
    outcome = run("demo.yaml", "--pattern", "reduce", "--max-seconds", "0.01")
    assert outcome.code == 5
    assert statuses(outcome) == [Status.FAILED, Status.FAILED]
    assert {row.reason for row in rows_of(outcome).values()} == {"every sample was taken while the GPU was throttled"}


def test_unsteady_clock_is_a_warning_and_a_note(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, warm_clocks=[1500.0, 1980.0] * 40))
    outcome = run("demo.yaml", "--pattern", "reduce")
    note = "the SM clock was still moving after the warm-up, at 1980 MHz"
    assert f"warning: {note}\n" in outcome.err
    assert read_run(Path(outcome.out.strip())).info.notes == (note,)


def test_dry_run_lists_the_cases_and_touches_nothing(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--dry-run")
    assert outcome.code == 0
    assert outcome.out.splitlines() == NEIGHBOR + REDUCE
    assert outcome.err == "5 cases; sampling takes about 1 to 10 s, without compiling and verifying\n"
    assert "about 1 to 20 s" in run("demo.yaml", "--dry-run", "--processes", "2").err
    assert device.launched == []
    assert not Path("results").exists()


def test_verbose_prints_each_step_and_quiet_none(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    lines = run("demo.yaml", "-v").err.splitlines()
    assert "compiling, 5 of 5 kernels" in lines
    assert any(line.startswith("verifying, ") and line.endswith(NEIGHBOR[0]) for line in lines)
    plug(FakeBackend(SCRIPTS))
    quiet = run("demo.yaml", "-q", "-o", "mine")
    assert (quiet.code, quiet.out, quiet.err) == (0, "mine\n", "")
