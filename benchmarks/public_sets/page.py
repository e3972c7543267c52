"""The page on all sets, in Markdown, and the same figures as JSON."""

from __future__ import annotations

import json
from statistics import mode
from typing import TYPE_CHECKING, Any

from benchmarks.common.pages import written_by
from benchmarks.public_sets.listings import WRONG, differing_kinds, excluded, sources, wrong
from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.published import comparison, hidden_races
from benchmarks.public_sets.sets import part_of
from benchmarks.public_sets.tables import costs, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.tables import SetOutcomes

PAGE = """\
# `check` on public sets

{written}

Each file is given to `check` unchanged, with the launch in its own header and the arguments in
`benchmarks/public_sets/arguments`.
Compilers: {compilers}.

A third of each set, drawn by the hash of the path, is held out: its files were opened to read their truth and to write
their arguments, and were not used to improve `check`. There is one exception. A run of an earlier version had checked
about 200 held-out files when it was stopped. Its results were deleted, but the lines of the four smaller sets whose
verdicts were not right had been read. One was cuda-samples' `reduction_kernel.cu`, a sound file that was called broken
at derived launches. Later the rule on derived launches was changed, so this file does not count as held out: its part
is *seen*. Both readers call it sound, and the table keeps that. Its kernel `reduce7` shuffles values from lanes outside
of the mask, which CUDA leaves undefined (NVIDIA/cuda-samples issue 398, open since December 2025).{partial}

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

CPU time per file, with the start of Python and the compiler. The machine and the number of files that it checked at a
time are those of the recorded results.

{costs}

## Sound files called broken

{false_alarms}

## Bugs called clean

{false_cleans}

## Other files whose verdict is not right

{others}

## Bugs of another kind

Files that are called broken, as they are, but for findings that do not show the kind of bug that was read:

{kinds}

## Excluded files

{excluded}

`bug in host code only`: `check` judges kernels; of host code it reads launches and arguments only.
"""
PARTIAL = "\n\nThe results below are those of the tuning part alone."
RACES = """\
## Races in Indigo

HiRace's authors ran the kernels on whole graphs with 1024 blocks of 256 threads on a GPU: 580 kernels, 346 with a race
(Jacobson, Burtscher and Gopalakrishnan, *HiRace*, SC24, Table I, graph DAG_100n_200e; also `table1.png` of the
artifact). iGUARD and racecheck stand in the same table. `check` ran {files} files of the artifact on a part of this
graph, without a GPU. A race counts as found if a finding shows it; {hidden} called broken for other faults only.

{comparison}"""


def page(sets: Sequence[SetOutcomes]) -> str:
    """Return the Markdown page."""
    results = [outcome.result for one in sets for outcome in one.outcomes]
    bad = {Outcome.SOUND_BROKEN, Outcome.BUG_CLEAN}
    return PAGE.format(
        written=written_by("public_sets --record"),
        compilers=", ".join(sorted({result.compiler for result in results if result.compiler})) or "nothing",
        partial="" if any(one.complete for one in sets) else PARTIAL,
        table=table(sets),
        sources="\n".join(sources(sets)),
        races=_races(sets),
        costs=costs(sets),
        false_alarms="\n".join(wrong(sets, outcomes={Outcome.SOUND_BROKEN})),
        false_cleans="\n".join(wrong(sets, outcomes={Outcome.BUG_CLEAN})),
        others="\n".join(wrong(sets, outcomes={*WRONG} - bad)),
        kinds="\n".join(differing_kinds(sets)),
        excluded="\n".join(excluded(sets)),
    ).replace("\n\n\n\n", "\n\n")


def _races(sets: Sequence[SetOutcomes]) -> str:
    indigo = next((one for one in sets if one.public.name == "indigo"), None)
    if indigo is None:
        return ""
    hidden = hidden_races(indigo.outcomes)
    return RACES.format(
        files=len(indigo.outcomes),
        hidden=f"{hidden or 'no'} racy {'file is' if hidden <= 1 else 'files are'}",
        comparison=comparison(sets),
    )


def record(sets: Sequence[SetOutcomes]) -> str:
    """Return all outcomes and exclusions as JSON, a line per file.

    A file names its compiler and its machine where these are not the ones that most files of its set have.
    """
    return '{"sets": [\n' + ",\n".join(map(_set_record, sets)) + "\n]}\n"


def _set_record(one: SetOutcomes) -> str:
    exclusions = {path: f"{item.rule}: {item.detail}" for path, item in sorted(one.excluded.items())}
    usual = _usual(one)
    head = {"set": one.public.name, "commit": one.public.commit, "compiler": one.compiler, "usual": usual}
    records = [_file_record(outcome) for outcome in sorted(one.outcomes, key=lambda item: item.path)]
    files = [json.dumps({name: value for name, value in item.items() if usual.get(name) != value}) for item in records]
    return json.dumps({**head, "excluded": exclusions})[:-1] + ', "files": [\n' + ",\n".join(files) + "\n]}"


def _usual(one: SetOutcomes) -> dict[str, str]:
    """Return the compiler and the machine that most files of a set have."""
    results = [outcome.result for outcome in one.outcomes]
    if not results:
        return {}
    compilers, machines = ([getattr(result, name) for result in results] for name in ("compiler", "machine"))
    return {"compiler": mode(compilers), "machine": mode(machines)}


def _file_record(outcome: FileOutcome) -> dict[str, Any]:
    record = {
        "path": outcome.path,
        "part": part_of(outcome.path),
        "truth": outcome.truth.kind,
        "verdict": outcome.verdict,
        "outcome": outcome.outcome,
        "findings": outcome.kinds,
        "compiler": outcome.result.compiler,
        "machine": outcome.result.machine,
        "cpu_seconds": outcome.result.cpu_seconds,
        "megabytes": outcome.result.megabytes,
    }
    return record if outcome.outcome.right else {**record, "reason": outcome.reason}
