"""Kernels on a scripted device, ready to be verified and sampled, and jobs for it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shflbench.core.model import Kernel, Launch, MeasureRules
from shflbench.cuda.backends.base import OpenKernel
from shflbench.measure.job import Job, Task
from shflbench.measure.sampler import SampledKernel
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.fakes.backend import FakeBackend

NEIGHBOR = load(builtin()["neighbor"])
BLOCKS = 2
AT_ONCE = MeasureRules(min_seconds=0.0)  # settled as soon as there are rounds enough


def workload(dtype: str = "f32", seed: int = 1) -> Workload:
    return cases.workload(NEIGHBOR, dtype, seed=seed)


def compiled(variant: str = "shfl") -> Kernel:
    """Return a kernel of `neighbor` as if it had been compiled."""
    name = f"neighbor_{variant}".replace("-", "_")
    return cases.kernel(f"_Z{len(name)}{name}IfEvPKT_PS0_i")


def opened(device: FakeBackend, variant: str = "shfl", dtype: str = "f32") -> OpenKernel:
    case = cases.case(variant=variant, dtype=dtype)
    return device.open(call_of(NEIGHBOR, case, compiled(variant), workload(dtype).setting))


def sampled_kernel(
    device: FakeBackend, variant: str = "shfl", iterations: int = 4096, dtype: str = "f32"
) -> SampledKernel:
    case = cases.case(variant=variant, iterations=iterations, dtype=dtype)
    return SampledKernel.of(case, (opened(device, variant, dtype),), NEIGHBOR.declaration.unroll)


def filling(group: Sequence[Task]) -> tuple[Task, ...]:
    """Return the group at a launch whose grid the device decides about."""
    launch = Launch("fill x 64", 64, None)
    return tuple(replace(task, case=replace(task.case, launch=launch)) for task in group)


def tasks(*variants: str, **how: Any) -> tuple[Task, ...]:
    """Return a group of `neighbor`; `how` are further arguments of `cases.case`."""
    how = {"options": NEIGHBOR.declaration.option_choices[0], **how}
    return tuple(Task(cases.case(variant=variant, **how), compiled(variant)) for variant in variants)


def job(*groups: Sequence[Task], rules: MeasureRules = AT_ONCE, **how: Any) -> Job:
    """Return a job of these groups; `how` are further fields of it."""
    folders: dict[str, Path] = {name: Path(folder) for name, folder in builtin().items()}
    return Job(tuple(map(tuple, groups)), folders, rules, seed=1, **how)
