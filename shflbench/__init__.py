"""Warp shuffle or shared memory? Benchmark both on your GPU, for your communication pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    import pandas as pd

__version__ = "0.2.0"
__all__ = ["__version__", "load"]


def load(*results: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the cases of runs as a pandas table, one row per case.

    `results` are run folders, or folders that hold several. The columns are `run` (the folder), `suite`, `device`,
    those of results.csv, and those of limits.csv where a run has it; docs/reference/columns.md explains each. Units are
    in the names. An unknown value is missing (NaN, NA or None), never 0. `sass_per_iteration` and `noise` hold
    dictionaries, `processes`, `throttle` and `verified_iterations` tuples. Raise shflbench.errors.ResultsError where a
    folder holds no run or a file is damaged.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.store.frame import frame  # noqa: PLC0415

    return frame(map(Path, results))
