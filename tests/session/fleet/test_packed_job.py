"""The message that all devices of a window share."""

from dataclasses import replace

from shflbench.core.model import MeasureRules
from shflbench.measure.job import Job, Task
from shflbench.session.fleet.packed_job import MOST_KEPT, JobPacker, pack, unpack
from tests import cases

KERNEL = replace(cases.kernel("_Z4shfl"), cubin=bytes(100_000))
TASK = Task(cases.case(), KERNEL)
JOB = Job(groups=((TASK,),), folders={}, rules=MeasureRules(), seed=0)


def test_packed_job_is_read_back_and_its_machine_code_is_compressed() -> None:
    packed = pack(JOB, "cubin")
    assert unpack(packed) == Job.from_json(JOB.to_json("cubin"))
    assert unpack(packed).groups[0][0].kernel.cubin == KERNEL.cubin
    assert len(packed) < len(KERNEL.cubin)


def test_devices_that_measure_the_same_share_one_message() -> None:
    packer = JobPacker()
    packed = packer.pack(JOB, "cubin")
    assert packer.pack(replace(JOB), "cubin") is packed
    others = [
        replace(JOB, seed=1),
        replace(JOB, rules=replace(JOB.rules, precision=0.1)),
        replace(JOB, groups=((Task(cases.case(), replace(KERNEL, cubin=b"other")),),)),
        replace(JOB, groups=((Task(cases.case(launch="4x64"), KERNEL),),)),
        replace(JOB, groups=(*JOB.groups, (Task(cases.case(launch="4x64"), KERNEL),))),
    ]
    assert [unpack(packer.pack(other, "cubin")) for other in others] == [
        Job.from_json(other.to_json("cubin")) for other in others
    ]
    assert unpack(packer.pack(JOB, "ptx")).groups[0][0].kernel.cubin == b""


def test_only_the_last_messages_are_kept() -> None:
    packer = JobPacker()
    packed = packer.pack(JOB, "cubin")
    for seed in range(1, MOST_KEPT + 1):
        packer.pack(replace(JOB, seed=seed), "cubin")
    again = packer.pack(JOB, "cubin")
    assert again == packed
    assert again is not packed
