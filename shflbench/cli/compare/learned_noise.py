"""What `compare` does with runs of unchanged code: learn the noise of a GPU, and print what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.errors import UsageError
from shflbench.export.words import count_noun, flat, fraction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.compare.options import Gate
    from shflbench.cli.console import Console
    from shflbench.store import Run
    from shflbench.store.noise_file import Learned

REFUSED = 1
EXAMPLES_US = (10.0, 100.0, 1000.0)  # times of cases whose noise is shown


def learn(paths: Sequence[Path], gate: Gate, console: Console) -> int:
    """Learn the noise of a GPU from the runs in `paths`; returns the exit code."""
    return learn_noise(console, _runs(paths, gate), gate.baselines, gate.form)


def test(paths: Sequence[Path], gate: Gate, console: Console) -> int:
    """Try `compare` on the runs in `paths`, by the noise that `--noise` names if it does; returns the exit code."""
    from shflbench.cli.compare.self_test_report import self_test
    from shflbench.store.noise_file import read

    return self_test(console, _runs(paths, gate), read(gate.noise) if gate.noise else None, gate.form)


def _runs(paths: Sequence[Path], gate: Gate) -> list[Run]:
    """Read the runs in folders; UsageError for none, or for a format that comparisons alone have."""
    from shflbench.store import find_runs, read_run

    if not paths:
        raise UsageError("no run given", "give runs of unchanged code: the folders that `shflbench run` printed")
    if gate.form not in {"table", "json"} or gate.also or gate.plot:
        raise UsageError("no two sides are compared here", "leave out --also and --plot; formats are table and json")
    return [read_run(folder) for folder in find_runs(paths)]


def learn_noise(console: Console, runs: Sequence[Run], folder: Path, form: str = "table") -> int:
    """Learn the noise of a GPU, print what was learned and keep it among the baselines in `folder`.

    Returns 1, and keeps nothing, where what was learned alarms on processes that were held back.
    """
    from shflbench.analysis.compare.noise_learning import learn_from
    from shflbench.store.noise_file import ALARMS, text, write

    record = learn_from(runs)
    if form == "json":
        console.data(text(record).rstrip("\n"))
    else:
        console.data(_noise_lines(record))
        console.table(_held_out(record), data=True)
    if record.fewest is None:
        most = max(record.held_out)
        alarmed = record.held_out[most].alarmed
        console.error(
            f"nothing was kept: {fraction(alarmed)} of the comparisons of {count_noun(most, 'process')} a "
            f"side alarmed, among processes that the noise was not learned from; {fraction(ALARMS)} may",
            "the noise was not the same throughout: see that nothing else used the GPU (shflbench doctor), and what is "
            "noisy (shflbench compare --self-test RUN); then measure again, in more processes",
        )
        return REFUSED
    if record.fewest > 1:
        few = f"with less than {record.fewest} processes a side"
        console.warn(f"it will not be used {few}: too many of those comparisons alarmed")
    console.say(f"kept in {write(folder, record)}")
    return 0


def _noise_lines(record: Learned) -> str:
    days = " to ".join(dict.fromkeys((record.first[:10], record.last[:10])))
    examples = (
        f"{time_us:g} µs ± {(record.a_us**2 + (record.b * time_us) ** 2) ** 0.5:.2g} µs" for time_us in EXAMPLES_US
    )
    return flat(
        f"noise of {record.device}, driver {record.driver}, from {record.processes} processes of "
        f"{', '.join(record.suites)}, {days}:"
    ) + (
        f"\na = {record.a_us:.3f} µs, b = {100 * record.b:.3f} %: from process to process {', '.join(examples)}"
        f"\nof {count_noun(len(record.cases), 'case')} the spread is known one by one\n"
    )


def _held_out(record: Learned) -> Table:
    """Return the table of comparisons between processes that the noise was not learned from."""
    from shflbench.store.noise_file import ALARMS

    lines = (
        Line(
            (str(processes), str(check.draws), fraction(check.alarmed), fraction(check.undecided)),
            "bad" if check.alarmed > ALARMS else "good",
        )
        for processes, check in record.held_out.items()
    )
    return Table(
        "tried on processes that were held back, of unchanged code:",
        ("processes a side", "comparisons", "false alarms", "cases left open at 1 %"),
        tuple(lines),
    )
