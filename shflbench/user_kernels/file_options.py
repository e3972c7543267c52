"""The options of `check` for files of CUDA C++ and PTX."""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench import checker  # what it offers is imported on first use
from shflbench.arch.launch_limits import limits_of
from shflbench.bounds import BUDGET, MILLION, SHORT_BUDGET, TIME_LIMIT_S
from shflbench.compile.toolchain import find
from shflbench.environment import cache_folder, nvcc
from shflbench.errors import CompilerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.checker import FileOptions

SUFFIXES = frozenset({".cu", ".cuh", ".ptx"})
MACRO = re.compile(r"[A-Za-z_]\w*(?:\([\w, .]*\))?(?:=[^\r\n]*)?", re.ASCII)
COMPILERS = ("nvcc", "nvrtc")
NAMES = {  # parameter of the command → option, for messages
    "kernels": "--kernel",
    "launches": "--launch",
    "arguments": "--arg",
    "cluster": "--cluster",
    "shared": "--shared",
    "include": "-I",
    "define": "-D",
    "host_args": "--host-args",
    "pdl": "--pdl",
    "same": "--same",
    "compiler": "--compiler",
    "budget": "--budget",
    "time_limit_s": "--time-limit",
    "patch": "--patch",
    "measure": "--measure",
}


def divide_targets(targets: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Return the targets that are patterns or suites, and the files of CUDA C++ and PTX that the others name.

    UsageError for a folder that holds neither a pattern nor such a file.
    """
    patterns, files = [], []
    for target in targets:
        path = Path(target)
        if path.suffix.lower() in SUFFIXES and not path.is_dir():
            files.append(path)
        elif path.is_dir() and not (path / "pattern.py").exists() and (inside := _files_in(path)):
            files += inside
        else:
            patterns.append(target)
    return patterns, list(dict.fromkeys(files))


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in {".cu", ".ptx"} and path.is_file())


def refuse_without_files(values: dict[str, object]) -> None:
    """Raise UsageError for an option that applies to files, where no target is one."""
    for parameter, option in NAMES.items():
        if (value := values.get(parameter)) is not None and value is not False and value != ():
            raise UsageError(f"{option} applies to .cu, .cuh and .ptx files, and no target is one", "Leave it out.")


def refuse_filters(words: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError for an option that chooses kernels of patterns, where all targets are files."""
    for option, given in words.items():
        if given:
            raise UsageError(f"{option} applies to patterns and suites, and every target is a file", "Use --kernel.")


def file_options(  # noqa: PLR0913  (the options of the command)
    *,
    kernels: Sequence[str],
    launches: Sequence[str],
    arguments: Sequence[str],
    shared: int | None,
    include: Sequence[Path],
    define: Sequence[str],
    host_args: str | None,
    compiler: str | None,
    arch: str,
    seed: int,
    files: Sequence[Path],
    fast_math: bool = False,
    is_timed: bool = False,
    named_launches: Sequence[str] = (),
    pdl: Sequence[str] = (),
    same: Sequence[str] = (),
    cluster: str | None = None,
    budget: float | None = None,
    time_limit_s: float | None = None,
) -> FileOptions:
    """Return the options as typed values; a launch that is not timed has at most as many threads as can be emulated.

    The `named_launches` are those of single kernels, `NAME=GRIDxBLOCK`.

    Raises UsageError for an invalid value, DeviceError for an unknown architecture, and CompilerError where a file
    needs a compiler and there is none.
    """
    shape = checker.parse_shape
    if is_timed:
        shape = partial(checker.parse_shape, most_threads=checker.MOST_TIMED_THREADS)
    needs_compiler = any(path.suffix.lower() != ".ptx" for path in files)
    limits_of(arch.rstrip("af"))
    for text in define:
        if not MACRO.fullmatch(text):
            raise UsageError(f"-D `{text}` is not NAME or NAME=VALUE", "Write it as for nvcc, such as -D N=64.")
    program = nvcc() if needs_compiler and compiler != "nvrtc" else None
    if compiler == "nvcc" and needs_compiler and program is None:
        raise CompilerError("nvcc is not on the PATH", "Leave --compiler out to use NVRTC.")
    toolchain = None
    if needs_compiler and program is None:
        toolchain = find()
        toolchain.require(arch)
    return checker.FileOptions(
        kernels=tuple(kernels),
        launches=tuple(dict.fromkeys(shape(text) for text in launches)),
        named_launches=tuple(
            (text.rpartition("=")[0].strip(), shape(text.rpartition("=")[2])) for text in named_launches
        ),
        arguments=checker.parse_arguments(arguments),
        pdl=tuple(map(checker.parse_chain, pdl)),
        same=tuple(map(checker.parse_same, same)),
        shared_bytes=shared,
        cluster=checker.parse_cluster(cluster) if cluster is not None else None,
        include=tuple(include),
        define=tuple(define),
        host_args=_words(host_args),
        fast_math=fast_math,
        arch=arch,
        seed=seed,
        nvcc=program,
        toolchain=toolchain,
        cache=cache_folder(),
        outputs=False,
        most_work=MILLION * ((SHORT_BUDGET if is_timed else BUDGET) if budget is None else budget),
        time_limit_s=TIME_LIMIT_S if time_limit_s is None else time_limit_s,
    )


def _words(text: str | None) -> tuple[str, ...] | None:
    """Return the words of a command line; UsageError for a quote that does not end."""
    try:
        return tuple(shlex.split(text)) if text is not None else None
    except ValueError as error:
        raise UsageError(f"--host-args `{text}`: a quote in it does not end", "Write it as for a shell.") from error
