"""Where each run of a report is from: device, software, suite, date, and how quiet the machine was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.output.export.html.content import RunCard
from shflbench.output.export.html.selection import gpu_of, in_order, is_measured, newest
from shflbench.output.export.html.texts import short, without_folders

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.store import Run

HASH_DIGITS = 8  # of a suite's revision and of a commit


def run_cards(runs: Sequence[Run]) -> Iterator[RunCard]:
    """Yield a card for each run, newest last."""
    chosen = newest(runs)
    for run in in_order(runs):
        noise = run.info.noise
        yield RunCard(
            label=label_of(run),
            suite=run.info.suite.name,
            title=short(run.info.suite.title),
            facts={name: short(text) for name, text in _facts(run) if text},
            is_quiet=noise is not None and noise.quiet,
            verdict=short(noise.verdict) if noise else "",
            noise=short(noise.sentence) if noise else "",
            notes=tuple(short(without_folders(note, [run.folder])) for note in (*run.info.notes, *run.notes)),
            is_timed=is_measured(run),
            is_newest=run in chosen,
        )


def label_of(run: Run) -> str:
    """Return a short name of a run: its suite, GPU and date, which other tools may not say."""
    parts = (run.info.suite.name, gpu_of(run), run.info.started[:16].replace("T", " "))
    return ", ".join(filter(None, parts))


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    info, device = run.info, run.info.device
    versions = info.versions
    if not device:
        yield "Ran on", gpu_of(run)
    else:
        yield (
            "GPU",
            f"{device.name}, {device.sms} SMs, {device.clock_mhz} MHz at most, {device.memory_bytes / 1e9:.0f} GB",
        )
    yield "Driver", versions.driver or ""
    yield "CUDA", versions.cuda or ""
    yield "NVRTC", versions.nvrtc or ""
    yield "Date", info.started.replace("T", " ").replace("Z", " UTC")
    dirty = ", with changes" if versions.git_dirty else ""
    yield "shflbench", versions.shflbench
    yield "Commit", f"{versions.git_commit[:HASH_DIGITS]}{dirty}" if versions.git_commit else ""
    yield "Suite", f"{info.suite.name}, revision {info.suite.sha256[:HASH_DIGITS]}"
    statuses = group_by(run.rows, lambda row: row.status.value)
    yield "Cases", f"{len(run.rows):,}: {', '.join(f'{len(rows):,} {status}' for status, rows in statuses.items())}"
    if info.settings.processes:
        yield "Processes", f"{count_noun(info.settings.processes, 'process')} per case"
    yield "Command", " ".join(info.argv)
    yield "Folder", run.folder.name
