"""The JSON of `shflbench history show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "`history show --format json`: the changes of each suite on each GPU, and the level of each case."


class MomentObject(TypedDict):
    """A run."""

    started: Annotated[str, "when it started, UTC, ISO 8601"]
    commit: Annotated[str, "revision that it measured; empty if unknown"]
    dirty: Annotated[bool, "whether files differed from the commit"]


class RecordedObject(TypedDict):
    """A value that differs between the runs before and after."""

    name: Annotated[str, "what it is, such as registers or driver"]
    before: Annotated[str, "value before"]
    after: Annotated[str, "value after"]


class HistoryCauseObject(TypedDict):
    """A likely cause of a change."""

    label: Annotated[
        str,
        "code, compiler, `code or compiler`, launch, driver, GPU, method, environment, unexplained or unknown",
    ]
    changes: Annotated[Sequence[RecordedObject], "what was recorded of it"]
    moved: Annotated[int, "of the environment: other cases with the same machine code that moved likewise"]
    others: Annotated[int, "of so many"]


class MarkObject(TypedDict):
    """What somebody recorded about a change."""

    kind: Annotated[str, "intended, known or ignore"]
    reason: Annotated[str, "why"]


class StepObject(TypedDict):
    """A step or a drift of one case."""

    case: Annotated[str, "id"]
    kind: Annotated[str, "step, or drift, which goes on slowly"]
    ratio: Annotated[float, "time after divided by time before"]
    low: Annotated[float, "lower end of its 95% interval"]
    high: Annotated[float, "upper end of its 95% interval"]
    per_month: Annotated[float | None, "of a drift: factor of the time in 30 days"]
    before_us: Annotated[float, "level before, µs"]
    after_us: Annotated[float, "level after, µs"]
    old: Annotated[MomentObject, "last run of the old level; of a drift, its beginning"]
    first: Annotated[MomentObject, "first run of the new level"]
    seen: Annotated[MomentObject, "run that raised the alarm"]
    named: Annotated[MomentObject | None, "run that showed that it is a drift"]
    causes: Annotated[Sequence[HistoryCauseObject], "what changed with it"]
    mark: Annotated[MarkObject | None, "what somebody recorded about it"]


class LikelyObject(TypedDict):
    """A change that the last runs suggest, and too few of them."""

    case: Annotated[str, "id"]
    ratio: Annotated[float, "time divided by that before"]
    first: Annotated[MomentObject, "first run of the new level"]
    runs: Annotated[int, "runs so far"]
    needed: Annotated[int, "runs that are needed"]


class LevelObject(TypedDict):
    """The time of a case in its last runs."""

    case: Annotated[str, "id"]
    time_us: Annotated[float | None, "median of up to 30 last runs of its level, µs; null if it was never timed"]
    error: Annotated[float | None, "half its 95% interval as a fraction"]
    runs: Annotated[int, "runs in which it was timed"]
    since: Annotated[MomentObject | None, "first run of the level"]
    last: Annotated[MomentObject, "last run that has the case"]
    status: Annotated[str, "status in that run"]


class BridgeObject(TypedDict):
    """A GPU in the place of another."""

    old: Annotated[str, "UUID"]
    new: Annotated[str, "UUID"]
    commit: Annotated[str, "that both measured and that joins them; empty: the series begin anew"]
    commits: Annotated[int, "number of commits that both measured, whose median ratios are used"]
    ratios: Annotated[Sequence[float], "time on the new GPU divided by that on the old one, of the joined cases"]


class SuiteHistoryObject(TypedDict):
    """One suite on one GPU, or on several that replaced one another."""

    suite: Annotated[str, "name"]
    gpu: Annotated[str, "UUID of the first GPU"]
    gpu_name: Annotated[str, "product name of the last GPU"]
    runs: Annotated[Sequence[MomentObject], "all runs"]
    bridges: Annotated[Sequence[BridgeObject], "GPUs that replaced one another"]
    offset_change_us: Annotated[
        float, "µs that launches take longer than in the first runs, by the sentinels; it is subtracted from all times"
    ]
    changes: Annotated[Sequence[StepObject], "steps and drifts by their first run"]
    likely: Annotated[Sequence[LikelyObject], "changes that need further runs"]
    levels: Annotated[Sequence[LevelObject], "level of each case"]


class HistoryDocument(TypedDict):
    """What a history shows."""

    schema: Annotated[Literal[1], NUMBER]
    suites: Annotated[Sequence[SuiteHistoryObject], "by suite and GPU"]


DOCUMENTS = (HistoryDocument,)
