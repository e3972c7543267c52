"""Write recorded processes as run folders, as if a run of the suite had measured only them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.compare_power.suite import suite as suite_text
from shflbench.core.model import Conditions, Sample, is_sentinel
from shflbench.measure.estimate import timing
from shflbench.session.rows import add_times, with_speedups
from shflbench.store import RunFolder, SentinelSet, SuiteText

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from benchmarks.compare_power.batch import Batch, Block
    from shflbench.analysis.compare.estimates import Process
    from shflbench.store import Row, RunInfo

# The recording of an unfinished run does not have the version of its sentinels.
SENTINELS = SentinelSet("as recorded")


def write(folder: Path, batch: Batch, processes: Sequence[Process], more: int = 0, only: Collection[str] = ()) -> Path:
    """Write a run of these processes into `folder`, with rows from the product's own estimators, and return it.

    `more`: percent more iterations, in the cases `only`, or in all recorded so; KeyError for one that was not.
    They keep their usual id and iterations, so that they appear slower without a visible reason.
    """
    blocks = [_block(batch, process, more, only) for process in processes]
    samples: dict[str, list[Sample]] = {}
    for number, block in enumerate(blocks):
        for sample in _samples(batch, number, block):
            samples.setdefault(sample.case_id, []).append(sample)
    info = _info(batch, processes)
    run_folder = RunFolder.create_at(replace(info, finished=None), folder)
    places = info.settings.places or 1
    rows = [_timed(row, samples[row.case_id], places) for row in batch.recording.rows]
    for pattern in dict.fromkeys((row.pattern, row.launch, row.dtype) for row in rows):
        group = [row for row in rows if (row.pattern, row.launch, row.dtype) == pattern]
        run_folder.append(with_speedups(group), [sample for row in group for sample in samples[row.case_id]])
    run_folder.append((), [sample for name, taken in samples.items() if is_sentinel(name) for sample in taken])
    run_folder.finish(info.finished or info.started, sentinels=SENTINELS)
    return folder


def _block(batch: Batch, process: Process, more: int, only: Collection[str]) -> Block:
    """Return the rounds of each case, slowed or not, and of the sentinels in these rounds."""
    block = batch.block(process, 0)
    if more:
        slowed = batch.block(process, more)
        sentinels = [name for name in slowed if is_sentinel(name)]
        block |= {name: block[name] | slowed[name] for name in sentinels}
        block |= {name: slowed[name] for name in only or slowed.keys() - set(sentinels)}
    return block


def _samples(batch: Batch, number: int, block: Block) -> Iterator[Sample]:
    """Yield the samples of one process, with this number."""
    iterations = {row.case_id: row.iterations for row in batch.recording.rows}
    device = batch.recording.runs[0].device
    for name, rounds in block.items():
        for place, times in sorted(rounds.items()):
            for index, time_us in enumerate(times.tolist()):
                yield Sample(
                    case_id=name,
                    process=number,
                    round=place,
                    sample=index,
                    iterations=iterations.get(name, 1),
                    launches=batch.launches[name],
                    time_us=time_us,
                    sm_clock_mhz=float(device.clock_mhz) if device else None,
                    dropped=False,
                )


def _timed(row: Row, samples: Sequence[Sample], places: int) -> Row:
    times = timing(samples, row.iterations, places)
    return add_times(row, times, Conditions()) if times else row


def _info(batch: Batch, processes: Sequence[Process]) -> RunInfo:
    """Return the content of `run.json`: that of the first process's run, with the suite without slowed copies."""
    run = batch.recording.runs[processes[0][0] - batch.first_run]
    text = suite_text((), run.settings.places or 1)
    suite = SuiteText(run.suite.name, run.suite.title, f"{run.suite.name}.yaml", text)
    numbers = "+".join(f"{run}.{process}" for run, process in processes)
    return replace(
        run, suite=suite, argv=(*run.argv, numbers), settings=replace(run.settings, processes=len(processes))
    )
