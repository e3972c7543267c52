"""The options of `check` for files of CUDA C++ and PTX."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench import checker  # what it offers is imported on first use
from shflbench.core.arch.launch_limits import limits_of
from shflbench.core.bounds import BUDGET, MILLION, SHORT_BUDGET, TIME_LIMIT_S
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder, nvcc
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources import CompileOptions, Compilers, HostOptions
from shflbench.errors import CompilerError, UsageError
from shflbench.patterns.discover import is_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.checker import CheckLimits, FileOptions, LaunchOptions

SUFFIXES = frozenset({".cu", ".cuh", ".ptx"})
MACRO = re.compile(r"[A-Za-z_]\w*(?:\([\w, .]*\))?(?:=[^\r\n]*)?", re.ASCII)
COMPILERS = ("nvcc", "nvrtc")


def divide_targets(targets: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Return the targets that are patterns or suites, and the files of CUDA C++ and PTX that the others name.

    UsageError for a folder that holds neither a pattern nor such a file.
    """
    patterns, files = [], []
    for target in targets:
        path = Path(target)
        if path.suffix.lower() in SUFFIXES and not path.is_dir():
            files.append(path)
        elif path.is_dir() and not is_pattern(path) and (inside := _files_in(path)):
            files += inside
        else:
            patterns.append(target)
    return patterns, list(dict.fromkeys(files))


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in {".cu", ".ptx"} and path.is_file())


def refuse_filters(words: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError for an option that chooses kernels of patterns, where all targets are files."""
    for option, given in words.items():
        if given:
            raise UsageError(f"{option} applies to patterns and suites, and every target is a file", "Use --kernel.")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFlags:
    """What the options of a command say of the kernels of a file, as the command line has them.

    Fields are called as the parameters of commands; those that a command has no option for keep their default.
    """

    arch: str | None = None
    include: Sequence[Path] = ()
    define: Sequence[str] = ()
    fast_math: bool | None = None  # None: as the file is built
    kernels: Sequence[str] = ()
    launches: Sequence[str] = ()
    named_launches: Sequence[str] = ()  # of single kernels, `NAME=GRIDxBLOCK`
    arguments: Sequence[str] = ()
    shared: int | None = None
    cluster: str | None = None
    pdl: Sequence[str] = ()
    same: Sequence[str] = ()
    seed: int = 0
    host_args: str | None = None
    compiler: str | None = None
    budget: float | None = None  # million instructions
    time_limit_s: float | None = None
    allow_no_kernels: bool = False  # in a file
    is_timed: bool = False  # and so may have more threads than can be emulated, and a shorter check

    @property
    def compile(self) -> CompileOptions:
        """What the file is compiled with."""
        return CompileOptions(
            arch=self.arch or DEFAULT_ARCH,
            include=tuple(self.include),
            define=tuple(self.define),
            fast_math=bool(self.fast_math),
        )

    def timed(self, kernels: Sequence[str]) -> FileFlags:
        """Return the flags with which kernels are read to be timed; their arguments are sets, of which there is one."""
        # NVRTC also makes the machine code that is timed.
        return replace(self, kernels=kernels, arguments=(), compiler="nvrtc", is_timed=True)

    def options(self, files: Sequence[Path]) -> FileOptions:
        """Return the options for files as typed values.

        A launch that is not timed has at most as many threads as can be emulated.

        Raises UsageError for an invalid value, DeviceError for an unknown architecture, and CompilerError where a file
        needs a compiler and there is none.
        """
        limits_of((self.arch or DEFAULT_ARCH).rstrip("af"))
        for text in self.define:
            if not MACRO.fullmatch(text):
                raise UsageError(f"-D `{text}` is not NAME or NAME=VALUE", "Write it as for nvcc, such as -D N=64.")
        return checker.FileOptions(
            kernels=tuple(self.kernels),
            compile=self.compile,
            compilers=self._compilers(files),
            given=self._given(),
            host=HostOptions(_words(self.host_args)),
            limits=self._limits(),
            outputs=False,
            needs_kernel=not self.allow_no_kernels,
        )

    def _compilers(self, files: Sequence[Path]) -> Compilers:
        needs_compiler = any(path.suffix.lower() != ".ptx" for path in files)
        program = nvcc() if needs_compiler and self.compiler != "nvrtc" else None
        if self.compiler == "nvcc" and needs_compiler and program is None:
            raise CompilerError("nvcc is not on the PATH", "Leave --compiler out to use NVRTC.")
        toolchain = None
        if needs_compiler and program is None:
            toolchain = find()
            toolchain.require(self.arch or DEFAULT_ARCH)
        return Compilers(toolchain, program, cache_folder())

    def _given(self) -> LaunchOptions:
        shape = checker.parse_shape
        if self.is_timed:
            shape = partial(checker.parse_shape, most_threads=checker.MOST_TIMED_THREADS)
        return checker.LaunchOptions(
            launches=tuple(dict.fromkeys(shape(text) for text in self.launches)),
            named_launches=tuple(
                (text.rpartition("=")[0].strip(), shape(text.rpartition("=")[2])) for text in self.named_launches
            ),
            arguments=checker.parse_arguments(self.arguments),
            pdl=tuple(map(checker.parse_chain, self.pdl)),
            same=tuple(map(checker.parse_same, self.same)),
            shared_bytes=self.shared,
            cluster=checker.parse_cluster(self.cluster) if self.cluster is not None else None,
            seed=self.seed,
        )

    def _limits(self) -> CheckLimits:
        usual = SHORT_BUDGET if self.is_timed else BUDGET
        return checker.CheckLimits(
            MILLION * (usual if self.budget is None else self.budget),
            time_limit_s=TIME_LIMIT_S if self.time_limit_s is None else self.time_limit_s,
        )


def _words(text: str | None) -> tuple[str, ...] | None:
    """Return the words of a command line; UsageError for a quote that does not end."""
    try:
        return tuple(shlex.split(text)) if text is not None else None
    except ValueError as error:
        raise UsageError(f"--host-args `{text}`: a quote in it does not end", "Write it as for a shell.") from error
