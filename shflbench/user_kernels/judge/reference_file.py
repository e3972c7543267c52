"""A task whose reference is a kernel of a CUDA file: launches and arguments are those of its host code, or given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.core.model import DTYPES
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.sizes import edge_sizes
from shflbench.user_kernels.judge.task import JudgeTask
from shflbench.user_kernels.pattern_values import buffer_dtype, number_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shflbench.checker import CandidateBuffer, CandidateLaunch, KernelCandidate
    from shflbench.user_kernels.file_options import FileFlags
    from shflbench.user_kernels.judge.sizes import SizeRange

USUAL_BLOCK = 256  # around whose multiples sizes lie; that of the reference follows from a size


def task_of_file(
    path: Path, flags: FileFlags, size: tuple[str, SizeRange] | None, unordered: Sequence[str] = ()
) -> JudgeTask:
    """Return the task of the only kernel of a file, or of the one that the flags name, at its first launch.

    With a `size`, its name and its least and greatest value, the host code is read for each value, or the launch that
    is given is the same for all. `unordered` names arguments whose elements may have any order. UsageError where no
    launch is known; raises what `read_candidates` raises.
    """
    values = _values(size)
    arguments = [*flags.arguments, *([f"{size[0]}={','.join(map(str, values))}"] if size else [])]
    options = flags.timed(flags.kernels).options([path])
    file = read_candidates(path, options, None, parse_argument_sets(arguments))
    kernel = _only(file.kernels, path)
    launches = {int(item.size[1]): item for item in kernel.launches if item.size} if size else {}
    if size and len(launches) < len(values):
        launches = dict.fromkeys(values, kernel.launches[0])
    first = kernel.launches[0]

    def at(sizes: dict[str, int]) -> CandidateLaunch:
        return launches[next(iter(sizes.values()))] if size else first

    return JudgeTask(
        reference=(path, kernel.name),
        any_order=tuple(_place(name, first) for name in unordered),
        inputs=lambda _, **sizes: _arguments(at(sizes)),
        sizes={size[0]: values} if size else {},
        grid=lambda **sizes: at(sizes).grid,
        block=lambda **sizes: at(sizes).block,
        shared_bytes=lambda **sizes: at(sizes).shared_bytes,
        cluster=lambda **sizes: at(sizes).cluster,
    )


def _place(name: str, launch: CandidateLaunch) -> int:
    """Return the position of a buffer; UsageError if the launch has none of this name."""
    if name not in {item.name for item in launch.buffers}:
        known = ", ".join(item.name for item in launch.buffers)
        raise UsageError(f"--any-order {name}: the reference has no such buffer", f"It has: {known}.")
    return list(launch.arguments).index(name)


def _values(size: tuple[str, SizeRange] | None) -> list[int]:
    if size is None:
        return []
    name, allowed = size
    small = [sizes[name] for sizes in edge_sizes({name: allowed}, [USUAL_BLOCK], {})]
    return sorted({*small, max(allowed)})


def _only(kernels: Sequence[KernelCandidate], path: Path) -> KernelCandidate:
    """Return the kernel that is the reference; UsageError if there are several, or if its launch is not known."""
    if len(kernels) != 1:
        names = ", ".join(f"'{item.name}'" for item in kernels)
        raise UsageError(f"{path} has {len(kernels)} kernels", f"Choose the reference by --kernel: {names}.")
    kernel = kernels[0]
    if not kernel.launches or kernel.problem:
        reason = kernel.problem or kernel.unclear or "its launch is not known"
        raise UsageError(
            f"{kernel.name} of {path}: {reason}", f"Give {' '.join(kernel.missing) or '--launch and --arg'}."
        )
    if kernel.launches[0].later or kernel.launches[0].structures:
        raise UsageError(
            f"{kernel.name} of {path} is a sequence of kernels, or takes structures", "Write a task in Python instead."
        )
    return kernel


def _arguments(launch: CandidateLaunch) -> tuple[Any, ...]:
    """Return the arguments of a launch as arrays and numbers."""
    buffers = {item.name: _array(item) for item in launch.buffers}
    numbers = {item.name: _number(*number_value(item)) for item in launch.numbers}
    return tuple(buffers[name] if name in buffers else numbers[name] for name in launch.arguments)


def _array(buffer: CandidateBuffer) -> NDArray[Any]:
    return np.resize(buffer.contents, buffer.size).view(DTYPES[buffer_dtype(buffer)].numpy)


def _number(value: float, dtype: str) -> np.generic:
    number: np.generic = np.dtype(DTYPES[dtype].numpy).type(value)
    return number
