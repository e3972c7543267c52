"""No two statements of a report exclude each other."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.finding import Finding
from shflbench.checker.options import FileOptions
from shflbench.checker.report import KernelReport, LaunchRecord
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cuda_sources.read_options import Compilers
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.emulator.races.hazards import Absence, HazardKind
from tests import kernels
from tests.checker.contradictions import contradictions
from tests.checker.test_planted_kernels import SLOW, check, in_every_run, kernel_of, names

PROGRAMS = sorted((Path(__file__).parents[1] / "cli/check/programs").glob("*.cu"))
LINE = SourceLine(Path("k.cu"), 4)
LAUNCH = LaunchRecord("1x64", 64, "chosen", (), 0, (0,), ("lockstep",))
FINDING = Finding(HazardKind.RAW, Level.ERROR, LINE, LINE, ("thread 0 of block 0", "thread 1 of block 0"), ("1x64",))
OUT = MemoryBytes("global", "`out`", 0, 1, 0)
BROKEN = KernelReport("k", "k", LINE, KernelVerdict.BROKEN, "RAW", (FINDING,), (LAUNCH,))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_reports_on_small_programs_do_not_contradict_themselves(program: Path, kernel_cache: Path) -> None:
    options = FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False)
    for report in check_file(program, options).kernels:
        assert contradictions(report) == []


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("name", "bare"),
    [
        pytest.param(name, bare, marks=() if in_every_run(name) and not bare else pytest.mark.archs)
        for name in names()
        if name not in SLOW
        for bare in (False, True)
    ],
)
def test_reports_on_planted_faults_do_not_contradict_themselves(name: str, kernel_cache: Path, *, bare: bool) -> None:
    assert contradictions(check(kernel_of(name), kernel_cache, bare=bare)) == []


def finding(kind: HazardKind, **fields: object) -> Finding:
    return replace(FINDING, kind=kind, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            replace(BROKEN, verdict=KernelVerdict.DOUBTFUL, findings=(), reason="no output differs", difference="x"),
            "no output differs, and x",
        ),
        (replace(BROKEN, verdict=KernelVerdict.CLEAN, findings=(), difference="x"), "clean, and x"),
        (replace(BROKEN, unreached=((3, 5),)), "line 4 never ran, and has the finding RAW"),
        (
            replace(BROKEN, unreached=((8, 9),), partly_unreached=((9, 9),)),
            "lines {9} never ran, and a part of them ran",
        ),
        (replace(BROKEN, verdict=KernelVerdict.CLEAN), "clean, and 1 findings break the kernel"),
        (replace(BROKEN, reason="", findings=()), "broken, without a reason"),
        (replace(BROKEN, verdict=KernelVerdict.NEEDS_ARGUMENTS, findings=()), "needs arguments, and names none"),
        (replace(BROKEN, launches=()), "RAW in launches ('1x64',), of which some did not run"),
        (
            replace(BROKEN, launches=(replace(LAUNCH, exhaustive=True),)),
            "all schedules agree in 1x64, and it has the finding RAW",
        ),
        (
            replace(BROKEN, findings=(finding(HazardKind.OUT_OF_BOUNDS, memory=OUT),), untested=("out",)),
            "bounds of `out` are not tested, and an access is beyond them",
        ),
        (
            replace(
                BROKEN,
                reason="",
                findings=(finding(HazardKind.NOT_IN_OWN_MASK), finding(HazardKind.DEADLOCK, other=None)),
            ),
            "a deadlock is counted beside what it follows from",
        ),
        (
            replace(BROKEN, findings=(finding(HazardKind.INACTIVE_SOURCE, absence=Absence.OUTSIDE_BLOCK),)),
            "thread 1 of block 0 of a block of 64: the block has no such thread",
        ),
        (
            replace(BROKEN, findings=(finding(HazardKind.BARRIER_SKIPPED, threads=FINDING.threads[:1] * 2),)),
            "thread 0 of block 0 waits, and goes on",
        ),
    ],
)
def test_a_contradiction_is_found(report: KernelReport, words: str) -> None:
    assert contradictions(BROKEN) == []
    assert words in contradictions(report)


def test_the_sentence_of_a_report_says_how_many_findings_are_shown() -> None:
    other = finding(HazardKind.WAR, place=SourceLine(Path("k.cu"), 5))
    assert BROKEN.sentence == "1 finding: RAW"
    assert replace(BROKEN, findings=(FINDING, finding(HazardKind.WAW), other)).sentence == "2 findings: RAW"
    assert replace(BROKEN, findings=(replace(FINDING, level=Level.WARNING),)).sentence == "RAW"
