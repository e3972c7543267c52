"""Subjects for the tests of charts, made without the disk, and the texts and points of a drawn page."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.text import Text

from shflbench.core.model import Sample
from shflbench.output.plot.page import Page
from shflbench.output.plot.subject import ChartSubject, caption_of
from shflbench.store import Row
from shflbench.store.columns import SAMPLE_COLUMNS
from tests.fakes.runs import info, measured

SWEEP = tuple(f"{grid} x {block}" for grid in ("1", "sms", "2*sms") for block in (32, 256, 1024))


def rows(
    *dtypes: str, pattern: str = "neighbor", launches: Sequence[str] = ("26x1024",), options: Sequence[str] = ("",)
) -> list[Row]:
    """Return the timed rows of one pattern; f32 if nothing else is named."""
    return measured(patterns=[pattern], dtypes=dtypes or ["f32"], launches=launches, options=options, samples=12)[0]


def subject(rows: Iterable[Row], samples: Iterable[Sample] = ()) -> ChartSubject:
    """Return the subject that the rows and samples of one pattern make."""
    cases = tuple(rows)
    frame = pd.DataFrame([asdict(sample) for sample in samples], columns=list(SAMPLE_COLUMNS))
    return ChartSubject(cases[0].pattern, cases, frame, 0, caption_of(info()))


def texts(page: Page) -> list[str]:
    """Return every text on the page."""
    return [item.get_text() for item in page.figure.findobj(Text) if item.get_text()]


def points(line: Line2D) -> tuple[list[float], list[float]]:
    """Return where the line's points are: x and y."""
    return np.asarray(line.get_xdata(), float).tolist(), np.asarray(line.get_ydata(), float).tolist()
