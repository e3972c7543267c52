"""The content of a report, as text and numbers: the templates decide how it looks and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table: its text, and what a column of numbers is sorted by."""

    text: str
    key: float | None = None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table."""

    name: str
    is_number: bool = False
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class SortableTable:
    """A table that sorts and filters."""

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    marks: tuple[str, ...] = ()  # of each row, a name for its look: a mechanism, or an outcome; or none at all


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """Which variant to use for one pattern and element type on one GPU."""

    gpu: str
    suite: str
    pattern: str
    anchor: str  # of the pattern's section
    dtype: str
    use: str
    mechanism: str
    outcome: str  # clear, tie, undecided or depends
    setting: str  # that stands for the pattern: speeds and the limit are those at it
    over_next: str  # its speed relative to `next_best`
    over_next_key: float | None
    next_best: str  # the fastest clearly slower candidate of another mechanism; without one, of its own
    over_baseline: str
    over_baseline_key: float | None
    baseline: str
    settings: str  # in which it leads, alone or in a tie, of how many
    share: float  # likewise, as a fraction
    exceptions: str  # where another variant is as fast or faster
    limit: str  # how much of the limit it reaches
    limit_by: str
    limit_key: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOnGpus:
    """The answers for one pattern and element type on several GPUs."""

    pattern: str
    anchor: str  # of the pattern's section
    dtype: str
    answers: tuple[AnswerLine | None, ...]  # in the order of the report's GPUs; None without results
    agreement: str  # same, differs, undecided; empty with results of one GPU alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A variant's time in a bar chart; positions are percentages of the chart's width."""

    variant: str
    mechanism: str
    is_safe: bool
    length: float
    low: float | None
    high: float | None
    limit_at: float | None
    time: str
    speed: str
    limit: str
    note: str = ""  # why there is no time


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """The times of the variants in one setting."""

    caption: str
    quantity: str
    baseline: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedStrip:
    """A variant's speeds in all settings, relative to the baseline; positions are percentages of the chart's width."""

    variant: str
    mechanism: str
    is_safe: bool
    points: tuple[float, ...]
    low: float
    high: float
    speeds: str
    settings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StripChart:
    """The speeds of the variants in all settings of a pattern."""

    caption: str
    baseline: str
    ticks: tuple[tuple[float, str], ...]
    strips: tuple[SpeedStrip, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelText:
    """The code of one variant, with what the compiler made of it."""

    variant: str
    mechanism: str
    is_safe: bool
    origin: str  # the unit, and what it was compiled for
    pieces: tuple[tuple[str, str], ...]  # class of a token, and its text
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HeaderText:
    """A header that kernels share, which the report shows once, below the patterns if several include it."""

    name: str
    anchor: str  # the id of its text: two patterns can include different files of one name
    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLine:
    """A claim with its verdict."""

    id: str
    says: str
    source: str
    figure: str
    measured: str
    verdict: str
    sentence: str
    why: str
    gpu: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternOnGpu:
    """What one GPU shows of a pattern."""

    gpu: str
    sentences: tuple[str, ...]
    bars: BarChart | None
    strips: StripChart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSection:
    """All about one pattern."""

    name: str
    anchor: str
    on_gpus: tuple[PatternOnGpu, ...]
    kernels: tuple[KernelText, ...]
    headers: tuple[HeaderText, ...]
    claims: tuple[ClaimLine, ...]
    cases: SortableTable | None  # timed
    others: SortableTable | None  # emulated, or compiled only: without a column of times


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbors:
    """How a run differs from the one before it."""

    base: str
    new: str
    headline: str
    reason: str = ""  # why they cannot be compared
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Several runs of one suite, newest last."""

    suite: str
    runs: tuple[str, ...]
    neighbors: tuple[Neighbors, ...]
    table: SortableTable
    omitted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCard:
    """Where a run is from."""

    label: str
    suite: str
    title: str
    facts: Mapping[str, str]
    is_quiet: bool
    verdict: str  # on the machine: quiet, busy GPU, …
    noise: str  # what it is based on
    notes: tuple[str, ...]
    is_timed: bool
    is_newest: bool  # of its suite on its GPU: the answers are from it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContent:
    """The whole report."""

    title: str
    sentences: tuple[str, ...]
    answers: tuple[AnswerLine, ...]
    on_gpus: tuple[AnswersOnGpus, ...]  # the same answers side by side; empty for one GPU
    patterns: tuple[PatternSection, ...]
    headers: tuple[HeaderText, ...]  # that several patterns include
    series: tuple[Series, ...]
    claims: tuple[ClaimLine, ...]
    runs: tuple[RunCard, ...]
    gpus: tuple[str, ...]
    version: str
