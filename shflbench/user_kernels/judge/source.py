"""The source of a kernel as a text, with what it may include."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import CheckLimits, open_kernel
from shflbench.core.bounds import MILLION
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.files import MOST_SOURCE, read_regular
from shflbench.errors import InputError

if TYPE_CHECKING:
    from shflbench.checker import OpenedKernel
    from shflbench.cuda_sources import CompileOptions
    from shflbench.user_kernels.judge.request import JudgeRequest, JudgeRules


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSource:
    """The source of one kernel."""

    text: str
    shown: str  # the name of its file in messages; empty: the usual one
    folder: Path | None  # of its file
    kernel: str | None  # its name; None: the only one, or that by which it is judged
    options: CompileOptions

    def open(self, rules: JudgeRules, launches: int) -> OpenedKernel:
        """Compile it, for a number of launches that share its budget; raises what reading a file raises."""
        limits = CheckLimits(MILLION * rules.budget / max(1, launches), time_limit_s=rules.time_limit)
        return open_kernel(self.text, self.shown, self.kernel, self.options, limits)


def source_of(name: str, request: JudgeRequest) -> KernelSource:
    """Return the source of a candidate, or of the reference; InputError if its file cannot be read."""
    kernel = request.kernel(name)
    arch = request.timing.arch or DEFAULT_ARCH
    options = replace(request.compile, arch=arch, define=(*request.compile.define, *kernel.define))
    if not isinstance(kernel.source, Path):
        return KernelSource(text=kernel.source, shown="", folder=None, kernel=kernel.kernel or None, options=options)
    folder = kernel.source.parent.resolve()
    return KernelSource(
        text=_text_of(kernel.source),
        shown=kernel.source.name,
        folder=folder,
        kernel=kernel.kernel or None,
        options=replace(options, include=(folder, *options.include)),
    )


def _text_of(path: Path) -> str:
    try:
        return read_regular(path, MOST_SOURCE).decode(errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "Give the path of a .cu file.") from error
