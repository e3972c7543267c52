"""Predict what shuffles instead of shared memory bring to a kernel: from its limits, and the memory that they save."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.analysis.limits import ISSUE, ExecutionUnit
from shflbench.analysis.limits.bound import LOAD_STORE
from shflbench.analysis.limits.launched import LaunchWork, exchange_passes, launch_clocks, load_store_clocks
from shflbench.arch import load as load_arch
from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.compile.build import Builder
from shflbench.compile.certain_code import one_pass_code
from shflbench.compile.cubin import kernel_code
from shflbench.environment import cache_folder
from shflbench.errors import ShflbenchError
from shflbench.kernel_facts.residency import occupancy_of
from shflbench.kernel_facts.run_limits import memory_bounds
from shflbench.measure.launch_counts import counts_of
from shflbench.model import AccessKind, AccessSpace, Kernel, MeasureRules
from shflbench.patterns.discover import load
from shflbench.user_kernels.comparison import choose
from shflbench.user_kernels.folder import Equality
from shflbench.user_kernels.suite import BenchSettings, suite_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shflbench.arch.residency import Occupancy
    from shflbench.arch.tables import Architecture
    from shflbench.checker import FileOptions, KernelAdvice
    from shflbench.compile.toolchain import Toolchain
    from shflbench.cuda_sources import SourceLine
    from shflbench.model import Case, Device, LaunchCounts

OF_EXCHANGES = frozenset({ExecutionUnit.EXCHANGE, ExecutionUnit.BARRIER, LOAD_STORE})  # what sets limits of exchanges
LEAST_GAIN = 1.01  # below it, the limits of both versions count as equal
# Of an SM, at a time; chosen, not measured: fewer leave each of its four sub-partitions less than four warps to hide
# the latency of an exchange, 28 clocks for a store and the load that depends on it (`arch/sm_90.toml`, under
# `lds_latency`). Limits then say little about the time.
FEW_WARPS = 16
WORD = 32  # bits that a shuffle moves


@dataclass(frozen=True, slots=True)
class Prospect:
    """What shuffles instead of shared memory are predicted to bring to a kernel; None where it is not known."""

    limit_by: str = ""  # what limits the kernel
    later_by: str = ""  # what would limit it with shuffles
    gain: float | None = None  # its limit divided by that with shuffles; 1 where something else limits it
    reason: str = ""  # why the gain is not known
    saved_bytes: int = 0  # of shared memory per block
    occupancy: Occupancy | None = None
    later_occupancy: Occupancy | None = None  # without that memory


@dataclass(frozen=True, slots=True)
class ExchangePlace:
    """Where a prediction is for: the compiler, the architecture, and the GPU if one is known."""

    toolchain: Toolchain
    arch: str
    device: Device | None


def prospect_of(advice: KernelAdvice, options: FileOptions, arguments: Sequence[str], place: ExchangePlace) -> Prospect:
    """Return what shuffles are predicted to bring to a kernel with exchanges that they can replace."""
    try:
        case, kernel, counts = _counted(advice, options, arguments, place)
    except ShflbenchError as error:
        return Prospect(reason=error.message)
    whole = kernel.resources.shared_bytes + _dynamic_bytes(advice)
    saved = whole if _is_all_replaceable(advice) else 0
    before, after = (
        occupancy_of(place.arch, kernel.resources.registers, size, case.launch.block) for size in (whole, whole - saved)
    )
    known = Prospect(saved_bytes=saved, occupancy=before, later_occupancy=after)
    return _with_gain(known, advice, kernel, counts, place)


def _counted(
    advice: KernelAdvice, options: FileOptions, arguments: Sequence[str], place: ExchangePlace
) -> tuple[Case, Kernel, LaunchCounts]:
    """Return the first launch of a kernel that can be timed, its machine code, and what the launch does."""
    file = advice.report.place.file
    candidates = read_candidates(file, options, None, parse_argument_sets(arguments))
    choice = choose(candidates, named=True)
    if not choice.comparisons:
        raise ShflbenchError(next((item.sentence for item in choice.left_out), "it cannot be timed"))
    with TemporaryDirectory(prefix="shflbench-") as folder:
        settings = BenchSettings(MeasureRules(), Equality(0.0))
        suite = suite_of(file, choice.comparisons[:1], settings, Path(folder))
        case = suite.cases[0]
        pattern = load(suite.pattern_folders[case.pattern])
        builder = Builder(place.toolchain, place.arch, cache_folder())
        ((_, kernel),) = builder.build_all({case: builder.request(pattern, case)})
        if not isinstance(kernel, Kernel):
            raise kernel
        return case, kernel, counts_of(pattern, case, kernel)


def _dynamic_bytes(advice: KernelAdvice) -> int:
    return max((item.arguments.shared_bytes for item in advice.runs.launches), default=0) if advice.runs else 0


def _is_all_replaceable(advice: KernelAdvice) -> bool:
    """Whether a kernel needs no shared memory with shuffles; what a thread itself wrote can be a register."""
    return all(item.is_replaceable or item.is_of_thread for item in advice.exchanges)


def _with_gain(
    known: Prospect, advice: KernelAdvice, kernel: Kernel, counts: LaunchCounts, place: ExchangePlace
) -> Prospect:
    arch, device = load_arch(place.arch), place.device
    if arch is None or device is None or kernel.sass is None:
        return replace(known, reason="there are no results of a GPU whose limits could be taken")
    warps = -(-counts.grid // device.sms) * counts.requests.warps
    resident = min(warps, known.occupancy.warps) if known.occupancy else warps
    if resident < FEW_WARPS:
        return replace(known, reason=f"an SM executes {resident:.0f} warps at a time, so that latencies decide")
    work = LaunchWork(one_pass_code(kernel.sass, kernel_code(kernel.cubin)[kernel.symbol]), counts)
    if work.has_uncounted_loop:
        return replace(known, reason="nothing says how often a loop of its code iterates, which accesses no memory")
    parts = launch_clocks(work, arch, device.sms)
    memory = memory_bounds(device, work, device.clock_mhz, cold=False)
    parts |= {name: us * device.clock_mhz for name, us in memory.items() if us is not None}
    if not parts:
        return replace(known, reason="no rate is known for anything that it does")
    later = _with_shuffles(parts, advice, work, arch, device.sms)
    limit_by, later_by = _largest(parts), _largest(later)
    if limit_by == ISSUE:
        return replace(known, limit_by=limit_by, reason="issue slots limit it, of which shuffles take fewer")
    gain = parts[limit_by] / later[later_by] if limit_by in OF_EXCHANGES else 1.0
    return replace(known, limit_by=limit_by, later_by=later_by, gain=gain if gain >= LEAST_GAIN else 1.0)


def _largest(parts: Mapping[str, float]) -> str:
    return str(max(parts, key=lambda name: parts[name]))


def _with_shuffles(
    parts: Mapping[str, float], advice: KernelAdvice, work: LaunchWork, arch: Architecture, sms: int
) -> dict[str, float]:
    """Return the clocks of each unit with a shuffle for each load that one can replace, and without their stores.

    Barriers go if the advice needs none of them. Instructions that go as well count on, which predicts too little.
    """
    replaced = [item for item in advice.exchanges if item.is_replaceable]
    stays = {(item.store, item.load) for item in advice.exchanges if not item.is_replaceable}
    loads = {item.load for item in replaced} - {load for _, load in stays}
    stores = {item.store for item in replaced} - {store for store, _ in stays}
    passes = clocks = shuffles = 0.0
    for one in work.counts.requests.accesses:
        lines = loads if one.kind is AccessKind.LOAD else stores
        if one.space is not AccessSpace.SHARED or not _has(lines, one.file, one.line):
            continue
        passes += exchange_passes(one, work)
        clocks += load_store_clocks(one, work, arch)
        shuffles += one.requests * -(-one.bits // WORD) if one.kind is AccessKind.LOAD else 0.0
    blocks = max(work.counts.grid / sms, 1.0)
    later = dict(parts)
    if (path := arch.exchange or arch.shared_memory) and ExecutionUnit.EXCHANGE in later:
        later[ExecutionUnit.EXCHANGE] += blocks * (shuffles - passes) / path.value
    if arch.load_store and LOAD_STORE in later:
        later[LOAD_STORE] += blocks * (shuffles / arch.load_store.value - clocks)
    if all(item.could_be_weaker for item in advice.barriers):
        later.pop(str(ExecutionUnit.BARRIER), None)
    return later


def _has(lines: Collection[SourceLine], file: str, number: int) -> bool:
    return any((line.file.name, line.line) == (file, number) for line in lines)
