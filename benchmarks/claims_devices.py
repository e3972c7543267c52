"""Devices whose true times are known, and claims about them: simulated ones, and recorded processes of H200s."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.compare_power.recording import Process
from shflbench.analysis.claims.code import RunCode
from shflbench.analysis.claims.quantities import ClaimRun
from shflbench.analysis.claims.resolve import Subject
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.pool import Pool
from shflbench.analysis.compare.sides import KernelTimes, Side
from shflbench.core.claims.claim import Claim, Quantifier
from shflbench.core.claims.parse import parse_condition
from shflbench.core.model import Case, Launch, Status
from shflbench.store import Row, Run, RunInfo
from tests.fakes.processes import Simulated
from tests.fakes.sides import EstimatedTimes, side

DISTANCES = (0.002, 0.005, 0.01, 0.02, 0.05)  # of the boundary from the true value, as a fraction
DRAWN = (0.0001, 0.0003, 0.001, *DISTANCES)  # the first ones are too near for most verdicts
VARIANTS = ("smem", "smem-double", "smem-syncwarp", "shfl")
OF_EQUALITY, OF_TIME = 2, 3  # forms of claims; the others compare a ratio with a boundary
SHORTEST_US, LONGEST_US = 3.0, 2000.0
SIZES = {"below 10 µs": 10.0, "10 to 50 µs": 50.0, "50 µs and longer": math.inf}  # of the shortest case of a claim


@dataclass(frozen=True, slots=True)
class Trial:
    """A claim whose truth is known in each of its settings."""

    claim: Claim
    truths: tuple[bool, ...]
    distance: float  # of the nearest boundary
    shortest_us: float  # case

    @property
    def expected(self) -> ClaimStatus:
        """The verdict that is right; INCONCLUSIVE is never wrong."""
        if len(set(self.truths)) > 1:
            always = self.claim.quantifier is Quantifier.ALWAYS
            return ClaimStatus.REFUTED if always else ClaimStatus.DEPENDS
        return ClaimStatus.CONFIRMED if self.truths[0] else ClaimStatus.REFUTED

    @property
    def size(self) -> str:
        """The class of its shortest case."""
        return next(name for name, end in SIZES.items() if self.shortest_us < end)


def claim(text: str, **where: Sequence[str]) -> Claim:
    """Return a claim in some settings."""
    return Claim(
        id="drawn",
        says=text,
        holds=parse_condition(text),
        text=text,
        where={key: tuple(values) for key, values in where.items()},
    )


def subject(times: Side) -> Subject:
    """Return what claims are judged by."""
    run = times.runs[0]
    return Subject(ClaimRun(run), RunTimes(run, times), RunCode(run))


@dataclass(frozen=True, slots=True)
class Device:
    """A simulated device: the true time of each variant in each setting."""

    true_us: Mapping[str, Mapping[str, float]]  # by launch and variant
    subject: Subject

    @classmethod
    def draw(cls, random: np.random.Generator, processes: int, groups: int = 8) -> Device:
        """Draw the times of a device, and measure them in some processes.

        On half of the devices a variant is faster by nearly the same factor in all settings, so that claims are close
        to the boundary in many settings at once.
        """
        alike = random.random() < 0.5  # noqa: PLR2004
        factors = np.exp(random.uniform(-0.7, 0.7, len(VARIANTS)))
        true_us: dict[str, dict[str, float]] = {}
        for number in range(groups):
            typical = math.exp(random.uniform(math.log(SHORTEST_US), math.log(LONGEST_US)))
            spread = random.normal(0, 0.01, len(VARIANTS)) if alike else random.uniform(-0.7, 0.7, len(VARIANTS))
            times = typical * factors * np.exp(spread)
            true_us[f"{26 + number}x1024"] = dict(zip(VARIANTS, times.tolist(), strict=True))
        cases = {
            Case("neighbor", variant, "f32", Launch(launch, 1024, int(launch.partition("x")[0])), 4096): time_us
            for launch, times_us in true_us.items()
            for variant, time_us in times_us.items()
        }
        seed = int(random.integers(2**31))
        return cls(true_us, subject(side(Simulated(processes=processes, seed=seed, cases=cases))))

    def trials(self, random: np.random.Generator, count: int) -> Iterator[Trial]:
        """Draw claims of several forms, in one setting or in several."""
        for number in range(count):
            several = 1 if number % 2 else int(random.integers(2, len(self.true_us) + 1))
            launches = [str(name) for name in random.permutation(list(self.true_us))[:several]]
            first, second = (str(name) for name in random.permutation(list(VARIANTS))[:2])
            distance = float(random.choice(DRAWN) * random.choice((-1, 1)))
            yield self._trial(number % 4, launches, (first, second), distance)

    def _trial(self, form: int, launches: Sequence[str], pair: tuple[str, str], distance: float) -> Trial:
        first, second = pair
        times = [self.true_us[launch] for launch in launches]
        values = [at[first] if form == OF_TIME else at[second] / at[first] for at in times]
        boundary = values[0] / (1 + distance)
        away = min(abs(value / boundary - 1) for value in values)
        truths = tuple(value > boundary for value in values)
        if form == OF_TIME:
            text = f"time({first}) > {boundary!r}"
        elif form == OF_EQUALITY:  # 5% above the tested number, or beyond
            middle = boundary / 1.05
            text = f"speedup({first}, {second}) == {middle!r} within 5%"
            truths = tuple(abs(value - middle) <= 0.05 * middle for value in values)
            away = min(away, *(abs(value / (0.95 * middle) - 1) for value in values))
        elif form:
            text = f"speedup({first}, {second}) > {boundary!r}"
        else:
            text = f"time({first}) < {1 / boundary!r} * time({second})"
        shortest = min(at[variant] for at in times for variant in pair)
        quantifier = Quantifier.ALWAYS if len(launches) % 2 else Quantifier.ALL
        return Trial(replace(claim(text, launch=launches), quantifier=quantifier), truths, away, shortest)


class ManyProcesses:
    """Many processes of unchanged code: the mean over all of them serves as the truth about few of them."""

    def __init__(self, pool: Pool, rows: Iterable[Row], info: RunInfo) -> None:
        """Take the processes, the rows of their cases, and the record of a run."""
        self._pool, self._rows = pool, {row.case_id: row for row in rows}
        self._run = Run(Path("drawn"), replace(info, finished="2026-11-21T00:00:00Z"), ())
        times = subtract_offsets(pool)
        # The least and the largest of the two estimates of each time.
        self._true_us = {
            name: sorted((float(known.values.mean()), float(known.medians.mean()))) for name, known in times.items()
        }

    @property
    def processes(self) -> tuple[Process, ...]:
        """All processes."""
        return self._pool.processes

    def subject(self, processes: Sequence[Process]) -> Subject:
        """Return a run of these processes alone."""
        pool = self._pool.select(processes)
        known = {**pool.cases, **pool.sentinels}
        rows = {
            name: replace(
                self._rows[name], status=Status.TIMED, time_us=float(estimates.medians.mean()), matched=8, inputs=8
            )
            for name, estimates in pool.cases.items()
        }
        kernels: dict[str, KernelTimes] = {
            name: EstimatedTimes(
                {rows[name].iterations if name in rows else 1: {process: [] for process in processes}}, 1, estimates
            )
            for name, estimates in known.items()
        }
        run = replace(self._run, rows=tuple(rows.values()))
        return subject(Side((run,), rows, kernels, "drawn"))

    def trials(self, random: np.random.Generator, distances: Sequence[float] = DRAWN) -> Iterator[Trial]:
        """Yield for each case a claim about its time."""
        for name, (low, high) in self._true_us.items():
            row = self._rows[name]
            distance = float(random.choice(distances))
            is_above = bool(random.random() < 0.5)  # noqa: PLR2004
            boundary = low / (1 + distance) if is_above else high * (1 + distance)
            options = {key: [value] for key, value in row.options}
            where = {"pattern": [row.pattern], "dtype": [row.dtype], "launch": [row.launch], **options}
            yield Trial(
                claim(f"time({row.variant}) > {boundary!r}", iterations=[str(row.iterations)], **where),
                (is_above,),
                distance,
                low,
            )
