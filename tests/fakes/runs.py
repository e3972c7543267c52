"""Runs like those of a GPU: rows with sampled times, and whole run folders.

    rows, samples = measured(launches=("26x1024", "132x256"))
    folder = write_run(tmp_path / "run")                    # gtc2013 on an H200, both patterns, three dtypes
    folder = write_run(tmp_path / "run", rows, samples, info(name="quick"))

The times at 26x1024 and 4096 iterations are those of an H200; everything else is scaled from them.
The same arguments give the same run, byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from shflbench.core.model import DTYPES, Case, Device, Launch, Mechanism, Overrides, Sample, Status
from shflbench.core.statistics import median_interval
from shflbench.store import Host, Row, RunFolder, RunInfo, RunSettings, SuiteText, Versions
from tests.fakes.h200 import H200 as H200  # noqa: PLC0414  (exported)
from tests.fakes.h200 import TICK_US as TICK_US  # noqa: PLC0414  (exported)

CLOCK_MHZ = 1980.0
INPUTS = 8
ROUND = 8  # samples per round


@dataclass(frozen=True)
class FakeVariant:
    """A variant and its time at 26x1024, 4096 iterations, f32 or i32, in µs; of a pass over data, its GB/s."""

    name: str
    mechanism: Mechanism
    time_us: float = 0.0
    safe: bool = True
    dtypes: tuple[str, ...] = tuple(DTYPES)
    gb_per_s: float = 0.0


PATTERNS: dict[str, tuple[FakeVariant, ...]] = {
    "neighbor": (
        FakeVariant("smem", Mechanism.SMEM, 328.0),
        FakeVariant("smem-double", Mechanism.SMEM, 213.0),
        FakeVariant("smem-syncwarp", Mechanism.SMEM, 136.1),
        FakeVariant("smem-unsafe", Mechanism.SMEM_UNSAFE, 136.9, safe=False),
        FakeVariant("smem-deck", Mechanism.SMEM_UNSAFE, 214.0, safe=False),
        FakeVariant("shfl", Mechanism.SHFL, 70.0),
    ),
    "reduce": (
        FakeVariant("smem", Mechanism.SMEM, 1305.0),
        FakeVariant("smem-double", Mechanism.SMEM, 870.0),
        FakeVariant("smem-syncwarp", Mechanism.SMEM, 610.0),
        FakeVariant("smem-unsafe", Mechanism.SMEM_UNSAFE, 612.0, safe=False),
        FakeVariant("shfl", Mechanism.SHFL, 293.0),
        FakeVariant("redux", Mechanism.COLLECTIVE, 122.0, dtypes=("i32",)),
        FakeVariant("cub", Mechanism.LIBRARY, 296.0),
        FakeVariant("cg", Mechanism.LIBRARY, 294.0),
    ),
    "struct-access": (
        FakeVariant("direct", Mechanism.GLOBAL, gb_per_s=1650.0),
        FakeVariant("smem", Mechanism.SMEM, gb_per_s=2900.0),
        FakeVariant("shfl", Mechanism.SHFL, gb_per_s=3450.0),
        FakeVariant("soa", Mechanism.GLOBAL, gb_per_s=3560.0),
    ),
}


def measured(
    *,
    patterns: Sequence[str] = ("neighbor", "reduce"),
    dtypes: Sequence[str] = ("f32", "f64", "i32"),
    launches: Sequence[str] = ("26x1024",),
    iterations: int = 4096,
    options: Sequence[str] = ("",),
    samples: int = 48,
    noise: float = 0.001,
    seed: int = 1,
    slowdown: Callable[[Case], float] = lambda _: 1.0,
) -> tuple[list[Row], list[Sample]]:
    """Return timed rows and their samples; `noise` is a fraction of the time, `slowdown` a factor by case.

    Each of the `options` is written as in a row: `mode=xor;words=4`.
    """
    rows: list[Row] = []
    raw: list[Sample] = []
    for group in plan_groups(patterns, dtypes, launches, iterations, options):
        taken = [_Taken.of(case, variant, samples, noise, seed, slowdown(case)) for case, variant in group]
        baseline = taken[0]
        for item in taken:
            rows.append(_row(item, baseline))
            raw.extend(item.samples)
    return rows, raw


def plan_groups(
    patterns: Sequence[str] = ("neighbor", "reduce"),
    dtypes: Sequence[str] = ("f32", "f64", "i32"),
    launches: Sequence[str] = ("26x1024",),
    iterations: int = 4096,
    options: Sequence[str] = ("",),
) -> Iterator[list[tuple[Case, FakeVariant]]]:
    """Yield the cases of each group with their variants, the baseline first."""
    for pattern, dtype, launch, chosen in product(patterns, dtypes, launches, options):
        variants = [variant for variant in PATTERNS[pattern] if dtype in variant.dtypes]
        own = tuple((name, value) for name, _, value in (part.partition("=") for part in chosen.split(";")) if name)
        count = 1 if variants[0].gb_per_s else iterations
        yield [(Case(pattern, v.name, dtype, _launch(launch), count, own), v) for v in variants]


def info(*, name: str = "gtc2013", device: Device | None = H200, backend: str = "cuda", arch: str = "sm_90") -> RunInfo:
    """Return what `run.json` says while the run goes on."""
    text = f"schema: 1\nname: {name}\ntitle: Shuffle against shared memory\n"
    return RunInfo(
        suite=SuiteText(name, "Shuffle against shared memory", f"suites/{name}.yaml", text),
        settings=RunSettings(precision=0.005, max_seconds=2.0, seed=1, overrides=Overrides()),
        argv=("shflbench", "run", name),
        versions=Versions(
            python="3.12.4",
            shflbench="0.1.0",
            numpy="2.1.0",
            cupy="14.0.1",
            nvrtc="13.0.48",
            nvdisasm="13.0.39",
            driver=device.driver if device else None,
            cuda=device.cuda if device else None,
            git_commit="0123456789abcdef0123456789abcdef01234567",
            git_dirty=False,
        ),
        device=device,
        backend=backend,
        arch=arch,
        host=Host("node-1", "Linux-6.8-x86_64", "AMD EPYC 9654", 16),
        started="2026-11-20T08:00:00Z",
        finished=None,
        resumed=(),
        notes=(),
    )


def write_run(
    folder: Path,
    rows: Iterable[Row] | None = None,
    samples: Iterable[Sample] | None = None,
    about: RunInfo | None = None,
    *,
    finished: bool = True,
) -> Path:
    """Write a run folder through the store itself, group by group; by default the whole of `measured()`."""
    if rows is None:
        rows, samples = measured()
    by_case: dict[str, list[Sample]] = {}
    for sample in samples or ():
        by_case.setdefault(sample.case_id, []).append(sample)
    run = RunFolder.create_at(about or info(), folder)
    for group in _groups(rows):
        run.append(group, [sample for row in group for sample in by_case.get(row.case_id, ())])
    if finished:
        run.finish("2026-11-20T08:00:30Z")
    return folder


def compiled(rows: Iterable[Row]) -> list[Row]:
    """Return the rows as a machine without a GPU leaves them: compiled, and nothing timed."""
    kept = ("case_id", "pattern", "variant", "mechanism", "safe", "dtype", "launch", "grid", "block", "iterations")
    also = ("options", "arch", "registers", "shared_bytes", "local_bytes", "spill_bytes", "sass_per_iteration")
    return [
        Row(**{name: getattr(row, name) for name in (*kept, *also)}, backend="none", status=Status.COMPILED)
        for row in rows
    ]


def untimed(row: Row, status: Status, reason: str) -> Row:
    """Return the row of the same case as skipped, failed or incorrect."""
    (bare,) = compiled([row])
    return replace(bare, backend=row.backend, status=status, reason=reason)


@dataclass(frozen=True)
class _Taken:
    """A case with its samples at the asked iterations and at half of them."""

    case: Case
    variant: FakeVariant
    samples: tuple[Sample, ...]

    @classmethod
    def of(cls, case: Case, variant: FakeVariant, count: int, noise: float, seed: int, slowdown: float) -> _Taken:
        source = random.Random(f"{seed} {case.id}")  # noqa: S311
        taken = []
        for iterations in dict.fromkeys((case.iterations, max(1, case.iterations // 2))):
            typical = _time_us(case, variant, iterations) * slowdown
            for index in range(count):
                late = source.expovariate(1 / noise) if source.random() < 0.1 else 0.0
                time_us = typical * (1 + source.gauss(0, noise) + 3 * late)
                tick = round(time_us / TICK_US) * TICK_US
                clock = CLOCK_MHZ + source.gauss(0, 0.5)
                number, place = divmod(index, ROUND)
                seconds = 0.1 * number
                taken.append(
                    Sample(
                        case.id, 0, number, place, iterations, 1, round(tick, 3), clock, dropped=False, seconds=seconds
                    )
                )
        return cls(case, variant, tuple(taken))

    def times(self, iterations: int) -> list[float]:
        """Return the times at one iteration count, in µs."""
        return [sample.time_us for sample in self.samples if sample.iterations == iterations]


def _row(taken: _Taken, baseline: _Taken) -> Row:
    case, variant = taken.case, taken.variant
    dtype = DTYPES[case.dtype]
    time = median_interval(taken.times(case.iterations))
    other = median_interval(baseline.times(baseline.case.iterations))
    half = median_interval(taken.times(max(1, case.iterations // 2)))
    per_iteration = (time.value - half.value) * 1000 / (case.iterations - case.iterations // 2)
    spread = time.half_width * 2 * per_iteration
    loops = not variant.gb_per_s
    memory = variant.mechanism in {Mechanism.SMEM, Mechanism.SMEM_UNSAFE}
    return replace(
        verified_row(
            case,
            variant.mechanism,
            safe=variant.safe,
            baseline=baseline.variant.name,
            shared_bytes=case.launch.block * dtype.size if memory else 0,
            sass_per_iteration=({"LDS": 1.0, "STS": 1.0} if memory else {"SHFL": dtype.words}) if loops else None,
        ),
        status=Status.TIMED,
        time_us=time.value,
        time_low_us=time.low,
        time_high_us=time.high,
        samples=len(taken.times(case.iterations)),
        dropped=0,
        rounds=-(-len(taken.times(case.iterations)) // ROUND),
        launches=1,
        processes=(0,),
        noise={},
        ns_per_iteration=per_iteration if loops else None,
        ns_per_iteration_low=per_iteration - spread if loops else None,
        ns_per_iteration_high=per_iteration + spread if loops else None,
        cycles_per_iteration=per_iteration * CLOCK_MHZ / 1000 if loops else None,
        launch_overhead_us=_OVERHEAD_US if loops else None,
        speedup=other.value / time.value,
        speedup_low=other.low / time.high,
        speedup_high=other.high / time.low,
        gb_per_s=None if loops else bytes_moved(case) / time.value / 1000,
        sm_clock_mhz=CLOCK_MHZ,
        temperature_c=38,
        power_w=182.5,
    )


def verified_row(case: Case, mechanism: Mechanism, *, safe: bool = True, baseline: str = "smem", **known: Any) -> Row:
    """Return the row of a case that is about to be timed on an H200; `known` are further fields of it."""
    return Row(
        case_id=case.id,
        pattern=case.pattern,
        variant=case.variant,
        mechanism=mechanism,
        safe=safe,
        dtype=case.dtype,
        launch=case.launch.expression,
        grid=case.launch.grid,
        block=case.launch.block,
        iterations=case.iterations,
        options=case.options,
        backend="cuda",
        arch="sm_90",
        status=Status.VERIFIED,
        matched=INPUTS,
        inputs=INPUTS,
        stopped_by="precision",
        baseline=baseline,
        registers=16,
        local_bytes=0,
        spill_bytes=0,
        occupancy=1.0,
        verified_launch=case.launch.expression,
        verified_iterations=(1, 3, 37),
        **known,
    )


_OVERHEAD_US = 3.8


def _time_us(case: Case, variant: FakeVariant, iterations: int) -> float:
    """Scale the H200's time to another shape: full SMs queue up, small blocks hide less, 64 bits are two words."""
    if variant.gb_per_s:
        return _OVERHEAD_US + bytes_moved(case) / variant.gb_per_s / 1000
    grid = case.launch.grid or H200.sms
    resident = max(1, 2048 // case.launch.block)
    queue = max(1.0, grid / (H200.sms * resident))
    crowd = max(0.12, case.launch.block / 1024)
    words = DTYPES[case.dtype].words
    width = words if variant.mechanism in {Mechanism.SHFL, Mechanism.LIBRARY} else 1 + 0.1 * (words - 1)
    return _OVERHEAD_US + (variant.time_us - _OVERHEAD_US) * queue * crowd * width * iterations / 4096


def bytes_moved(case: Case) -> int:
    """Return the bytes that a pass over the data moves: an element per thread, or as many as `words` says."""
    elements = int(dict(case.options).get("words", "1")) * (case.launch.grid or H200.sms) * case.launch.block
    return 2 * elements * DTYPES[case.dtype].size


def _launch(expression: str) -> Launch:
    """Read `26x1024`, or `2*sms x 256` on the H200."""
    grid, block = (part.strip() for part in expression.rsplit("x", 1))
    factor = grid.removesuffix("sms").strip().rstrip("*")
    blocks = int(factor or 1) * H200.sms if grid.endswith("sms") else int(grid)
    return Launch(expression, int(block), blocks)


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.pattern, row.dtype, row.launch, row.iterations, row.options), []).append(row)
    yield from groups.values()
