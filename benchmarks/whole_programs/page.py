"""The page on whole programs: the rule of the sample, the shares, and every verdict that readers call wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.common.pages import bullets, table, written_by
from benchmarks.common.records import PublicFile
from benchmarks.whole_programs.sample import LEFT_OUT, WRONG, FileResult, Reading, Sample
from shflbench.core.words import count_noun

KINDS = (
    *("clean", "schedule-dependent", "broken", "doubtful", "needs arguments", "not checked", "not compiled"),
    "no verdict",
)
PAGE = """\
# {title}

{written}

{rule}

{repositories}

{left_out_count} files are left out (below); the other {figures.files} count.

{verdicts}

**{figures.right:.1%} of the files have a right verdict.** Two readers, each without the other's answers, \
read {figures.read} files, among them {figures.clean_read} clean ones, of which {figures.clean_right} are \
right; clean files that nobody read count at that rate. They differed in {differing}, on which a third look decided. \
A sound file that is called `needs arguments` or `not checked` counts as wrong.

{kernels}

Time per file: median {figures.median_s:.1f} s, 95% at most {figures.most_of_s:.1f} s, \
longest {figures.longest_s:.1f} s.

## Verdicts that are wrong

{wrong}

## Files that are left out

nvcc cannot compile them with the options of their build, or they have no kernel:

{left_out}
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of the page; shares are parts of 1."""

    files: int  # that count
    left_out: tuple[str, ...]
    verdicts: Counter[str]  # of files
    right: float  # share of files, clean ones that nobody read at the rate of those that were read
    read: int  # files
    clean_read: int
    clean_right: int
    kernels: dict[str, tuple[int, int]]  # verdict → kernels that were read, and how many of them are right
    differing: int  # readings in which the two readers differ
    median_s: float
    most_of_s: float  # 95% of the files take at most as long
    longest_s: float


def counts(results: Sequence[FileResult], readings: Sequence[Reading]) -> Counts:
    """Return the figures of a run."""
    by_file: defaultdict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        by_file[reading.file].append(reading)
    left_out = {file for file, items in by_file.items() if any(item.decided == LEFT_OUT for item in items)}
    counted = [item for item in results if item.file not in left_out]
    read = [item for item in counted if item.file in by_file]
    right = {item.file for item in read if all(one.decided != WRONG for one in by_file[item.file])}
    clean = [item for item in read if item.verdict == "clean"]
    clean_right = sum(item.file in right for item in clean)
    share = (len(right) + (len(counted) - len(read)) * clean_right / len(clean)) / len(counted)
    kernels: dict[str, tuple[int, int]] = {}
    for item in read:
        wrong = {one.kernel for one in by_file[item.file] if one.decided == WRONG}
        for name, verdict in item.kernels:
            number, good = kernels.get(verdict, (0, 0))
            kernels[verdict] = number + 1, good + wrong.isdisjoint({name, ""})
    seconds = sorted(item.seconds for item in counted)
    return Counts(
        files=len(counted),
        left_out=tuple(sorted(left_out)),
        verdicts=Counter(item.verdict for item in counted),
        right=share,
        read=len(read),
        clean_read=len(clean),
        clean_right=clean_right,
        kernels=kernels,
        differing=sum(item.first != item.second for item in readings),
        median_s=median(seconds),
        most_of_s=seconds[int(len(seconds) * 0.95)],
        longest_s=seconds[-1],
    )


def page(sample: Sample) -> str:
    """Return the page as Markdown."""
    readings = sample.readings()
    figures = counts(sample.results(), readings)
    verdicts = [(kind, number, f"{number / figures.files:.1%}") for kind in KINDS if (number := figures.verdicts[kind])]
    kernels = [(kind, *figures.kernels[kind]) for kind in KINDS if kind in figures.kernels]
    wrong = [item for item in readings if item.decided == WRONG]
    return PAGE.format(
        title=sample.title,
        written=written_by(f"whole_programs {sample.name}"),
        rule=sample.rule,
        repositories=table(
            ("repository", "commit", "files", "read", "wrong"), _repositories(sample.files(), readings, figures), 2
        ),
        left_out_count=len(figures.left_out),
        figures=figures,
        verdicts=table(("verdict on the file", "files", "share"), verdicts),
        differing=count_noun(figures.differing, "verdict"),
        kernels=table(
            ("verdict on the kernel", "read", "right"),
            [(kind, number, f"{right} ({right / number:.0%})") for kind, number, right in kernels],
        ),
        wrong=bullets(f"{item.file}{f', `{item.kernel}`' if item.kernel else ''}: {item.reason}" for item in wrong),
        left_out=bullets(figures.left_out, ""),
    )


def _repositories(
    files: Sequence[PublicFile], readings: Sequence[Reading], figures: Counts
) -> Iterator[tuple[object, ...]]:
    read = {item.file for item in readings} - set(figures.left_out)
    wrong = {item.file for item in readings if item.decided == WRONG} & read
    for repository, commit in dict.fromkeys((file.repository, file.commit) for file in files):
        keys = {file.key for file in files if file.repository == repository}
        yield repository, commit, len(keys), len(keys & read), len(keys & wrong)
    yield "all", "", len(files), len(read), len(wrong)
