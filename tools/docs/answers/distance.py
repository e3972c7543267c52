"""How far the published answers are from their limits: the fastest variants of the suite `opponents` on an H200.

    python -m tools.docs.answers.distance    write tools/docs/records/limits.json; two minutes, no GPU

The limit of a timed loop is a lower bound of the cycles per iteration of all resident warps, from the machine code that
NVRTC makes here and the figures in `shflbench/core/arch`. That of a launch without a loop is the one of a reference run
that has the same variant at the same setting; launches of a few µs have none, because a launch costs as much by itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.launch import resolve_grid
from shflbench.core.model import Mechanism
from shflbench.core.reporter import QuietReporter
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.predicted_kernels import common_blocks, predicted_kernels
from shflbench.kernel_facts.residency import ResidentBlocks
from shflbench.patterns.discover import builtin
from shflbench.patterns.discover import load as load_pattern
from shflbench.store import find_runs, read_run
from shflbench.store.limits_file import read_limits
from shflbench.suite import find_shipped
from shflbench.suite import load as load_suite
from tools.docs.records.opponents import kept, of_model, rivals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.core.model import Case
    from tools.docs.records.opponents import Timed

RECORD = Path(__file__).parents[1] / "records" / "limits.json"
RESULTS = Path(__file__).parents[3] / "results"
SUITE = "opponents"
ARCH, SMS, MODEL = "sm_90", 132, "H200"
FAR = 1.15  # times its limit; an answer that is farther is open
SHORT = 12  # µs of a launch, of which 5 to 6 are what a launch costs by itself


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a kernel, in the unit of its time."""

    value: float
    by: str
    omits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distance:
    """The fastest variant of a setting, and its limit; None where it is not known."""

    fastest: Timed
    limit: Limit | None

    @property
    def factor(self) -> float | None:
        """The time divided by the limit."""
        return self.fastest.time / self.limit.value if self.limit else None

    @property
    def is_open(self) -> bool:
        """Whether the limit leaves room for a better kernel."""
        return self.factor is not None and self.factor > FAR


def answers() -> dict[str, Timed]:
    """Return the fastest variant of each setting, without library calls."""
    record = of_model(MODEL, kept())
    found = {setting: rivals(record, setting) for setting in record["settings"]}
    return {
        setting: next(one for one in every if one.mechanism != Mechanism.LIBRARY) for setting, every in found.items()
    }


def distances() -> list[Distance]:
    """Return the answers with the limits on record."""
    limits = json.loads(RECORD.read_text(encoding="utf-8"))
    found = {place: Limit(value, by, tuple(omits)) for place, (variant, value, by, omits) in limits.items()}
    return [Distance(one, found.get(setting)) for setting, one in answers().items()]


def limits_of(settings: Mapping[str, Timed]) -> dict[str, tuple[str, float, str, Sequence[str]]]:
    """Return the variant of each setting with its limit, what sets it and what it omits, where a limit is known."""
    cases = _cases()
    launches = _limits_of_launches()
    found: dict[str, tuple[str, float, str, Sequence[str]]] = {}
    for setting, one in settings.items():
        if one.unit == "cycles":
            limit = _limit_of_loop(cases[setting], one.variant)
        else:
            limit = launches.get((setting, one.variant)) if one.time > SHORT else None
        if limit:
            found[setting] = (one.variant, float(f"{limit.value:.4g}"), limit.by, limit.omits)
    return found


def _cases() -> Mapping[str, Sequence[Case]]:
    cases = load_suite(find_shipped()[SUITE]).cases
    return group_by(
        cases,
        lambda case: " ".join(
            (case.pattern, case.dtype, case.launch.expression, *(f"{name}={value}" for name, value in case.options))
        ),
    )


def _limit_of_loop(cases: Sequence[Case], variant: str) -> Limit | None:
    pattern = load_pattern(builtin()[cases[0].pattern])
    subjects = {case.variant: KernelSubject(pattern, case) for case in cases}
    launch, toolchain, reporter = cases[0].launch, find_toolchain(), QuietReporter()
    fill = launch.expression.startswith("fill")
    fit = common_blocks(toolchain, list(subjects.values()), ARCH, launch.block, reporter) if fill else None
    resident = ResidentBlocks(-(-resolve_grid(launch.expression, SMS, fit) // SMS), launch.block)
    (one,) = predicted_kernels(toolchain, [subjects[variant]], ARCH, resident, reporter)
    if not one.loop or not one.loop.limit_cycles:
        return None
    return Limit(one.loop.limit_cycles, one.loop.limit_by or "", one.loop.limit_omits)


def _limits_of_launches() -> dict[tuple[str, str], Limit]:
    """Return the limits of the launches of the reference runs by setting and variant."""
    found: dict[tuple[str, str], Limit] = {}
    for folder in (one for one in find_runs([RESULTS]) if one.name == f"nvidia-{MODEL.lower()}"):
        limits = read_limits(folder)
        for row in read_run(folder).rows:
            limit = limits.get(row.case_id)
            if limit and limit.limit_us:
                setting = " ".join((row.pattern, row.dtype, row.launch, *row.option_texts))
                found[setting, row.variant] = Limit(
                    limit.limit_us, limit.limit_by or "", tuple(filter(None, (limit.omitted or "").split(";")))
                )
    return found


def main() -> None:
    """Write the record."""
    record = json.dumps(limits_of(answers()), indent=0, ensure_ascii=False)
    RECORD.write_text(record + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
