"""Estimate the noise of a GPU, and print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.core.words import count_noun, flat
from shflbench.output.export.comparison_words import fraction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import Run
    from shflbench.store.noise_file import LearnedNoise

REFUSED = 1
EXAMPLES_US = (10.0, 100.0, 1000.0)  # times of cases whose noise is shown


def learn_noise(console: Console, runs: Sequence[Run], folder: Path, form: str = "table") -> int:
    """Estimate the noise of a GPU, print it and keep it among the baselines in `folder`.

    Returns 1, and saves nothing, where the noise raises false alarms on held-out processes.
    """
    from shflbench.analysis.compare.noise_learning import learn_from
    from shflbench.store.noise_file import ALARMS, text, write

    record = learn_from(runs)
    if form == "json":
        console.json(text(record).rstrip("\n"))
    else:
        console.data(_noise_lines(record))
        console.table(_held_out(record), data=True)
    if record.fewest is None:
        most = max(record.held_out)
        alarmed = record.held_out[most].alarmed
        console.error(
            f"nothing was saved: {fraction(alarmed)} of the comparisons with {count_noun(most, 'process')} per side "
            f"raised a false alarm; at most {fraction(ALARMS)} may",
            "the noise changed from process to process: check that nothing else uses the GPU (shflbench doctor) and "
            "which cases are noisy (shflbench noise test RUN); then measure again, in more processes",
        )
        return REFUSED
    if record.fewest > 1:
        few = f"with fewer than {record.fewest} processes per side"
        console.warn(f"the noise will not be used {few}: too many of those comparisons raised a false alarm")
    console.say(f"saved in {write(folder, record)}")
    return 0


def _noise_lines(record: LearnedNoise) -> str:
    days = " to ".join(dict.fromkeys((record.first[:10], record.last[:10])))
    examples = (
        f"{time_us:g} µs ± {(record.a_us**2 + (record.b * time_us) ** 2) ** 0.5:.2g} µs" for time_us in EXAMPLES_US
    )
    return flat(
        f"noise of {record.device}, driver {record.driver}, from {record.processes} processes of "
        f"{', '.join(record.suites)}, {days}:"
    ) + (
        f"\na = {record.a_us:.3f} µs, b = {100 * record.b:.3f}%; "
        f"spread between processes with one CUDA context: {', '.join(examples)}"
        f"\nspread known case by case: {count_noun(len(record.cases), 'case')}\n"
    )


def _held_out(record: LearnedNoise) -> Table:
    """Return the table of comparisons between held-out processes."""
    from shflbench.store.noise_file import ALARMS

    lines = (
        Line(
            (str(processes), str(check.draws), fraction(check.alarmed), fraction(check.undecided)),
            "bad" if check.alarmed > ALARMS else "good",
        )
        for processes, check in record.held_out.items()
    )
    return Table(
        "validation on held-out processes, all of unchanged code:",
        ("processes per side", "comparisons", "false alarms", "cases undecided at 1%"),
        tuple(lines),
    )
