"""End a run: store its joint speed-ups and its limits, and return what is said of it.

The command line, Python and the members of a fleet end a run here, and print or wrap the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.analysis.claims.times import known_times
from shflbench.analysis.joint_ratios import joint_ratios, with_joint_speedups
from shflbench.analysis.kernel_sentences import all_decided, is_of_kernels, run_sentences
from shflbench.core.model import Status
from shflbench.core.reporter import Remark
from shflbench.errors import KernelError
from shflbench.kernel_facts import stored_limits
from shflbench.measure.noise import UNSTEADY
from shflbench.store import read_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.analysis.claims.times import RunTimes
    from shflbench.analysis.joint_ratios import JointRatios
    from shflbench.kernel_facts.stored_code import KnownCodes
    from shflbench.store import Row, Run, RunFolder

BAD = frozenset({Status.INCORRECT, Status.FAILED})
COVERED = "The intervals above include what differs between rounds."


@dataclass(frozen=True, slots=True)
class LimitContext:
    """What the limits of a run are calculated from, besides its folder."""

    pattern_folders: Mapping[str, Path]
    baselines: Path
    known_codes: KnownCodes | None = None  # machine code that is not read again; other code is added
    cache_folder: Path | None = None


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What is known at the end of a run. Problems are clauses, without a period at their end."""

    run: Run  # with the joint speed-ups that were stored
    limits_problem: str = ""  # what is wrong with the limits; empty if nothing is
    samples_problem: str = ""  # why ties are decided without samples; empty if there are samples, or no times
    times: RunTimes | None = None
    ratios: Mapping[str, JointRatios] = field(default_factory=dict)  # by case; only of a user's kernels
    sentences: tuple[str, ...] = ()  # on the groups of the run
    noise: Remark | None = None  # on how quiet the machine was

    @property
    def bad(self) -> tuple[Row, ...]:
        """The cases that failed or computed a wrong result."""
        return tuple(row for row in self.run.rows if row.status in BAD)

    @property
    def bad_text(self) -> str:
        """How many cases are bad; empty if none is."""
        if not self.bad:
            return ""
        return f"{len(self.bad)} of {len(self.run.rows)} cases failed or computed a wrong result"

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ran it."""
        return KernelError.exit_code if self.bad else 0


def count_run(path: Path, limits: LimitContext | None) -> RunEnd:
    """Return the bad cases of a run, and store the limits of a finished one, if they are asked for.

    For a run whose times are compared elsewhere, as those of a fleet are. ResultsError if it cannot be read.
    """
    run = read_run(path)
    return RunEnd(run, _limits_problem(run, limits))


def end_run(folder: RunFolder, limits: LimitContext | None) -> RunEnd:
    """Return all that is known of a run that has ended, and store what follows from all of its cases.

    These are its limits, if they are asked for, and for kernels of a user their joint speed-ups. ResultsError if the
    folder cannot be read or written.
    """
    run = read_run(folder.path)
    times, problem = known_times(run)
    ratios = joint_ratios(run.rows, times) if is_of_kernels(run) else {}
    if ratios:
        run = replace(run, rows=tuple(with_joint_speedups(run.rows, ratios)))
        folder.append(run.rows)
    return RunEnd(
        run,
        _limits_problem(run, limits),
        samples_problem=problem,
        times=times,
        ratios=ratios,
        sentences=tuple(run_sentences(run, run.rows, times)),
        noise=_noise_report(run, times),
    )


def _limits_problem(run: Run, limits: LimitContext | None) -> str:
    """Store the limits of a finished run, and return what is wrong with them; empty if they are not asked for."""
    if limits is None or not run.is_finished:
        return ""
    return stored_limits.write_limits_of(
        run, limits.pattern_folders, limits.baselines, limits.known_codes, limits.cache_folder
    )


def _noise_report(run: Run, times: RunTimes | None) -> Remark | None:
    noise = run.info.noise
    if noise is None:
        return None
    if noise.quiet:
        return Remark(f"The machine was quiet: {noise.sentence}.")
    if noise.verdict == UNSTEADY and is_of_kernels(run) and all_decided(run.rows, times):
        return Remark(f"{noise.verdict}: {noise.sentence}. {COVERED}")
    return Remark(f"{noise.verdict}: {noise.sentence}; {noise.advice}", is_warning=True)
