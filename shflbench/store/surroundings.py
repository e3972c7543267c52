"""Find out the host, the software and the time of a run (standard library only)."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from shflbench.store.provenance import Host, SuiteRevision, Versions
from shflbench.version import __version__

PACKAGE = Path(__file__).parent.parent
CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")  # the names under which it is published
SOURCE_ENDINGS = (".py", ".cu", ".cuh", ".cubin")  # the files that affect a time
GIT_S = 20.0  # for one answer of git; `status` of the Linux kernel takes 0.3 s
SOURCE_DIGITS = 16  # 64 bits: no two versions will ever share them


def utc_now() -> str:
    """Return the time as `run.json` gives it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def host() -> Host:
    """Describe this machine; cores are those that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Host(platform.node(), platform.platform(), _cpu(), cores)


def versions(
    *,
    nvrtc: str | None = None,
    cccl: str | None = None,
    nvdisasm: str | None = None,
    driver: str | None = None,
    cuda: str | None = None,
) -> Versions:
    """Return the versions in use: those given, and those of the installed packages and of git."""
    commit, dirty = _package_checkout()
    return Versions(
        python=platform.python_version(),
        shflbench=__version__,
        numpy=_installed("numpy"),
        cupy=next(filter(None, map(_installed, CUPY)), None),
        nvrtc=nvrtc,
        nvdisasm=nvdisasm,
        driver=driver,
        cuda=cuda,
        git_commit=commit,
        git_dirty=dirty,
        source=package_source(),
        cccl=cccl,
    )


def checkout(folder: Path) -> tuple[str | None, bool | None]:
    """Return the commit checked out in `folder` and whether tracked files differ; None where git does not know."""
    if not (folder / ".git").exists():  # installed, perhaps within a checkout of another project
        return None, None
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return commit, None if commit is None or changes is None else bool(changes)


def revision(path: Path) -> SuiteRevision | None:
    """Return the commit of the repository that holds a file; None where there is none, or where git ignores the file.

    Ignored are the files of packages that are installed within a checkout.
    """
    real = Path(os.path.realpath(path))  # a link may lie elsewhere
    commit = _git(real.parent, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    if _git(real.parent, "ls-files", "--error-unmatch", "--", real.name) is None:
        return None if _git(real.parent, "check-ignore", "--", real.name) else SuiteRevision(commit, dirty=True)
    changes = _git(real.parent, "status", "--porcelain", "--untracked-files=no")
    return SuiteRevision(commit, dirty=None if changes is None else bool(changes))


def source_hash(folder: Path) -> str | None:
    """Return the hash of the source files in `folder`, None where one cannot be read.

    A shell computes the same, so that the commit of a copy without git can be found:
    `find . -name '*.py' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cubin' | LC_ALL=C sort | xargs sha256sum |
    sha256sum | cut -c1-16`.
    """
    walked = os.walk(folder)  # in a third of the time of `Path.rglob`
    paths = [f"{place}/{name}" for place, _, names in walked for name in names if name.endswith(SOURCE_ENDINGS)]
    try:
        digests = {path: sha256(Path(path).read_bytes()).hexdigest() for path in sorted(paths)}
    except OSError:
        return None
    lines = [f"{digest}  .{path.removeprefix(str(folder))}\n" for path, digest in digests.items()]
    return sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()[:SOURCE_DIGITS]


@cache
def package_source() -> str | None:
    """Return the hash of the source files of the installed package, which takes 0.02 s, when this was first called."""
    return source_hash(PACKAGE)


@cache
def _package_checkout() -> tuple[str | None, bool | None]:
    """Return the checkout of the installed package when this was first called: a fleet has a record per device."""
    return checkout(PACKAGE.parent)


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    # A lock would stay if the run is killed; a repository that somebody else packed may name a program as its monitor.
    command = [git, "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=GIT_S, check=False)  # noqa: S603  (no shell)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@cache
def _installed(package: str) -> str | None:
    """Return the version of a package; None if it is not installed. It is read once: a fleet asks for each device."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu() -> str:
    """Return the CPU's name from Linux, else what Python knows."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
