"""The page on the pairs: a line per pair, and why ratios differ."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from benchmarks.bench_pairs.pairs import Pair, pairs
from benchmarks.common.pages import UNKNOWN, table, written_by

HEAD = ("pair", "kernels", "L2", "program", "clean L2", "bench [95%]", "difference", "program µs", "bench µs")
BLOCK_HEAD = ("pair", "block", "program", "clean L2", "bench", "difference")
BAR = 0.03  # of the own program's ratio
USUAL_BLOCK = "256"

# What was found about ratios that differ by more, also with a clean L2 cache.
SHORT = (
    "Its second kernel takes under 4 µs. The program starts a loop of launches between two events, and the start of "
    "each overlaps the end of the one before; a sample of bench is one launch between two events, or eight. The table "
    "shows 0.2 to 0.4 µs more per launch for other short kernels, too."
)
DIRTY = "The kernel writes back the dirty lines that memset left in L2, and its time includes that."
NOTES = {
    "samples-transpose": f"{SHORT} Its own three ratios are from 1.54 to 5.72 in one run of the program.",
    "blog-transpose": "As samples-transpose.",
    "samples-reduction": "The program reads the host's clock around a launch and a synchronization, which adds a cost "
    "to both times and brings their ratio closer to 1.",
    "hec-entropy": "`entropy` computes 0 × log2(0), which is NaN, and the program's own check lets NaN pass; "
    "`entropy_opt` writes numbers. bench reports unequal results (exit code 5) and does not rank the kernels.",
    "hec-gelu": "Both kernels work in place. The program launches them on what the launch before left, so that part of "
    "the data is in L2. bench copies the inputs back before each launch, which leaves other lines in L2.",
}

TEXT = """\
# Ratios of `bench` and of programs that time their own kernels

{written}

- {device}, shflbench {version} at {commit}, {day}{note}
- {count} pairs of kernels of public repositories:
{repositories}.
- The list, `benchmarks/bench_pairs/pairs.json`, was fixed before the first run. {few} of the {count} need at most one
  kind of option.

## How

- The programs are those of the repositories. They were compiled without their calls of cuBLAS. Those of llm.c and
  cuda-samples were changed to run the two kernels of the pair in turn, three times, with fewer launches per time for
  the slow ones; how they time did not change. hec-cross and hec-convolution1D time one type, and samples-reduction
  one launch without the further passes of the sum.
- A ratio is the time of the first kernel divided by that of the second one. For a program it is the median of three.
- **Program** is the program as it is. llm.c empties the L2 cache by memset before each launch, so that it is full of
  dirty lines; bench fills it with clean lines. **Clean L2** is the same program with a read of another buffer, of four
  times the size of L2, behind the memset.
- A pair agrees if the ratio of bench is within {bar:.0%} of the program's, at the block of 256 threads where there are
  several.

## Results

{results}

{as_it_is} of {count} agree with the program as it is, and {agree} of {count} if the L2 cache is clean in both.

## Why the others differ

{notes}

## All sizes of blocks

{blocks}
"""


def text(record: dict[str, Any]) -> str:
    """Return the page for a record of `--run`."""
    measured = {item["id"]: item for item in record["pairs"]}
    lines = [_Line(pair, measured[pair.id]) for pair in pairs() if pair.id in measured]
    sources = sorted({tuple(line.pair.source.split("@")) for line in lines})
    dirty = (line for line in lines if line.agrees("clean") and not line.agrees("own"))
    only = ", ".join(f"{line.pair.id} ({line.difference('own', line.block):+.1%})" for line in dirty)
    notes = [f"**Only from the program as it is**: {only}. {DIRTY}"]
    notes += (f"**{one.pair.id}**: {NOTES.get(one.pair.id, 'Not known.')}" for one in lines if not one.agrees("clean"))
    return TEXT.format(
        written=written_by("bench_pairs"),
        **{name: record[name] for name in ("device", "version", "day")},
        commit=record["commit"][:12],
        note=f"\n- {record['note']}" if record.get("note") else "",
        count=len(lines),
        repositories=",\n".join(f"  {name} at {commit[:12]}" for name, commit in sources),
        few=sum(line.pair.kinds_of_options <= 1 for line in lines),
        bar=BAR,
        results=table(HEAD, (line.cells() for line in lines), 3),
        as_it_is=sum(line.agrees("own") for line in lines),
        agree=sum(line.agrees("clean") for line in lines),
        notes="\n".join(
            textwrap.fill(note, 119, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
            for note in notes
        ),
        blocks=table(BLOCK_HEAD, (cells for line in lines if line.pair.by_block for cells in line.of_blocks())),
    )


class _Line:
    """A pair with what was measured of it."""

    def __init__(self, pair: Pair, measured: dict[str, Any]) -> None:
        self.pair = pair
        self.own: dict[str, Any] = measured["own"]
        self.clean: dict[str, Any] = measured.get("clean") or {}
        self.bench: dict[str, Any] = measured["bench"]["groups"]
        self.blocks = sorted((key for key in self.own if key in self.bench), key=lambda key: int(key or 0))
        self.block = USUAL_BLOCK if USUAL_BLOCK in self.blocks else (self.blocks or [""])[-1]

    def difference(self, of: str, block: str) -> float | None:
        """Return by what share the ratio of bench differs from that of the program, `own` or `clean`."""
        program = (self.clean if of == "clean" and self.clean else self.own).get(block)
        group = self.bench.get(block)
        return group["ratio"] / program["ratio"] - 1 if program and group else None

    def agrees(self, of: str) -> bool:
        """Whether the ratios agree at the block that counts."""
        difference = self.difference(of, self.block)
        return difference is not None and abs(difference) <= BAR

    def cells(self) -> list[str]:
        """Return the line of the first table."""
        group, own, clean = (known.get(self.block, {}) for known in (self.bench, self.own, self.clean))
        difference = self.difference("clean", self.block)
        ends = f" [{group['low']:.4g}, {group['high']:.4g}]" if "low" in group else ""
        return [
            self.pair.id,
            ", ".join(f"`{name}`" for name in self.pair.kernels),
            self.pair.l2,
            *(_factor(own), _factor(clean), _factor(group) + ends),
            "not ranked" if difference is None else f"{difference:+.1%}",
            UNKNOWN if "rate" in self.pair.times[0] else _times(clean or own),
            _times(group),
        ]

    def of_blocks(self) -> Iterator[list[str]]:
        """Yield the lines of the second table."""
        for block in self.blocks:
            factors = map(_factor, (self.own[block], self.clean.get(block, {}), self.bench[block]))
            yield [self.pair.id, block, *factors, f"{self.difference('clean', block):+.1%}"]


def _factor(known: dict[str, float]) -> str:
    return f"{known['ratio']:.4g}×" if known else UNKNOWN


def _times(known: dict[str, float]) -> str:
    return f"{known['first_us']:.2f} / {known['second_us']:.2f}" if known else UNKNOWN
