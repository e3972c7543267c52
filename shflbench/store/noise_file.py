"""What was learned of the noise of one GPU, in a file beside the baselines (standard library only).

<folder>/noise/<gpu>-<first 8 of its UUID>.json
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping  # noqa: TC003  (a field's type)
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import files
from shflbench.store.append import gpu_slug
from shflbench.store.baselines import NOISE
from shflbench.store.fields import Fields, Json

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
ALARMS = 0.02  # share of false alarms, of comparisons of unchanged code: twice what the rule is made for
AGAIN = "restore the file, or learn the noise again: shflbench compare --learn-noise RUN"


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What became of comparisons between processes that the noise was not learned from."""

    processes: int  # a side
    draws: int
    alarmed: float  # share of the draws in which a case was called slower or faster
    undecided: float  # share of the cases that were left open


@dataclass(frozen=True, slots=True)
class CaseSpread:
    """The variance of one case's time between processes, in µs², and the degrees of freedom that it is known by."""

    variance: float
    freedom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The noise of a process's time on one GPU, sd² = a² + (b·time)², and what it was learned from."""

    a_us: float
    b: float
    cases: Mapping[str, CaseSpread]
    held_out: tuple[HeldOut, ...]
    processes: int
    suites: tuple[str, ...]
    first: str  # when the first of the runs started, UTC
    last: str
    device: str
    uuid: str
    driver: str
    sentinels: str  # version of the frozen kernels that the offsets of the processes were taken from
    rule: int  # version of what a and b mean
    settings: Mapping[str, float]  # how the runs were sampled
    schema: int = SCHEMA

    @property
    def fewest(self) -> int | None:
        """The fewest processes a side from which on the held-out comparisons raised no alarms; None if all did."""
        good = None
        for check in sorted(self.held_out, key=lambda check: -check.processes):
            if check.alarmed > ALARMS:
                break
            good = check.processes
        return good

    def to_json(self) -> str:
        """Return the text of the file."""
        content = asdict(self)
        content["held_out"] = {str(check.pop("processes")): check for check in content["held_out"]}
        return json.dumps({"schema": content.pop("schema"), **content}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, path: Path) -> Learned:
        """Read the text of the file at `path`; ResultsError where it is of a newer schema, or no such text."""
        top = Fields.parse(text, path)
        schema = top.integer("schema")
        if schema > SCHEMA:
            raise ResultsError(
                f"{path} has schema {schema}, and this shflbench reads schemas up to {SCHEMA}",
                "read it with a newer one: pip install --upgrade shflbench",
            )
        cases, checks, settings = top.part("cases"), top.part("held_out"), top.part("settings")
        return cls(
            a_us=_above_0(top, "a_us"),
            b=_above_0(top, "b"),
            cases={name: _case(cases.part(name)) for name in cases.content},
            held_out=tuple(_held_out(checks, name) for name in checks.content),
            processes=top.integer("processes"),
            suites=top.texts("suites"),
            first=top.text("first"),
            last=top.text("last"),
            device=top.text("device"),
            uuid=top.text("uuid"),
            driver=top.text("driver"),
            sentinels=top.text("sentinels"),
            rule=top.integer("rule"),
            settings={name: _number(settings, name) for name in settings.content},
            schema=schema,
        )


def write(folder: Path, learned: Learned) -> Path:
    """Keep what was learned among the baselines in `folder`, in place of what was known of this GPU; return the file.

    ResultsError where it cannot be written; then what was there is there still.
    """
    path = folder / NOISE / f"{gpu_slug(learned.device)}{_ending(learned.uuid)}"
    with files.writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, learned.to_json().encode())
    return path


def read(path: Path) -> Learned:
    """Read the file at `path`; ResultsError, which names file and key, where it is missing, damaged or newer."""
    return Learned.from_json(files.text(files.read(path), path), path)


def find(folder: Path, uuid: str) -> Path | None:
    """Return the file of the GPU with this UUID among the baselines in `folder`; None where there is none."""
    ending = _ending(uuid)
    return next((path for path in sorted((folder / NOISE).glob("*.json")) if path.name.endswith(ending)), None)


def _ending(uuid: str) -> str:
    """Return how the name of a GPU's file ends."""
    digits = re.sub("[^0-9a-z]", "", uuid.lower().removeprefix("gpu-").removeprefix("mig-"))
    return f"-{digits[:8]}.json"


def _case(item: Fields) -> CaseSpread:
    variance, freedom = _number(item, "variance"), item.integer("freedom")
    if variance < 0:
        raise _wrong(item, "variance", variance, "0 or above")
    if freedom < 1:
        raise _wrong(item, "freedom", freedom, "1 or above")
    return CaseSpread(variance, freedom)


def _held_out(checks: Fields, name: str) -> HeldOut:
    item = checks.part(name)
    if not re.fullmatch("[1-9][0-9]{0,3}", name):
        raise ResultsError(f"{item.path}: `{item.where}` stands for no number of processes", AGAIN)
    return HeldOut(int(name), item.integer("draws"), _number(item, "alarmed"), _number(item, "undecided"))


def _number(item: Fields, key: str) -> float:
    value = item.optional_number(key)
    if value is None or not math.isfinite(value):
        raise _wrong(item, key, value, "a number")
    return value


def _above_0(item: Fields, key: str) -> float:
    value = _number(item, key)
    if value <= 0:
        raise _wrong(item, key, value, "above 0")
    return value


def _wrong(item: Fields, key: str, found: Json, allowed: str) -> ResultsError:
    return ResultsError(f"{item.path}: `{item.where}{key}` is {json.dumps(found)}, not {allowed}", AGAIN)
