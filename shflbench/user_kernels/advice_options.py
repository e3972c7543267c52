"""The options with which the kernels of a file are checked for advice, and those with which they are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shflbench.default_arch import DEFAULT_ARCH
from shflbench.user_kernels.file_options import file_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker import FileOptions


def check_options(file: Path, flags: dict[str, Any]) -> FileOptions:
    """Return the options with which the kernels of a file are checked."""
    return _options(file, flags, is_timed=False)


def bench_options(kernels: Sequence[str], file: Path, flags: dict[str, Any]) -> FileOptions:
    """Return the options with which kernels are read to be timed; their arguments are sets, of which there is one."""
    return _options(file, {**flags, "kernels": kernels, "arguments": ()}, is_timed=True)


def _options(file: Path, flags: dict[str, Any], *, is_timed: bool) -> FileOptions:
    return file_options(
        kernels=flags["kernels"],
        launches=flags["launches"],
        arguments=flags["arguments"],
        shared=flags["shared"],
        cluster=None if is_timed else flags["cluster"],
        include=flags["include"],
        define=flags["define"],
        host_args=flags["host_args"],
        fast_math=flags["fast_math"],
        compiler="nvrtc" if is_timed else None,  # which also makes the machine code that is timed
        budget=flags["budget"],
        time_limit_s=flags["time_limit_s"],
        arch=flags["arch"] or DEFAULT_ARCH,
        seed=0,
        files=[file],
        is_timed=is_timed,
    )
