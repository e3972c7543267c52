"""All environment variables that shflbench reads, and the one that it sets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for compiled kernels: SHFLBENCH_CACHE, else shflbench in the user's cache folder."""
    if chosen := os.environ.get("SHFLBENCH_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")  # XDG Base Directory Specification: unset and empty mean ~/.cache
    return (Path(base) if base else Path.home() / ".cache") / "shflbench"


def baselines_folder() -> Path:
    """Return the folder for baselines: SHFLBENCH_BASELINES, else baselines in the current folder."""
    return Path(os.environ.get("SHFLBENCH_BASELINES") or "baselines")


def step_summary() -> Path | None:
    """Return the file for the summary of a job on GitHub: GITHUB_STEP_SUMMARY; None elsewhere."""
    named = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(named) if named else None


def color_choice() -> bool | None:
    """Return False if NO_COLOR is set and not empty, else True if FORCE_COLOR is, else None.

    https://no-color.org, https://force-color.org
    """
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def limit_threads() -> None:
    """Keep NumPy from starting a thread per core: nothing here uses them, and every process would start its own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def compute_sanitizer() -> Path | None:
    """Return compute-sanitizer from the PATH or the default folder of the CUDA toolkit; None if it is missing."""
    path = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    return Path(path) if path else None


def nvcc() -> Path | None:
    """Return nvcc from the PATH; None if it is not there."""
    path = shutil.which("nvcc")
    return Path(path) if path else None
