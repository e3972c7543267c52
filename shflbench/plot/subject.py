"""What a chart is about: the rows and samples of one pattern of one run, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from shflbench.store import Row, Run, RunInfo

Setting = tuple[str, str, int, str]  # dtype, launch, iterations, options: what a group's cases share
_LAUNCH = 1  # the place of the launch in it


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One pattern of one run."""

    pattern: str
    rows: tuple[Row, ...]  # in the order of the suite
    samples: pd.DataFrame  # those that the rows' times come from, in the order in which they were taken
    dropped: int  # samples left out because the GPU was throttled
    caption: str

    @property
    def timed(self) -> tuple[Row, ...]:
        """The rows that have a time."""
        return tuple(row for row in self.rows if row.time_us is not None)

    @property
    def launches(self) -> tuple[str, ...]:
        """The launch expressions, each once, in the order of the suite."""
        return tuple(dict.fromkeys(row.launch for row in self.rows))

    @property
    def baseline(self) -> str | None:
        """The variant that the speed-ups refer to, as far as a row says so."""
        return next((row.baseline for row in self.rows if row.baseline), None)

    @property
    def groups(self) -> tuple[tuple[Row, ...], ...]:
        """The rows that differ in variant only, group by group."""
        found: dict[Setting, list[Row]] = {}
        for row in self.rows:
            found.setdefault(setting(row), []).append(row)
        return tuple(tuple(rows) for rows in found.values())

    @property
    def shared_setting(self) -> str:
        """What all rows have in common, in words: `26x1024, 4096 iterations`."""
        return _words(_shared({setting(row) for row in self.rows}))

    def own_setting(self, row: Row, *, launch: bool = True) -> str:
        """Return what sets the row's group apart from the others, in words: `f64`; empty for the only group.

        Without `launch`, for a chart that shows the launch in another way, it is left out.
        """
        shared = _shared({setting(other) for other in self.rows})
        parts: tuple[str | int | None, ...] = setting(row)
        own = [None if common else part for part, common in zip(parts, shared, strict=True)]
        if not launch:
            own[_LAUNCH] = None
        return _words(own)

    def name_of(self, row: Row) -> str:
        """Return what to call the row where no heading says its group: `smem, f64`."""
        return ", ".join(filter(None, (row.variant, self.own_setting(row))))


def subjects(run: Run) -> list[Subject]:
    """Return one subject for each pattern of the run that has a time, in the order of the suite."""
    patterns = dict.fromkeys(row.pattern for row in run.rows if row.time_us is not None)
    samples = run.samples()
    caption = origin(run.info)
    return [_subject(pattern, run.rows, samples, caption) for pattern in patterns]


def _subject(pattern: str, rows: Iterable[Row], samples: pd.DataFrame, caption: str) -> Subject:
    own = tuple(row for row in rows if row.pattern == pattern)
    asked = samples["case_id"].map({row.case_id: row.iterations for row in own if row.time_us is not None})
    at_asked = samples[samples["iterations"] == asked]
    kept = at_asked[~at_asked["dropped"]].sort_values(["process", "round", "sample"], kind="stable")
    return Subject(pattern, own, kept, len(at_asked) - len(kept), caption)


def origin(info: RunInfo) -> str:
    """Return the caption: device, driver, suite, date and version, for a reader who has the chart alone."""
    device, versions = info.device, info.versions
    parts = [
        f"{device.name} ({device.arch})" if device else info.arch,
        f"driver {versions.driver}" if versions.driver else "",
        f"CUDA {versions.cuda}" if versions.cuda else "",
        f"suite {info.suite.name}",
        f"run of {info.started[:10]}",
        f"shflbench {versions.shflbench}",
    ]
    return " · ".join(part for part in parts if part)


def setting(row: Row) -> Setting:
    """Return what the cases of the row's group share."""
    return row.dtype, row.launch, row.iterations, row.options


def untimed_notes(rows: Sequence[Row], most: int = 6) -> list[str]:
    """Return a sentence for each variant that has no time somewhere, and why; at most `most`, then how many more."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.time_us is None:
            found.setdefault((row.variant, why_untimed(row)), []).append(row)
    notes = [f"No time for {variant}{_where(cases)}: {why}" for (variant, why), cases in found.items()]
    if len(notes) > most:
        notes[most:] = [f"… and {len(notes) - most} more, in results.csv"]
    return notes


def why_untimed(row: Row) -> str:
    """Return why the row has no time, in words: `skipped: needs sm_80`."""
    return f"{row.status}: {row.reason}" if row.reason else f"{row.status}, not timed"


def _where(cases: Sequence[Row]) -> str:
    if len(cases) == 1:
        return f" ({cases[0].dtype}, {cases[0].launch})"
    return f" in {len(cases)} cases"


def _shared(settings: set[Setting]) -> list[str | int | None]:
    """Return the settings' common parts, None in the place of those that vary."""
    return [values.pop() if len(values) == 1 else None for values in map(set, zip(*settings, strict=True))]


def _words(parts: Iterable[str | int | None]) -> str:
    dtype, launch, iterations, options = parts
    words = (dtype, launch, f"{iterations} iterations" if iterations else None, options)
    return ", ".join(str(word) for word in words if word)
