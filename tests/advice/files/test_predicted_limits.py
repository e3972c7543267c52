"""The predicted times of launches, beside those that an H200 took."""

from pathlib import Path

import pytest

from shflbench.advice.files.predicted_gpu import gpu_of, known_gpu
from shflbench.advice.files.predicted_limits import LaunchLimits, limits_of_launch
from shflbench.analysis.limits.launched import LaunchWork
from shflbench.core.environment import cache_folder
from shflbench.core.model import Case, Kernel, Launch
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.certain_code import one_pass_code
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.toolchain import find
from shflbench.kernel_facts.launch_counts import counts_of
from shflbench.kernel_facts.residency import occupancy_of
from shflbench.patterns.discover import builtin, load
from shflbench.store import Row, read_run

pytestmark = pytest.mark.expensive

RESULTS = Path(__file__).parents[3] / "results"
WITHIN = 0.15


def limits_of(row: Row) -> LaunchLimits:
    """Return the limits of the launch of a row, of the kernel as it is now."""
    grid, block = row.first_launch
    assert grid
    pattern = load(builtin()[row.pattern])
    case = Case(row.pattern, row.variant, row.dtype, Launch(f"{grid}x{block}", block, grid), 1, row.options)
    builder = Builder(find(), "sm_90", cache_folder())
    ((_, kernel),) = builder.build_all({case: builder.request(pattern, case)})
    assert isinstance(kernel, Kernel)
    assert kernel.sass
    counts = counts_of(pattern, case, kernel)
    work = LaunchWork(one_pass_code(kernel.sass, kernel_code(kernel.cubin)[kernel.symbol]), counts)
    gpu = known_gpu("sm_90", None)
    assert gpu
    occupancy = occupancy_of("sm_90", kernel.resources.registers, kernel.resources.shared_bytes, block)
    limits = limits_of_launch(work, gpu, f"{grid}x{block}", occupancy)
    assert limits
    return limits


@pytest.mark.archs
@pytest.mark.parametrize(
    ("suite", "case", "by"),
    [
        ("moving-average", "moving-average/smem/f32/131072x128/1/missing=0", "block start"),
        ("moving-average", "moving-average/prefetch/f32/16384x1024/1/missing=0", "memory latency"),
        ("gtc2013", "struct-access/smem/f32/16384x256/1/words=8/way=load", "dram"),
        ("gtc2013", "struct-access/direct/f32/16384x256/1/words=12/way=store", "partial sectors"),
        ("warp-collectives", "count/global/i32/16384x256/1/counters=1", "atomic"),
        ("rows", "softmax/shfl-warp/f32/32768x256/1/length=256/load=vector", "dram"),
    ],
)
def test_predicted_times_are_near_to_measured_ones(suite: str, case: str, by: str) -> None:
    row = next(row for row in read_run(RESULTS / suite / "nvidia-h200").rows if row.case_id == case)
    limits = limits_of(row)
    assert limits.by == by
    assert limits.predicted_us == pytest.approx(row.time_us, rel=WITHIN)


def test_a_known_gpu_has_the_figures_of_the_stored_results() -> None:
    known = known_gpu("sm_90", "h200")
    device = read_run(RESULTS / "gtc2013" / "nvidia-h200").info.device
    assert known
    assert device
    stored = gpu_of(device)
    assert stored
    assert (known.title, known.device.sms) == (stored.title, device.sms)
    assert known.device.clock_mhz == pytest.approx(device.clock_mhz, abs=1)  # as measured: 1,979.5 MHz on another card
    assert known.device.state.l2_bytes == device.state.l2_bytes
    assert known.figures == stored.figures
    assert (known.is_of_results, stored.is_of_results) == (False, True)


@pytest.mark.parametrize(("arch", "name"), [("sm_90", "A100"), ("sm_80", None)])
def test_nothing_is_known_of_other_gpus(arch: str, name: str | None) -> None:
    assert known_gpu(arch, name) is None
