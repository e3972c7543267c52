"""The learned noise of one GPU, in its file among the baselines under `noise`."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, FiniteFloat, TypeAdapter
from pydantic_core import PydanticKnownError

from shflbench.core.numerals import whole_number
from shflbench.store import gpu_file, run_files
from shflbench.store.baselines import NOISE
from shflbench.store.json_record import decode, encode
from shflbench.store.record_values import check_moments

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
ALARMS = 0.02  # false-alarm rate in comparisons of unchanged code: twice that of the rule
AGAIN = "restore the file, or estimate the noise again: shflbench noise learn RUN"


def _processes(key: object) -> object:
    """Return the integer that a key of an object stands for: pydantic itself also reads `1_0`."""
    try:
        return whole_number(key) if isinstance(key, str) else key
    except ValueError:
        raise PydanticKnownError("int_parsing") from None


@dataclass(frozen=True, slots=True)
class HeldOutCheck:
    """The results of comparisons between held-out processes, of which the noise was not learned."""

    draws: int
    alarmed: FiniteFloat  # share of the draws with a case that was called slower or faster
    undecided: FiniteFloat  # share of the cases that stayed inconclusive


@dataclass(frozen=True, slots=True)
class CaseSpread:
    """The variance of one case's time between processes, in µs², with its degrees of freedom."""

    variance: Annotated[FiniteFloat, Field(ge=0)]
    freedom: Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedNoise:
    """The noise of a process's time on one GPU, sd² = a² + (b·time)², and the runs that it was learned from."""

    a_us: Annotated[FiniteFloat, Field(gt=0)]
    b: Annotated[FiniteFloat, Field(gt=0)]
    cases: Mapping[str, CaseSpread]
    held_out: Mapping[Annotated[int, BeforeValidator(_processes), Field(ge=1)], HeldOutCheck]  # by processes per side
    processes: int
    suites: tuple[str, ...]
    first: str  # when the first of the runs started, UTC
    last: str
    device: str
    uuid: str
    driver: str
    sentinels: str  # version of the frozen kernels that gave the offsets of the processes
    rule: int  # version of what a and b mean
    settings: Mapping[str, FiniteFloat]  # sampling settings of the runs

    @property
    def fewest(self) -> int | None:
        """The fewest processes per side from which on held-out comparisons raised no false alarms; None if all did."""
        good = None
        for processes, check in sorted(self.held_out.items(), reverse=True):
            if check.alarmed > ALARMS:
                break
            good = processes
        return good


def write(folder: Path, learned: LearnedNoise) -> Path:
    """Write learned noise to the baselines in `folder`, in place of that of the same GPU; return the file.

    ResultsError where it cannot be written; then the old file is unchanged.
    """
    return gpu_file.write(folder / NOISE, learned.device, learned.uuid, text(learned))


@cache
def _adapter() -> TypeAdapter[LearnedNoise]:
    return TypeAdapter(LearnedNoise)


def text(learned: LearnedNoise) -> str:
    """Return the content of a file."""
    return encode(learned, SCHEMA)


def read(path: Path) -> LearnedNoise:
    """Read the file at `path`; ResultsError, which names file and key, where it is missing, damaged or newer."""
    learned = decode(_adapter, run_files.text(run_files.read(path), path), path, SCHEMA, AGAIN)
    check_moments({"first": learned.first, "last": learned.last}, path, AGAIN)
    return learned


def find(folder: Path, uuid: str) -> Path | None:
    """Return the file of the GPU with this UUID among the baselines in `folder`; None where there is none."""
    return gpu_file.find(folder / NOISE, uuid)
