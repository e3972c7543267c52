"""Compare the winners of runs on two GPUs: `python -m benchmarks.winners PAGE RUN OTHER [RUN OTHER]...`.

Needs no GPU. A setting has the same winner if a variant leads on both GPUs: it is the fastest, or ties with it, by the
rule of every answer (`analysis.contest`). Library calls do not compete.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.contest import Contest, contests_of
from shflbench.store import Run, read_run

if TYPE_CHECKING:
    from collections.abc import Sequence

WANTED = 0.97  # of the settings
HEAD = """# The winners on two GPUs

Written by `python -m benchmarks.winners`; do not edit.

Two GPUs measured the same suite. A setting has the same winner if a variant leads on both: it is the fastest, or ties
with it, by the rule of every answer of shflbench. Library calls do not compete.

| suite | GPU | other GPU | settings | same winner | one leader on both | of these the same |
| --- | --- | --- | --: | --: | --: | --: |
"""
DIFFERENT = """
Settings whose winner differs, with what the leaders of one GPU lose on the other:

| setting | first GPU | second GPU | the first GPU's leader, on the second | the second GPU's leader, on the first |
| --- | --- | --- | --: | --: |
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """The contests of one suite that two GPUs held, setting by setting."""

    runs: tuple[Run, Run]
    contests: Sequence[tuple[Contest, Contest]]

    @property
    def different(self) -> list[tuple[Contest, Contest]]:
        """Those in which no variant leads on both."""
        return [(one, other) for one, other in self.contests if not {*one.variants} & {*other.variants}]

    @property
    def decided(self) -> list[tuple[Contest, Contest]]:
        """Those with one leader on each GPU."""
        return [pair for pair in self.contests if not any(contest.is_tie for contest in pair)]


def pair_of(run: Run, other: Run) -> Pair:
    """Return the contests that both runs have."""
    one, two = ({setting(item): item for item in contests_of(side.rows, RunTimes(side))} for side in (run, other))
    return Pair((run, other), [(contest, two[name]) for name, contest in one.items() if name in two])


def setting(contest: Contest) -> str:
    """Return the name of a case without its variant."""
    pattern, _, *others = contest.fastest.case_id.split("/")
    return "/".join((pattern, *others))


def summary(pair: Pair) -> str:
    """Return a line of the first table."""
    same = len(pair.contests) - len(pair.different)
    decided = pair.decided
    agreed = sum(one.variants == other.variants for one, other in decided)
    names = [f"{run.info.device.name}, {run.info.device.uuid}" for run in pair.runs if run.info.device]
    shares = [_share(same, len(pair.contests)), len(decided), _share(agreed, len(decided))]
    return _line(pair.runs[0].info.suite.name, *names, len(pair.contests), *shares)


def differences(pair: Pair) -> list[str]:
    """Return a line for each setting whose winner differs."""
    lines = []
    for one, other in pair.different:
        leaders = (", ".join(contest.variants) for contest in (one, other))
        losses = (_loss(one, other), _loss(other, one))
        lines.append(_line(f"`{setting(one)}`", *leaders, *losses))
    return lines


def _loss(contest: Contest, elsewhere: Contest) -> str:
    """Return how much longer the fastest of a contest takes than the fastest of another one, there."""
    (row,) = [row for row in elsewhere.rows if row.variant == contest.fastest.variant]
    return f"{elsewhere.slowdown(row, elsewhere.fastest).value - 1:+.1%}"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Write the page; the exit code is 1 if fewer settings than wanted have the same winner."""
    page, *folders = map(Path, sys.argv[1:])
    pairs = [pair_of(*map(read_run, two)) for two in zip(folders[::2], folders[1::2], strict=True)]
    text = HEAD + "\n".join(map(summary, pairs)) + "\n"
    if lines := [line for pair in pairs for line in differences(pair)]:
        text += DIFFERENT + "\n".join(lines) + "\n"
    page.write_text(text, encoding="utf-8")
    sys.exit(any(len(pair.different) > (1 - WANTED) * len(pair.contests) for pair in pairs))


if __name__ == "__main__":
    main()
