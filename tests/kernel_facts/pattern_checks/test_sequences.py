"""Check patterns whose variants launch several kernels, or shapes of their own."""

import shutil
from pathlib import Path

import pytest

from shflbench.cuda.compile.build import Builder
from shflbench.kernel_facts.pattern_checks.subject_check import SubjectCheck
from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
from shflbench.kernel_facts.pattern_checks.targets import find
from shflbench.patterns.copies import FILE
from shflbench.patterns.discover import builtin
from tests import kernels

FIRST = "    if (threadIdx.x == 0) partial[blockIdx.x] = sum;"
SECOND = "if (group < groups) sums[group] = sum_of_few(partial + group * {cluster});"
RACE = "    if (threadIdx.x % 32 == 0) partial[blockIdx.x] = 0 * sum;\n"
WAIT = '    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");\n'


def check(folder: Path, *variants: str) -> list[SubjectReport]:
    """Return the reports on the kernels of a pattern for i32 and clusters of 2."""
    builder = Builder(kernels.tools(), "sm_90", kernels.CACHE)
    subjects = [
        subject
        for subject in find([str(folder)])
        if (subject.case.dtype, dict(subject.case.options)["cluster"]) == ("i32", "2")
        and subject.case.variant in variants
    ]
    return [
        SubjectCheck(subject, builder.target, 0, None).report(builder.build(subject.pattern, subject.case))
        for subject in subjects
    ]


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    folder = tmp_path / "cluster_reduce"
    shutil.copytree(builtin()["cluster-reduce"], folder)
    return folder


def replace_in(folder: Path, old: str, new: str) -> None:
    path = folder / FILE
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.archs
def test_each_kernel_of_a_sequence_is_checked_at_its_own_launch() -> None:
    (report,) = check(builtin()["cluster-reduce"], "two-launches")
    assert report.verdict == "clean"
    assert [launch.shape for launch in report.kernel.launches] == ["2x64", "1x128"]


@pytest.mark.archs
def test_blocks_of_a_variant_form_its_clusters() -> None:
    reports = check(builtin()["cluster-reduce"], "barrier", "larger-block")
    assert {report.case.variant: report.kernel.launches[0].shape for report in reports} == {
        "barrier": "2x64",
        "larger-block": "1x128",
    }
    assert {str(report.verdict) for report in reports} == {"clean"}


@pytest.mark.archs
def test_a_wrong_result_of_the_second_kernel_is_found(edited: Path) -> None:
    replace_in(edited, SECOND, "if (group < groups) sums[group] = partial[group * {cluster}];")
    (report,) = check(edited, "two-launches")
    assert report.verdict == "broken"


@pytest.mark.archs
def test_a_race_in_the_first_kernel_is_found_although_its_result_is_right(edited: Path) -> None:
    replace_in(edited, FIRST, RACE + FIRST)
    (report,) = check(edited, "two-launches")
    assert report.verdict == "broken"


@pytest.mark.archs
def test_a_cluster_that_does_not_wait_is_found(edited: Path) -> None:
    arrive = '    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");\n'
    replace_in(edited, f"    __syncwarp();\n//! barrier\n{arrive}", "//! barrier\n")
    replace_in(edited, f"{WAIT}    if (rank_in_cluster()", "    if (rank_in_cluster()")
    (report,) = check(edited, "barrier")
    assert report.verdict == "broken"


@pytest.mark.archs
@pytest.mark.parametrize(
    ("variant", "old", "new"),
    [
        ("last-block-acq-rel", "atom.acq_rel.gpu", "atom.relaxed.gpu"),
        ("last-block-acq-rel", "atom.acq_rel.gpu", "atom.release.gpu"),
        ("last-block-acq-rel", "atom.acq_rel.gpu", "atom.acquire.gpu"),
        (
            "barrier-one-release",
            'if (threadIdx.x < 32) asm volatile("barrier.cluster.arrive.aligned',
            'if (threadIdx.x >= 32) asm volatile("barrier.cluster.arrive.aligned',
        ),
    ],
    ids=["relaxed-ticket", "ticket-without-acquire", "ticket-without-release", "other-warps-release"],
)
def test_the_weakest_order_that_a_variant_has_is_needed(edited: Path, variant: str, old: str, new: str) -> None:
    (report,) = check(edited, variant)
    assert report.verdict == "clean"
    replace_in(edited, old, new)
    (report,) = check(edited, variant)
    assert report.verdict == "broken"


def test_a_dependent_launch_that_does_not_wait_is_refused(edited: Path) -> None:
    replace_in(edited, 'asm volatile("griddepcontrol.wait;" ::: "memory");', "")
    subject = next(item for item in find([str(edited)]) if item.case.variant == "two-launches-dependent")
    kernel = Builder(kernels.tools(), "sm_90", kernels.CACHE).build(subject.pattern, subject.case)
    assert [part.violations for part in (kernel, *kernel.later)] == [
        (),
        ("the machine code has no ACQBULK, which the variant must have",),
    ]
