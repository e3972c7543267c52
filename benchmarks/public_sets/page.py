"""The page on all sets, in Markdown, and the same figures as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.public_sets.listings import differing_kinds, excluded, sources, wrong
from benchmarks.public_sets.published import comparison
from benchmarks.public_sets.sets import part_of
from benchmarks.public_sets.tables import costs, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.tables import SetOutcomes

PAGE = """\
# `check` on public sets

Written by `python -m benchmarks.public_sets --record`; do not edit.

Each file is given to `check` unchanged, with the launch in its own header and the arguments in
`benchmarks/public_sets/arguments`; compiled with {compilers}. A third of each set, drawn by the hash of the path, was
held out: it was opened to read its truth and to write its arguments, never to write `check`, and its figures stand
apart.

{table}

- **files**: `.cu` files with a kernel and a legal launch, without the excluded features (below).
- **taken**: compiled and run. Shares are of all files that count.
- **right**: sound called clean (or schedule-dependent), or a bug called broken. Bugs that change no result (a race
  that writes equal values, an uninitialized value that reaches no output, a barrier that threads skip by ending) are
  right as doubtful, too.
- **doubtful**: other files that are called doubtful.

Where the truth comes from:

{sources}

Where two readers differed, and what was decided: `benchmarks/public_sets/truth/differences.md`.

{races}

## Time and memory

CPU time of one file, with the start of Python and the compiler; on {machine}, two files at a time.

{costs}

## Bugs of another kind

Files that are called broken, as they are, but for findings that do not show the kind of bug that was read:

{kinds}

## Files whose verdict is not right

{wrong}

## Excluded files

{excluded}

`bug in host code only`: `check` judges kernels, and reads of the host code no more than launches and arguments.
"""
RACES = """\
## Races in Indigo

HiRace's authors ran the files on whole graphs, 1024 blocks of 256 threads on a GPU: 580 kernels, 346 with a race
(Jacobson, Burtscher and Gopalakrishnan, *HiRace*, SC24, Table I, graph DAG_100n_200e; also `table1.png` of the
artifact). `check` runs the files of the artifact on a part of this graph, without a GPU{compiler}.

"""


def page(sets: Sequence[SetOutcomes]) -> str:
    """Return the Markdown page."""
    results = [outcome.result for one in sets for outcome in one.outcomes]
    return PAGE.format(
        compilers=" and with ".join(sorted({result.compiler for result in results if result.compiler})) or "nothing",
        table=table(sets),
        sources="\n".join(sources(sets)),
        races=_races(sets),
        machine=machine(),
        costs=costs(sets),
        kinds="\n".join(differing_kinds(sets)),
        wrong="\n".join(wrong(sets)),
        excluded="\n".join(excluded(sets)),
    ).replace("\n\n\n\n", "\n\n")


def _races(sets: Sequence[SetOutcomes]) -> str:
    indigo = [one for one in sets if one.public.name == "indigo"]
    if not indigo:
        return ""
    compiler = f", compiled with {indigo[0].compiler}" if len(indigo) > 1 else ""
    return RACES.format(compiler=compiler) + comparison(indigo[0].outcomes)


def machine(cpu: Path = Path("/proc/cpuinfo")) -> str:
    """Return the class of this machine: its number of cores and, on Linux, their model."""
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{os.cpu_count()} cores{f' of {model}' if model else ''}"


def record(sets: Sequence[SetOutcomes]) -> str:
    """Return all outcomes and exclusions as JSON."""
    return json.dumps({"machine": machine(), "sets": [_set_record(one) for one in sets]}, indent=1) + "\n"


def _set_record(one: SetOutcomes) -> dict[str, Any]:
    files = [
        {
            "path": outcome.path,
            "part": part_of(outcome.path),
            "truth": outcome.truth.kind,
            "verdict": outcome.verdict,
            "outcome": outcome.outcome,
            "reason": outcome.reason,
            "findings": outcome.kinds,
            "cpu_seconds": outcome.result.cpu_seconds,
            "seconds": outcome.result.seconds,
            "megabytes": outcome.result.megabytes,
        }
        for outcome in sorted(one.outcomes, key=lambda item: item.path)
    ]
    exclusions = {path: f"{item.rule}: {item.detail}" for path, item in sorted(one.excluded.items())}
    return {
        "set": one.public.name,
        "commit": one.public.commit,
        "compiler": one.compiler,
        "files": files,
        "excluded": exclusions,
    }
