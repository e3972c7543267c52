"""A suite, how its kernels behave on a scripted GPU, and what came out of a run of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

from shflbench.core.model import Status
from shflbench.patterns.discover import builtin
from shflbench.store import Row, read_run
from tests.conftest import Outcome
from tests.fakes.backend import FakeBackend, Script

Plug = Callable[[FakeBackend], FakeBackend]
PATTERNS = Path(__file__).parents[1] / "patterns"
SUITE = """\
schema: 1
name: demo
title: A demonstration
measure: {min_seconds: 0.001}
defaults: {launch: 2x64, iterations: 4096, dtypes: f32}
experiments:
  - pattern: neighbor
    variants: [smem, smem-unsafe, shfl]
  - pattern: reduce
    variants: [smem, shfl]
"""
SCRIPTS = {
    "smem": Script(ns_per_iteration=80.0),
    "smem-unsafe": Script(ns_per_iteration=32.0),
    "shfl": Script(ns_per_iteration=16.0),
}
NEIGHBOR = [f"neighbor/{variant}/f32/2x64/4096/mode=idx" for variant in ("smem", "smem-unsafe", "shfl")]
REDUCE = [f"reduce/{variant}/f32/2x64/4096/width=32" for variant in ("smem", "shfl")]


def copy_neighbor(name: str, *changes: tuple[str, str, str]) -> Path:
    """Copy `neighbor` into the current folder under a name; `changes` are a file's name, what was and what is now."""
    folder = Path(name)
    shutil.copytree(builtin()["neighbor"], folder)
    for file, old, new in (("kernels.cu", "neighbor_", f"{name}_"), *changes):
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return folder


def rows_of(outcome: Outcome) -> dict[str, Row]:
    """Return the rows of the run whose folder was printed, by case."""
    return {row.case_id: row for row in read_run(Path(outcome.out.strip())).rows}


def statuses(outcome: Outcome) -> list[Status]:
    return [row.status for row in rows_of(outcome).values()]
