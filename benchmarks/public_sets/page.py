"""The record: the page on all sets, the same figures as JSON, and the tables in the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from statistics import mode
from typing import Any

from benchmarks.common.pages import bullets, written_by
from benchmarks.common.records import read_table
from benchmarks.public_sets.sets import Part, part_of
from benchmarks.public_sets.tables import SetOutcomes, comparison, costs, hidden_races, table
from benchmarks.public_sets.truth import FileOutcome, Outcome
from shflbench.errors import ResultsError

LIMITS = Path(__file__).with_name("limits.tsv")
WRONG = tuple(outcome for outcome in Outcome if not outcome.right)
RECORDED = Path(__file__).parent.with_name("public_sets.md")
EXPLANATION = RECORDED.parents[1] / "docs" / "explanation" / "how-often-check-is-right.md"
START, END = "<!-- tables of benchmarks/public_sets.md -->\n", "<!-- end of the tables -->"
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
at chosen launches. Later the rule on chosen launches was changed, so this file does not count as held out: its part
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


def excluded(sets: Sequence[SetOutcomes]) -> str:
    """Return a line per set: its commit, and how many files each rule excludes."""
    rules = {one.public: Counter(exclusion.rule for exclusion in one.excluded.values()) for one in sets}
    return bullets(
        f"{public.title} ({public.repository} at {public.commit[:7]}): "
        f"{', '.join(f'{rule} {count}' for rule, count in sorted(counts.items())) or 'none'}."
        for public, counts in rules.items()
    )


def sources(sets: Sequence[SetOutcomes]) -> str:
    """Return a line per set: where its truth comes from."""
    return bullets(f"{public.title}: {public.source}." for public in dict.fromkeys(one.public for one in sets))


def wrong(sets: Sequence[SetOutcomes], table: Path = LIMITS, outcomes: Collection[Outcome] = WRONG) -> str:
    """Return a line per file with one of these outcomes, with the truth, the reason of the verdict and the limit."""
    limits = {(row["set"], row["path"]): row["limit"] for row in read_table(table)} if table.exists() else {}

    def line(name: str, one: FileOutcome, compilers: str) -> str:
        limit = f" Limit: {limits.get((name, one.path), 'not stated.')}" if one.outcome is Outcome.BUG_CLEAN else ""
        part = "" if (part := part_of(one.path)) is Part.TUNING else f", {part}"
        report = f"({compilers}{part}). {_truth(one)} Report: {_sentence(one.reason)}{limit}"
        return f"**{one.outcome}** {name}/{one.path} {report}"

    return _listed(sets, lambda one: one.outcome in outcomes, line)


def differing_kinds(sets: Sequence[SetOutcomes]) -> str:
    """Return a line per bug that is called broken for findings of another kind than its truth."""

    def line(name: str, one: FileOutcome, compilers: str) -> str:
        kinds = ", ".join(one.kinds).lower().replace("_", " ")
        return f"{name}/{one.path} ({compilers}). {_truth(one)} Findings: {kinds}."

    return _listed(sets, lambda one: one.differs_in_kind, line)


def _truth(one: FileOutcome) -> str:
    return f"Truth: {one.truth.kind}: {_sentence(one.truth.reason)}"


def _sentence(text: str) -> str:
    return f"{text.rstrip('.')}."


def _listed(
    sets: Sequence[SetOutcomes], chosen: Callable[[FileOutcome], bool], line: Callable[[str, FileOutcome, str], str]
) -> str:
    """Return the lines of the files that are chosen, one line for both compilers where the outcome is the same."""
    kept: dict[tuple[str, Outcome, str], tuple[FileOutcome, list[str]]] = {}
    for one in sets:
        for outcome in filter(chosen, one.outcomes):
            key = (one.public.name, outcome.outcome, outcome.path)
            kept.setdefault(key, (outcome, []))[1].append(one.compiler)
    return bullets(line(key[0], kept[key][0], " and ".join(kept[key][1])) for key in sorted(kept))


def page(sets: Sequence[SetOutcomes]) -> str:
    """Return the Markdown page."""
    results = [outcome.result for one in sets for outcome in one.outcomes]
    bad = {Outcome.SOUND_BROKEN, Outcome.BUG_CLEAN}
    return PAGE.format(
        written=written_by("public_sets --record"),
        compilers=", ".join(sorted({result.compiler for result in results if result.compiler})) or "nothing",
        partial="" if any(one.complete for one in sets) else PARTIAL,
        table=table(sets),
        sources=sources(sets),
        races=_races(sets),
        costs=costs(sets),
        false_alarms=wrong(sets, outcomes={Outcome.SOUND_BROKEN}),
        false_cleans=wrong(sets, outcomes={Outcome.BUG_CLEAN}),
        others=wrong(sets, outcomes={*WRONG} - bad),
        kinds=differing_kinds(sets),
        excluded=excluded(sets),
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
    return {name: mode(getattr(item, name) for item in results) for name in ("compiler", "machine")} if results else {}


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


def write_record(sets: Sequence[SetOutcomes], path: Path) -> None:
    """Write the page to `path`, JSON beside it and, if it is the page of the project, the tables in its docs."""
    path.write_text(page(sets), encoding="utf-8")
    path.with_suffix(".json").write_text(record(sets), encoding="utf-8")
    if path == RECORDED:
        text = EXPLANATION.read_text(encoding="utf-8")
        EXPLANATION.write_text(with_tables(text, sets), encoding="utf-8")


def with_tables(text: str, sets: Sequence[SetOutcomes]) -> str:
    """Return the text with the tables of verdicts and of Indigo's races between its marks; ResultsError without marks.

    The tables are those of one compiler, NVRTC where it was used: every user has it.
    """
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise ResultsError("the documentation has no marks around the tables", f"add {START.strip()} and {END}")
    compiler = "NVRTC" if any(one.compiler == "NVRTC" for one in sets) else sets[0].compiler
    chosen = [one for one in sets if one.compiler == compiler]
    return f"{before}{start}\n{table(chosen)}\n\n{comparison(chosen)}\n\n{end}{after}"
