"""The limit of each timed case of a run, from the machine code that ran."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits import count, limit
from shflbench.analysis.limits.bound import unpublished_units
from shflbench.analysis.limits.calibrated import L2_RATE, PER_US, apply_calibration, atomics_per_clock, memory_us
from shflbench.analysis.limits.launched import LaunchWork, dram_bytes, l2_bytes_moved, launch_clocks
from shflbench.analysis.limits.one_pass import (
    ATOMIC,
    BLOCK_START,
    DRAM,
    L2,
    MemoryTraffic,
    TimeLimit,
    atomic_us,
    block_start_us,
    one_pass_limit,
)
from shflbench.analysis.limits.prediction_interval import interval_of
from shflbench.analysis.limits.units import unit_of
from shflbench.analysis.settings import one_pass
from shflbench.core.arch import load
from shflbench.core.arch.devices import peak_dram_bytes_per_us, product
from shflbench.core.model import AccessKind, AccessSpace, OnePassCode, Status, TimedCode
from shflbench.kernel_facts.declared_traffic import DeclaredTraffic
from shflbench.kernel_facts.recorded_limits import TOLERANCE
from shflbench.kernel_facts.residency import residency_of
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.patterns.discover import builtin
from shflbench.store.limits_file import SEPARATOR, CaseLimit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.analysis.limits import Residency
    from shflbench.analysis.limits.prediction import Prediction
    from shflbench.core.arch import Architecture, Figure
    from shflbench.core.model import Device, KernelRequests, LaunchCounts
    from shflbench.kernel_facts.stored_code import KnownCodes, StoredCode
    from shflbench.store import Row, Run
    from shflbench.store.calibration_file import Calibration
    from shflbench.store.counts_file import CaseCounts


def limits_of(  # noqa: PLR0913, PLR0917  (all but two by name)
    run: Run,
    folders: Mapping[str, Path] | None = None,
    calibration: Calibration | None = None,
    requests: Mapping[str, KernelRequests] | None = None,
    predictions: Mapping[str, Prediction] | None = None,
    known_codes: KnownCodes | None = None,
    cache_folder: Path | None = None,
) -> list[CaseLimit]:
    """Return the limit of each timed case of a run, or why it has none, in the order of the rows.

    `folders` are those of the run's patterns by name, by default the patterns of shflbench: they declare what a kernel
    of one pass asks of memory. With a `calibration` of the GPU, cases have a ceiling as well. `requests` to memory, by
    case, replace the best case of loops where they are known. `predictions` are those of predicted times, by case.
    Kernels in `known_codes` are not disassembled again, and the others are added to them; listings of few kernels are
    kept in `cache_folder`.
    CompilerError if nvdisasm cannot be used; ResultsError if `kernels.zip` is damaged.
    """
    device = run.info.device
    rows = [row for row in run.rows if row.status is Status.TIMED and row.time_us]
    if device is None or not rows:
        return []
    arch = load(device.arch)
    if arch is None:
        return [CaseLimit(case_id=row.case_id, limit_reason=f"no figures are known for {device.arch}") for row in rows]
    traffic = DeclaredTraffic(builtin() if folders is None else folders)
    machine = _Machine(device, arch, calibration, traffic)
    codes = stored_codes(run.kernels(), [row.case_id for row in rows], known_codes, cache_folder)
    known, predicted, counts = requests or {}, predictions or {}, run.counts()
    limits = (
        machine.limit_of(row, codes[row.case_id], known.get(row.case_id), counts.get(row.case_id)) for row in rows
    )
    return [
        replace(
            with_prediction(limit, predicted.get(limit.case_id)),
            load_efficiency=load_efficiency(known.get(limit.case_id)),
        )
        for limit in limits
    ]


def with_prediction(limit: CaseLimit, prediction: Prediction | None) -> CaseLimit:
    """Return a limit with a predicted time and its interval, where there is one."""
    interval = interval_of(prediction, limit.limit_us, limit.limit_by) if prediction else None
    if prediction is None or interval is None:
        return limit
    return replace(
        limit,
        model_us=prediction.us,
        model_low_us=interval.low_us,
        model_high_us=interval.high_us,
        model_by=str(prediction.kind),
    )


def load_efficiency(requests: KernelRequests | None) -> float | None:
    """Return the sectors that the data of loads from global memory fills, divided by those that the loads request.

    Each request of a warp counts for itself: what another one left in a cache is requested again. None without such a
    load, and where the requests are not known. Nsight Compute counts the same sectors; see `benchmarks/wavefronts.md`.
    """
    loads = [
        (one.requests, one.least_sectors, one.sectors)
        for one in (requests.accesses if requests else ())
        if (one.space, one.kind) == (AccessSpace.GLOBAL, AccessKind.LOAD) and one.least_sectors and one.sectors
    ]
    requested = sum(count * taken for count, _, taken in loads)
    return sum(count * least for count, least, _ in loads) / requested if requested else None


NOT_COUNTED = "the run does not say what the launch does; `bench` counts it since version 0.2.0"
NO_CODE = OnePassCode(TimedCode((), unroll=1))  # of a run that kept none
# A limit above this share of the time stands, whatever was not counted: it is the largest part.
MOST_OF_TIME = 0.5


@dataclass(frozen=True, slots=True)
class _Bound:
    """The bound of one case, documented or calibrated; of a timed loop, also in clocks per iteration."""

    time: TimeLimit | None
    cycles: float | None = None
    reason: str = ""  # why there is none


@dataclass(frozen=True, slots=True)
class _CaseWork:
    """What a case executes: its machine code, its warps, and the requests of its loop where they are known."""

    code: StoredCode
    residency: Residency
    requests: KernelRequests | None
    launch: LaunchWork | None = None  # of a kernel of one pass, where its launch was counted


@dataclass(frozen=True, slots=True)
class _Machine:
    """The GPU of a run: its figures, and what its cases move."""

    device: Device
    arch: Architecture
    calibration: Calibration | None
    traffic: DeclaredTraffic

    def limit_of(
        self, row: Row, code: StoredCode, requests: KernelRequests | None, counted: CaseCounts | None
    ) -> CaseLimit:
        """Return the limit and the ceiling of a case, or why it has none."""
        residency = residency_of(row, self.device)
        if residency is None or row.time_us is None:
            return CaseLimit(case_id=row.case_id, limit_reason="its grid is not known")
        counts = counted.counts if counted else None
        if counted and counts is None:
            return CaseLimit(case_id=row.case_id, limit_reason=f"what its launch does is not counted: {counted.reason}")
        if counted is None and one_pass(row) and not self.traffic.is_declared(row.pattern):
            return CaseLimit(case_id=row.case_id, limit_reason=NOT_COUNTED)
        launch = LaunchWork(code.one_pass or NO_CODE, counts) if counts else None
        work = _CaseWork(code, residency, requests, launch)
        bound = self._bound(row, work, self.arch, self._documented(row, launch))
        ceiling = None
        if self.calibration:
            arch = apply_calibration(self.arch, self.calibration)
            ceiling = self._bound(row, work, arch, self._measured(row, self.calibration, launch)).time
        limit = self._case_limit(row, bound, ceiling, counts)
        reason = _unfounded(limit, work)
        return _without_limit(limit, reason) if reason else limit

    def _case_limit(self, row: Row, bound: _Bound, ceiling: TimeLimit | None, counts: LaunchCounts | None) -> CaseLimit:
        time_us = row.time_us or math.inf
        return CaseLimit(
            case_id=row.case_id,
            limit_us=bound.time.us if bound.time else None,
            limit_by=bound.time.by if bound.time else None,
            limit_fraction=bound.time.us / time_us if bound.time else None,
            limit_cycles=bound.cycles,
            limit_reason=bound.reason or None,
            limit_basis=counts.basis if counts else None,
            moved_bytes=counts.footprint.read_bytes + counts.footprint.written_bytes
            if counts
            else self._distinct_bytes(row),
            omitted=SEPARATOR.join(bound.time.omitted) or None if bound.time else None,
            ceiling_us=ceiling.us if ceiling else None,
            ceiling_by=ceiling.by if ceiling else None,
        )

    def _bound(self, row: Row, work: _CaseWork, arch: Architecture, outside: Mapping[str, float | None]) -> _Bound:
        """Return the bound from the figures `arch`; `outside` are the bounds that no SM sets, in µs."""
        clock, code = self._clock(row), work.code
        if code.kernels > 1:
            return _Bound(None, reason=code.reason)
        if one_pass(row):
            certain, clocks = code.one_pass.certain if code.one_pass else None, {}
            if work.launch:
                clocks = launch_clocks(work.launch, arch, self.device.sms)
            units = (unit_of(item.instruction) for item in (code.one_pass.every.instructions if code.one_pass else ()))
            unpublished = unpublished_units(units, arch)
            time = one_pass_limit(certain, arch, work.residency, clock, outside, clocks, unpublished)
            return _Bound(time, reason="" if time else _why_no_time(code))
        if code.loop is None:
            return _Bound(None, reason=code.reason)
        loop = limit(code.loop, arch, work.residency, work.requests)
        if loop is None:
            return _Bound(None, reason=_unknown_instructions(code.loop))
        parts = {name: cycles * row.iterations / clock for name, cycles in loop.parts.items()}
        parts |= {name: us for name, us in outside.items() if us is not None}
        return _Bound(TimeLimit.of(parts, loop.omitted), loop.cycles)

    def _clock(self, row: Row) -> float:
        return row.sm_clock_mhz or self.device.clock_mhz

    def _documented(self, row: Row, launch: LaunchWork | None) -> dict[str, float | None]:
        """Return the bounds that no SM sets, in µs, None where they are not known."""
        known = product(self.device.name)
        if launch is None:
            state = self.device.state
            peak = peak_dram_bytes_per_us(self.device.name, state.max_memory_clock_mhz, state.memory_bus_bits)
            memory = {DRAM: MemoryTraffic(self._distinct_bytes(row), state.l2_bytes, peak).least_us}
        else:
            memory = memory_bounds(self.device, launch, self._clock(row), cold=_is_cold(row))
        starts = known.blocks_per_clock if known else None
        atomics = known.same_address_atomics_per_clock if known else None
        return {**memory, **self._shared(row, _value(starts), _value(atomics))}

    def _measured(self, row: Row, calibration: Calibration, launch: LaunchWork | None) -> dict[str, float | None]:
        """Return the same from the rates of the calibration, and the measured rate of block starts."""
        known = product(self.device.name)
        starts = (known.blocks_per_clock_measured or known.blocks_per_clock) if known else None
        bounds = self._shared(row, _value(starts), atomics_per_clock(calibration))
        distinct = launch.counts.footprint.distinct_bytes if launch else self._distinct_bytes(row)
        memory = memory_us(calibration, distinct, self.device.state.l2_bytes, cold=_is_cold(row))
        bounds |= dict([memory]) if memory else {}
        if launch and (rate := calibration.value(L2_RATE)):
            bounds[L2] = max(bounds.get(L2) or 0.0, l2_bytes_moved(launch) / (rate * PER_US))
        return bounds

    def _shared(self, row: Row, starts: float | None, atomics: float | None) -> dict[str, float | None]:
        """Return the bounds of the units that all SMs share, from their rates per clock."""
        clock = self._clock(row)
        bounds = {BLOCK_START: block_start_us(row.first_launch[0] or 0, starts, clock)}
        if operations := self.traffic.atomics(row):
            bounds[ATOMIC] = atomic_us(operations, atomics, clock)
        return bounds

    def _distinct_bytes(self, row: Row) -> float | None:
        return self.traffic.distinct_bytes(row) if one_pass(row) else None


def memory_bounds(device: Device, launch: LaunchWork, clock_mhz: float, *, cold: bool) -> dict[str, float | None]:
    """Return the times in which DRAM and L2 of a GPU move what a counted launch asks for, in µs; None if unknown."""
    state, known = device.state, product(device.name)
    peak = peak_dram_bytes_per_us(device.name, state.max_memory_clock_mhz, state.memory_bus_bits)
    moved = None if state.l2_bytes is None else dram_bytes(launch.counts.footprint, state.l2_bytes, cold=cold)
    rate = _value(known.l2_bytes_per_clock) if known else None
    return {
        DRAM: None if moved is None or peak is None else moved / peak,
        L2: None if rate is None else l2_bytes_moved(launch) / rate / clock_mhz,
    }


def _is_cold(row: Row) -> bool:
    return dict(row.options).get("l2") == "cold"


def _unfounded(limit: CaseLimit, work: _CaseWork) -> str:
    """Return why the limit of a launch without a timed loop says nothing about its time; empty if it does."""
    if work.launch is None or not limit.limit_fraction:
        return ""
    if limit.is_sampled and limit.limit_fraction > TOLERANCE:
        return f"the launch is faster than the {limit.limit_basis} that were counted allow"
    if work.launch.has_uncounted_loop and limit.limit_fraction < MOST_OF_TIME:
        return "nothing says how often a loop of its code iterates, which accesses no memory"
    return ""


def _why_no_time(code: StoredCode) -> str:
    """Return why the code of a kernel of one pass takes no time for certain."""
    if code.one_pass is None:
        return code.reason
    return _unknown_instructions(code.one_pass.certain) or "no rate is known for anything that it does"


def _unknown_instructions(code: TimedCode) -> str:
    """Return that no unit is known for some instructions; empty if there are none."""
    unknown = ", ".join(count(code).unknown)
    return f"no unit is known for the instructions {unknown}" if unknown else ""


def _without_limit(limit: CaseLimit, reason: str) -> CaseLimit:
    return replace(limit, limit_us=None, limit_by=None, limit_fraction=None, omitted=None, limit_reason=reason)


def _value(figure: Figure[float] | None) -> float | None:
    return figure.value if figure else None
