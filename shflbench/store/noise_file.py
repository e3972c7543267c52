"""What was learned of the noise of one GPU, in a file beside the baselines.

<folder>/noise/<gpu>-<first 8 of its UUID>.json
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, FiniteFloat, TypeAdapter

from shflbench.store import files
from shflbench.store.append import gpu_slug
from shflbench.store.baselines import NOISE
from shflbench.store.json_record import decode, encode

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
ALARMS = 0.02  # share of false alarms, of comparisons of unchanged code: twice what the rule is made for
AGAIN = "restore the file, or learn the noise again: shflbench noise learn RUN"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What became of comparisons between processes that the noise was not learned from."""

    draws: int
    alarmed: FiniteFloat  # share of the draws in which a case was called slower or faster
    undecided: FiniteFloat  # share of the cases that were left open


@dataclass(frozen=True, slots=True)
class CaseSpread:
    """The variance of one case's time between processes, in µs², and the degrees of freedom that it is known by."""

    variance: Annotated[FiniteFloat, Field(ge=0)]
    freedom: Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The noise of a process's time on one GPU, sd² = a² + (b·time)², and what it was learned from."""

    a_us: Annotated[FiniteFloat, Field(gt=0)]
    b: Annotated[FiniteFloat, Field(gt=0)]
    cases: Mapping[str, CaseSpread]
    held_out: Mapping[Annotated[int, Field(ge=1)], HeldOut]  # by processes per side
    processes: int
    suites: tuple[str, ...]
    first: str  # when the first of the runs started, UTC
    last: str
    device: str
    uuid: str
    driver: str
    sentinels: str  # version of the frozen kernels that the offsets of the processes were taken from
    rule: int  # version of what a and b mean
    settings: Mapping[str, FiniteFloat]  # how the runs were sampled

    @property
    def fewest(self) -> int | None:
        """The fewest processes a side from which on the held-out comparisons raised no alarms; None if all did."""
        good = None
        for processes, check in sorted(self.held_out.items(), reverse=True):
            if check.alarmed > ALARMS:
                break
            good = processes
        return good


def write(folder: Path, learned: Learned) -> Path:
    """Keep what was learned among the baselines in `folder`, in place of what was known of this GPU; return the file.

    ResultsError where it cannot be written; then what was there is there still.
    """
    path = folder / NOISE / f"{gpu_slug(learned.device)}{_ending(learned.uuid)}"
    with files.writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, text(learned).encode())
    return path


@cache
def _adapter() -> TypeAdapter[Learned]:
    return TypeAdapter(Learned)


def text(learned: Learned) -> str:
    """Return what a file holds."""
    return encode(learned, SCHEMA)


def read(path: Path) -> Learned:
    """Read the file at `path`; ResultsError, which names file and key, where it is missing, damaged or newer."""
    return decode(_adapter, files.text(files.read(path), path), path, SCHEMA, AGAIN)


def find(folder: Path, uuid: str) -> Path | None:
    """Return the file of the GPU with this UUID among the baselines in `folder`; None where there is none."""
    ending = _ending(uuid)
    return next((path for path in sorted((folder / NOISE).glob("*.json")) if path.name.endswith(ending)), None)


def _ending(uuid: str) -> str:
    """Return how the name of a GPU's file ends."""
    digits = re.sub("[^0-9a-z]", "", uuid.lower().removeprefix("gpu-").removeprefix("mig-"))
    return f"-{digits[:8]}.json"
