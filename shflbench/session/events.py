"""What a run tells whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.model import Trouble
    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class Compiling:
    """So many kernels are compiled, of so many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class WarmedUp:
    """The device is warm; `steady` tells whether its clock stopped moving in time."""

    steady: bool
    clock_mhz: float | None


@dataclass(frozen=True, slots=True)
class Working:
    """What is being done now, and how much of the run is done."""

    text: str
    done: float
    total: float


@dataclass(frozen=True, slots=True)
class GroupDone:
    """The rows of one group are on disk; `troubles` tell what is wrong with the samples of its cases, by case."""

    rows: tuple[Row, ...]
    troubles: Mapping[str, Sequence[Trouble]]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the user should know; the run goes on."""

    sentence: str


Event = Compiling | WarmedUp | Working | GroupDone | Note
