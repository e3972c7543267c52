"""Plan a run for one set: the files that count, their truth, and the jobs that check them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchmarks.public_sets.arguments import read_arguments
from benchmarks.public_sets.job import Job
from benchmarks.public_sets.selection import Exclusion, exclusion_of, read_exclusions
from benchmarks.public_sets.sets import PublicSet, part_of
from benchmarks.public_sets.truth import read_truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.public_sets.sets import Part
    from benchmarks.public_sets.truth import Truth


@dataclass(frozen=True, slots=True)
class SetPlan:
    """The files of one set, by path: those that count, and those that are excluded."""

    public: PublicSet
    truths: Mapping[str, Truth]
    jobs: Mapping[str, Job]
    excluded: Mapping[str, Exclusion]

    def lines(self) -> Iterator[str]:
        """Yield a line per file: its part, its truth or why it is excluded, and its launches."""
        for path in sorted({*self.jobs, *self.excluded}):
            if path in self.excluded:
                what = f"excluded: {self.excluded[path].rule}: {self.excluded[path].detail}"
            else:
                launches = dict.fromkeys(launch for run in self.jobs[path].runs for launch in run.launches)
                what = f"{self.truths[path].kind}: {', '.join(launches) or 'default launches'}"
            yield f"{self.public.name}\t{part_of(path)}\t{path}\t{what}"


def plan(public: PublicSet, sets: Path, *, parts: set[Part], match: str = "*", nvcc: bool = True) -> SetPlan:
    """Return what to do for the files of a set in `parts` whose paths match a pattern.

    Raises ResultsError if the set is not in the folder `sets`, or the truth about a file is missing.
    """
    clone = sets / public.folder
    paths = [path for path in public.files(sets) if part_of(path) in parts and fnmatchcase(path, match)]
    texts = {path: (clone / path).read_text(encoding="utf-8", errors="replace") for path in paths}
    listed = read_exclusions(public.name)
    reasons = {path: exclusion_of(path, text, listed) for path, text in texts.items()}
    excluded = {path: exclusion for path, exclusion in reasons.items() if exclusion}
    counted = {path: text for path, text in texts.items() if path not in excluded}
    truths = read_truth(public.name, list(counted))
    table = read_arguments(public.name)
    jobs = {}
    for path, text in counted.items():
        options = table.of(path, text)
        jobs[path] = Job(
            clone=str(clone),
            path=path,
            runs=options.runs,
            defines=options.defines,
            includes=options.includes,
            nvcc=nvcc,
        )
    return SetPlan(public, truths, jobs, excluded)
