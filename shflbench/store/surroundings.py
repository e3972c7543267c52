"""Find out what a run has around it: the host, the software and the time (standard library only)."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import shflbench
from shflbench.store.provenance import Host, Versions

CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")  # the names under which it is published


def utc_now() -> str:
    """Return the time as `run.json` gives it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def host() -> Host:
    """Describe this machine; cores are those that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Host(platform.node(), platform.platform(), _cpu(), cores)


def versions(
    *, nvrtc: str | None = None, nvdisasm: str | None = None, driver: str | None = None, cuda: str | None = None
) -> Versions:
    """Return the versions in use: those given, and those that the installed packages and git tell."""
    commit, dirty = checkout(Path(shflbench.__file__).parents[1])
    return Versions(
        python=platform.python_version(),
        shflbench=shflbench.__version__,
        numpy=_installed("numpy"),
        cupy=next(filter(None, map(_installed, CUPY)), None),
        nvrtc=nvrtc,
        nvdisasm=nvdisasm,
        driver=driver,
        cuda=cuda,
        git_commit=commit,
        git_dirty=dirty,
    )


def checkout(folder: Path) -> tuple[str | None, bool | None]:
    """Return the commit checked out in `folder` and whether tracked files differ from it; None where git cannot say."""
    if not (folder / ".git").exists():  # installed, perhaps inside somebody else's checkout
        return None, None
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, None if commit is None or changes is None else bool(changes)


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run([git, "-C", str(folder), *arguments], capture_output=True, text=True, check=False)  # noqa: S603  (fixed words)
    return done.stdout.strip() if done.returncode == 0 else None


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu() -> str:
    """Return the CPU's name by Linux, else the little that Python knows."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
