"""Jobs as JSON, and without finished cases."""

from dataclasses import replace
from pathlib import Path

from shflbench.core.model import MeasureRules
from shflbench.measure.job import Job, Task
from tests import cases

KERNEL = replace(cases.kernel("_Z4shfl"), ptx=".version 8", cubin=bytes(range(256)))
OTHER = replace(cases.kernel("_Z4smem"), cubin=b"")
SHFL, LARGER = Task(cases.case(), KERNEL), Task(cases.case(launch="4x64"), KERNEL)
SMEM = Task(cases.case(variant="smem", options={"mode": "idx"}), OTHER)
JOB = Job(
    groups=((SHFL, SMEM), (LARGER,)),
    folders={"neighbor": Path("/patterns/neighbor")},
    rules=MeasureRules(precision=0.01, processes=3, timeout=5.0),
    seed=7,
    process=2,
    first_round=31,
    failed_sentinels=("sentinel/l2",),
)


def test_job_is_one_line_that_decodes_to_the_same_cases_and_code() -> None:
    line = JOB.to_json("cubin")
    assert "\n" not in line
    read = Job.from_json(line)
    assert replace(read, groups=()) == replace(JOB, groups=())
    assert [[task.case for task in group] for group in read.groups] == [[SHFL.case, SMEM.case], [LARGER.case]]
    assert read.groups[0][0].kernel == replace(KERNEL, ptx="", sass=None, loop=None)


def test_kernels_that_follow_another_keep_their_order_and_share_its_cubin() -> None:
    later = (replace(OTHER, cubin=KERNEL.cubin), replace(KERNEL, symbol="_Z4last"))
    task = Task(cases.case(), replace(KERNEL, later=later))
    line = replace(JOB, groups=((task,),)).to_json("cubin")
    ((read,),) = Job.from_json(line).groups
    assert [item.symbol for item in read.kernel.later] == ["_Z4smem", "_Z4last"]
    assert {item.cubin for item in (read.kernel, *read.kernel.later)} == {KERNEL.cubin}
    assert len(line) < len(replace(JOB, groups=((SHFL,),)).to_json("cubin")) + 600


def test_kernel_of_several_cases_is_sent_once() -> None:
    read = Job.from_json(JOB.to_json("cubin"))
    assert read.groups[0][0].kernel is read.groups[1][0].kernel
    assert (
        len(JOB.to_json("cubin"))
        < len(replace(JOB, groups=((SHFL, SMEM), (replace(LARGER, kernel=OTHER),))).to_json("cubin")) + 50
    )


def test_job_without_finished_cases_has_no_empty_groups() -> None:
    assert JOB.without([]).groups == JOB.groups
    assert JOB.without([SHFL.case.id]).groups == ((SMEM,), (LARGER,))
    assert JOB.without([SHFL.case.id, SMEM.case.id]).groups == ((LARGER,),)
    assert JOB.without([task.case.id for task in (SHFL, SMEM, LARGER)]).groups == ()


def test_job_contains_the_ids_of_its_cases() -> None:
    assert SMEM.case.id in JOB
    assert "sentinel/l2" not in JOB
    assert SMEM.case.id not in JOB.without([SMEM.case.id])
