"""The JSON of `shflbench bench`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.analysis.joint_ratios import JointColumns
from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "The kernels of CUDA files, compared: their times by group, and those that were not timed."


class BenchLeftOut(TypedDict):
    """A kernel that was not compared."""

    kernel: Annotated[str, "name of the kernel"]
    sentence: Annotated[str, "why it was left out"]
    is_broken: Annotated[bool, "whether the check found a mistake in it"]


class BenchLaterLaunch(TypedDict):
    """A launch that follows the first one of a sequence of kernels."""

    kernel: Annotated[str, "name of the kernel"]
    grid: Annotated[Sequence[int], "blocks in x, y and z"]
    block: Annotated[Sequence[int], "threads per block in x, y and z"]


class TimedKernel(TypedDict):
    """A kernel with its launch and its times."""

    kernel: Annotated[str, "name of the kernel in its file"]
    variant: Annotated[str, "name of the kernel in the run: in results.csv, and in other keys of the group"]
    grid: Annotated[Sequence[int | None], "blocks in x, y and z"]
    block: Annotated[Sequence[int], "threads per block in x, y and z"]
    later: Annotated[Sequence[BenchLaterLaunch], "the launches that follow the first one of a sequence"]
    status: Annotated[str, "timed, verified (not timed), compiled (neither), incorrect, failed or skipped"]
    verification: Annotated[str, "what its results were compared with, and what is wrong with its samples, in words"]
    time_us: Annotated[float | None, "median time of one launch, µs; null if it was not timed"]
    time_low_us: Annotated[float | None, "lower end of the 95% interval of the time, µs"]
    time_high_us: Annotated[float | None, "upper end of the 95% interval of the time, µs"]
    speedup: Annotated[float | None, "time of the baseline divided by that of the kernel"]
    speedup_low: Annotated[float | None, "lower end of its 95% interval, which covers the processes of the run only"]
    speedup_high: Annotated[float | None, "upper end of this interval"]


class BenchKernel(TimedKernel, JointColumns):
    """A kernel of a group, with its launch, its times, and its ratios."""


class BenchGroup(TypedDict):
    """Kernels that do the same at one launch or size, and were timed in turn."""

    pattern: Annotated[str, "name of the comparison: that of its kernels' common part, or of the file"]
    dtype: Annotated[str, "element type"]
    launch: Annotated[str, "launch of the first kernel, or `own` where each kernel has its own"]
    options: Annotated[Mapping[str, str], "sizes and other options of the group, by name"]
    baseline: Annotated[str | None, "variant that the speed-ups refer to; null if it was not timed"]
    fastest: Annotated[str | None, "variant with the shortest time; `certainty` says whether it is shown to be faster"]
    certainty: Annotated[
        str | None, "clear (every other kernel is slower), tie (some are as fast) or undecided (intervals too wide)"
    ]
    kernels: Annotated[Sequence[BenchKernel], "the kernels, in the order of the run"]


class BenchDocument(TypedDict):
    """A comparison of kernels."""

    schema: Annotated[Literal[1], NUMBER]
    files: Annotated[Sequence[str], "paths of the files with the kernels, as they were given"]
    folder: Annotated[str | None, "folder of the run; null if nothing was run, or the run was not kept"]
    device: Annotated[str | None, "product name of the GPU; null if nothing was timed"]
    left_out: Annotated[Sequence[BenchLeftOut], "kernels that were not compared"]
    groups: Annotated[Sequence[BenchGroup], "kernels that do the same, by launch and size"]


DOCUMENTS = (BenchDocument,)
