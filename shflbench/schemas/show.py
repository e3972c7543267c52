"""The JSON of `shflbench show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER, MachineNoise
from shflbench.core.json_schema import ColumnsOf
from shflbench.store.columns import Row

SCHEMA: Final = 1
ABOUT = "A list with an object per run: its cases. Null is unknown."


class ShownRun(TypedDict):
    """A run."""

    schema: Annotated[Literal[1], NUMBER]
    folder: Annotated[str, "folder of the run"]
    suite: Annotated[str, "name of the suite"]
    device: Annotated[str | None, "product name of the GPU; null without one"]
    driver: Annotated[str | None, "version of the driver"]
    nvrtc: Annotated[str | None, "version of the compiler"]
    started: Annotated[str, "when it started, UTC"]
    finished: Annotated[str | None, "when it ended, UTC; null if it is unfinished"]
    noise: Annotated[MachineNoise | None, "verdict on the machine; null if nothing was timed"]
    cases: Annotated[
        Sequence[Annotated[dict[str, Any], ColumnsOf(Row, {"options": Mapping[str, str]})]],
        "the cases, with the columns of results.csv; what these join by `;` is a list, or an object by name",
    ]


DOCUMENTS = (Sequence[ShownRun],)
