"""Choose the extra for this machine (standard library only: it runs before anything is installed)."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

COMPILE, CUDA12, CUDA13 = "compile", "cuda12", "cuda13"
CUDA13_DRIVER = 580  # first driver branch for CUDA 13: its release notes, table of minimum driver versions
CUDA13_CAPABILITY = (7, 5)  # CUDA 13 dropped Maxwell, Pascal and Volta: release notes, "Deprecated architectures"
CUDA12_DRIVER = 525  # first driver branch for CUDA 12: the same table
TIMEOUT_S = 30  # nvidia-smi takes seconds where many GPUs wake up, and hangs where one has fallen off the bus


@dataclass(frozen=True, slots=True)
class Choice:
    """An extra and the reason for it, in one clause."""

    extra: str
    reason: str


def choose(query: str = "nvidia-smi") -> Choice:
    """Return the extra for this machine; `query` is the driver's command that lists GPUs."""
    try:
        answer = _query(query, "driver_version,compute_cap")
        if answer.returncode != 0:  # drivers before 510 do not know the field compute_cap
            answer = _query(query, "driver_version")
    except FileNotFoundError:
        return Choice(COMPILE, f"there is no {query}, so there is no NVIDIA driver")
    except subprocess.TimeoutExpired:
        return Choice(COMPILE, f"{query} does not answer within {TIMEOUT_S} s")
    except OSError as error:
        return Choice(COMPILE, f"{query} cannot be run: {error.strerror}")
    if answer.returncode != 0:
        sentence = next(iter((answer.stdout + answer.stderr).strip().splitlines()), "no reason given")
        return Choice(COMPILE, f"{query} fails: {sentence}")
    return decide(answer.stdout)


def how_to_install(extra: str) -> str:
    """Return the command that installs shflbench with an extra, from a checkout or from a wheel."""
    if extra == COMPILE:  # what is always installed
        return "in a checkout: pip install .; from a wheel: pip install shflbench-VERSION.whl"
    return f"in a checkout: pip install '.[{extra}]'; from a wheel: pip install 'shflbench-VERSION.whl[{extra}]'"


def decide(answer: str) -> Choice:
    """Return the extra for the output of nvidia-smi: a line per GPU, `driver version, compute capability`."""
    drivers = [int(major) for major in re.findall(r"^(\d+)\.\d+", answer, re.MULTILINE)]
    if not drivers:
        return Choice(COMPILE, "the NVIDIA driver lists no GPU")
    driver = min(drivers)
    versions = re.findall(r",\s*(\d+)\.(\d+)\s*$", answer, re.MULTILINE)
    capabilities = [(int(major), int(minor)) for major, minor in versions]
    if driver < CUDA12_DRIVER:
        return Choice(CUDA12, f"driver {driver} is too old even for CUDA 12: update it to {CUDA13_DRIVER} or newer")
    if driver < CUDA13_DRIVER:
        return Choice(CUDA12, f"driver {driver} is older than {CUDA13_DRIVER}, which CUDA 13 needs")
    if len(capabilities) < len(drivers):
        return Choice(
            CUDA12, "the driver does not report the compute capability of every GPU, and CUDA 12 supports more of them"
        )
    oldest = min(capabilities)
    described = f"driver {driver} and compute capability {oldest[0]}.{oldest[1]}"
    if oldest < CUDA13_CAPABILITY:
        return Choice(CUDA12, f"{described}: CUDA 13 begins at {CUDA13_CAPABILITY[0]}.{CUDA13_CAPABILITY[1]}")
    return Choice(CUDA13, described)


def _query(query: str, fields: str) -> subprocess.CompletedProcess[str]:
    """Run the driver's query for `fields`; OSError if it cannot be run, TimeoutExpired if it hangs."""
    command = [query, f"--query-gpu={fields}", "--format=csv,noheader"]
    return subprocess.run(  # noqa: S603  (the command is ours; only its name can be replaced, by tests)
        command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False
    )
