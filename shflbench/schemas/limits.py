"""The JSON of `shflbench limits`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER
from shflbench.core.json_schema import ColumnsOf
from shflbench.store.limits_file import CaseLimit

SCHEMA: Final = 1
ABOUT = "A list with an object per run: for each timed case the least time that the hardware allows. Null is unknown."


class RunLimits(TypedDict):
    """The limits of a run."""

    schema: Annotated[Literal[1], NUMBER]
    folder: Annotated[str, "folder of the run"]
    suite: Annotated[str, "name of the suite"]
    cases: Annotated[
        Sequence[Annotated[dict[str, Any], ColumnsOf(CaseLimit)]], "the timed cases, with the columns of limits.csv"
    ]


DOCUMENTS = (Sequence[RunLimits],)
