"""One chart of a run before it is drawn: what it is called, what it shows, and how its page comes about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.output.plot.page import Page
    from shflbench.output.plot.subject import ChartSubject


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a pattern or of a whole run."""

    kind: str  # `time-by-words`
    subject: ChartSubject
    draw: Callable[[], Page]
    part: str = ""  # the end of the file's name, where a chart is split: `-f32`
    of_run: bool = False  # whether it is one of the whole run, whose name is its kind

    @property
    def name(self) -> str:
        """The name by which a suite declares it, without its part: `reduce-time-by-width`, `limits`."""
        return self.kind if self.of_run else f"{self.subject.pattern}-{self.kind}"

    @property
    def file_name(self) -> str:
        """The name of its file, without the format."""
        return re.sub(r"[^\w.-]", "_", f"{self.name}{self.part}")
