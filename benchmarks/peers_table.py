"""The rows that the comparison with libraries records, and the table and page that are made of them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from benchmarks.peers_works import Work
from shflbench.grouping import group_by
from shflbench.statistics import median_interval, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.model import Interval

OURS, PEER, BANDWIDTH = "ours", "peer", "bandwidth"  # kinds of subjects
BAR = 0.97  # of the throughput of the best peer

PAGE = """\
# The same work by libraries

Written by `python -m benchmarks.peers --record`; do not edit.

- {device}, driver {driver}, CUDA {cuda}
- shflbench {shflbench}, {libraries}
- {day}

## How

- All subjects of a line work on the same array on the same GPU. Results are verified first: against the reference of
  our pattern, with an error of at most {tolerances} of the largest value.
- Outputs and workspaces are allocated before. Each call is captured in a CUDA graph, ours after the `memset` of a
  result that it adds to; a sample is one replay between two CUDA events, and starts with none of its data in the L2
  cache. Replays are interleaved, in another order in each of {rounds} rounds.
- GB/s are of the useful bytes: an array that is read, or read and written, at the median time. A ratio has the 95%
  interval that follows from those of both medians. `stream` is our kernel that only reads (for sums) or copies as many
  bytes, by 16 bytes per load.

## Results

{table}

{verdict}
"""


class RowError(Exception):
    """A record that cannot be used, as a sentence."""


@dataclass(frozen=True, slots=True)
class PeerRow:
    """One subject of one work."""

    function: str
    dtype: str
    length: int  # of a row; 0: the array has no rows
    array_bytes: int
    name: str
    kind: str
    nbytes: int  # useful bytes
    samples_us: tuple[float, ...]  # empty: not timed
    problem: str  # why it was not timed; empty otherwise

    @property
    def work(self) -> Work:
        """The work."""
        return Work(self.function, self.dtype, self.length, self.array_bytes)

    @property
    def time_us(self) -> Interval:
        """The median time with its 95% interval; ValueError without samples."""
        return median_interval(self.samples_us)

    @property
    def gb_per_s(self) -> float:
        """The throughput at the median time."""
        return self.nbytes / self.time_us.value / 1000


def write(rows: Iterable[PeerRow]) -> str:
    """Return one line of JSON per row."""
    return "".join(json.dumps(asdict(row)) + "\n" for row in rows)


def read(text: str) -> list[PeerRow]:
    """Return the rows of lines of JSON; RowError names the line that is none."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            fields = json.loads(line)
            rows.append(PeerRow(**{**fields, "samples_us": tuple(map(float, fields["samples_us"]))}))
        except (ValueError, TypeError, KeyError) as error:
            raise RowError(f"line {number} is no row of this program: {error}") from error
    return rows


@dataclass(frozen=True, slots=True)
class Comparison:
    """One work: the fastest of our kernels, the fastest peer, and all that was not timed."""

    work: Work
    ours: PeerRow | None
    peer: PeerRow | None
    bandwidth: PeerRow | None
    problems: tuple[PeerRow, ...]

    @property
    def share_of_peer(self) -> Interval | None:
        """Our throughput as a fraction of the fastest peer's; None if one is missing."""
        return ratio(self.peer.time_us, self.ours.time_us) if self.ours and self.peer else None

    @property
    def share_of_bandwidth(self) -> float | None:
        """Our throughput as a fraction of that of `stream`; None if one is missing."""
        return self.ours.gb_per_s / self.bandwidth.gb_per_s if self.ours and self.bandwidth else None


def comparisons(rows: Sequence[PeerRow]) -> list[Comparison]:
    """Return a comparison for each work, in the order of the rows."""
    return [_comparison(work, of_work) for work, of_work in group_by(rows, lambda row: row.work).items()]


def _comparison(work: Work, rows: Sequence[PeerRow]) -> Comparison:
    fastest: dict[str, PeerRow | None] = {}
    for kind in (OURS, PEER, BANDWIDTH):
        timed = [row for row in rows if row.kind == kind and row.samples_us]
        fastest[kind] = min(timed, key=lambda row: row.time_us.value, default=None)
    problems = tuple(row for row in rows if row.problem)
    return Comparison(work, fastest[OURS], fastest[PEER], fastest[BANDWIDTH], problems)


def table(compared: Sequence[Comparison]) -> str:
    """Return a Markdown table with a line per work."""
    lines = [
        "| work | our fastest kernel | GB/s | fastest peer | GB/s | ours / peer | `stream`, GB/s | ours / stream |",
        "|---|---|--:|---|--:|--:|--:|--:|",
    ]
    lines += [f"| {' | '.join(_cells(one))} |" for one in compared]
    return "\n".join(lines)


def _cells(one: Comparison) -> Iterator[str]:
    yield one.work.name
    for row in (one.ours, one.peer):
        yield f"`{row.name}`" if row else "–"
        yield f"{row.gb_per_s:.0f}" if row else "–"
    share = one.share_of_peer
    yield f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})" if share else "–"
    yield f"{one.bandwidth.gb_per_s:.0f}" if one.bandwidth else "–"
    yield "–" if one.share_of_bandwidth is None else f"{one.share_of_bandwidth:.3f}"


def verdict(compared: Sequence[Comparison]) -> str:
    """Return how many works reach the bar, which do not, and what was not timed."""
    shares = {one.work.name: one.share_of_peer.value for one in compared if one.share_of_peer}
    missed = [f"{name} ({share:.3f})" for name, share in shares.items() if share < BAR]
    lines = [f"- {len(shares) - len(missed)} of {len(shares)} reach {BAR} of the throughput of the fastest peer"]
    lines += [f"- below: {name}" for name in missed]
    lines += [f"- not timed: {one.work.name}, `{row.name}`: {row.problem}" for one in compared for row in one.problems]
    return "\n".join(lines)


def page(rows: Sequence[PeerRow], facts: Mapping[str, str]) -> str:
    """Return the page; `facts` has the device, the versions and the date."""
    compared = comparisons(rows)
    tolerances = ", ".join(
        f"{one.tolerance:.2g} ({words})"
        for words, one in {f"{row.function} {row.dtype}": row.work for row in rows}.items()
    )
    rounds = str(max((len(row.samples_us) for row in rows), default=0))
    return PAGE.format(**facts, tolerances=tolerances, rounds=rounds, table=table(compared), verdict=verdict(compared))
