"""Compile a CUDA file to PTX with nvcc, in a temporary folder of plain names."""

from __future__ import annotations

import os
import re
import resource
import shlex
import signal
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda.compile.ptx_process import CPU_S, CompilerTimeoutError
from shflbench.cuda_sources.messages import SourceError, compile_error, instance_error
from shflbench.cuda_sources.plain_folder import INSTANCE, UNIT, PlainFolder, plain_folder, require_plain, table_name
from shflbench.emulator.ptx.line_table import files_of, rename_files
from shflbench.errors import CompileError, CompilerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.emulator.file_budget import FileBudget

TIMEOUT_S = 600  # of one compilation, as of NVRTC
READ = "read.txt"  # beside the folder of last headers: the files that nvcc read, as make takes them
_CALLS_HOST = "calling a __host__ function"  # from device code: NVRTC, which gets device code only, accepts the call
_FIRST_INSTANCE = 2  # line in the unit, which includes the source
_ERROR = re.compile(
    r"^(?P<file>[^\s:][^:\n]*?)[(:](?P<line>\d+)(?:\)|:\d+)?: (?:catastrophic |fatal )?error\b[^:]*: (?P<what>.+)$",
    re.MULTILINE,
)
_FOLDERS = re.compile(r"^#\$ (?:SYSTEM_)?INCLUDES=(.*)$", re.MULTILINE)  # among the steps that nvcc would take
_LISTED = re.compile(rf"\b{INSTANCE}(?P<number>\d+) = (?P<symbol>[\w$]+);", re.ASCII)


def compile_ptx(  # noqa: PLR0913  (what differs between compilations of one file)
    nvcc: Path,
    source: Path,
    options: CompileOptions,
    instances: Sequence[str] = (),
    *,
    debug: bool = False,
    last: Path | None = None,
) -> str:
    """Return the PTX of `source`; CompileError with the first error of nvcc, CompilerError if it does not run.

    `instances` are instances of template kernels that the file does not contain; a file that includes `source` takes
    their addresses. `debug` compiles without optimization, and headers that are nowhere else may lie in the folder
    `last`; the file `READ` beside it then names those that nvcc read. The line table names the user's files.
    """
    return _compiled(nvcc, source, options, instances, debug=debug, last=last)


def symbols_of(nvcc: Path, source: Path, options: CompileOptions, instances: Sequence[str]) -> list[str]:
    """Return the symbols of instances of template kernels, whose arguments a user may write in many ways."""
    ptx = _compiled(nvcc, source, options, instances, listed=True)
    symbols = {int(match["number"]): match["symbol"] for match in _LISTED.finditer(ptx)}
    return [symbols.get(number, "") for number in range(len(instances))]


def _compiled(  # noqa: PLR0913  (what differs between compilations of one file)
    nvcc: Path,
    source: Path,
    options: CompileOptions,
    instances: Sequence[str],
    *,
    debug: bool = False,
    listed: bool = False,
    last: Path | None = None,
) -> str:
    source = source.resolve()
    with tempfile.TemporaryDirectory(prefix="shflbench-", dir=plain_folder()) as name:
        folder = PlainFolder(Path(name), source, options, instances, listed=listed)
        output = folder.path / "kernels.ptx"
        command = [str(require_plain(nvcc)), "-ptx", "-G" if debug else "-lineinfo", f"-arch={options.arch}", "-w"]
        command += [f"-std={options.standard}", *options.words, *folder.words]
        command += ["-rdc=true"] if options.device_launches else []
        if last is not None:
            command += ["-Xcompiler", f"-idirafter,{last}", "-MD", "-MF", str(last.parent / READ)]
        command += ["--extended-lambda", "--expt-relaxed-constexpr", "-x", "cu", "-o", output.name, UNIT]
        status, log = _run(nvcc, command, folder.path, source, options.budget)
        if status != 0 or not output.is_file() or not output.stat().st_size:
            raise _error(source, folder, instances, log, status)
        ptx = output.read_text(encoding="utf-8", errors="replace")
        return rename_files(ptx, {name: table_name(folder.users(name)) for name in files_of(ptx).values()})


def _run(nvcc: Path, command: Sequence[str], folder: Path, source: Path, budget: FileBudget) -> tuple[int, str]:
    """Return the exit status of nvcc and its messages; the compilers that it starts end with it, at the time limit."""
    budget.check_time()
    before = _cpu_of_compilers()
    try:
        process = subprocess.Popen(  # noqa: S603  (no shell; the compiler that the user has on the path)
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(folder), "PWD": str(folder)},
            start_new_session=True,
        )
    except OSError as error:
        raise CompilerError(f"{nvcc} does not run: {error}", "Reinstall nvcc, or remove it from the PATH.") from error
    with process:
        _limit_cpu(process.pid)
        try:
            output, errors = process.communicate(timeout=budget.seconds_left(TIMEOUT_S))
        except subprocess.TimeoutExpired as error:
            budget.check_time()
            raise CompilerTimeoutError(source, TIMEOUT_S) from error
        finally:
            with suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError if only zombies remain
                os.killpg(process.pid, signal.SIGKILL)
    is_spent = process.returncode == -signal.SIGXCPU or _cpu_of_compilers() - before > 0.9 * CPU_S
    if process.returncode and is_spent:
        raise CompilerTimeoutError(source, CPU_S)
    return process.returncode, (errors + output).decode(errors="replace")


def _limit_cpu(process: int) -> None:
    """Let nvcc, and each compiler that it starts, end where it takes too much CPU time, if the system can do that."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError):  # it has ended
            resource.prlimit(process, resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))


def _cpu_of_compilers() -> float:
    """Return the seconds of CPU time of the processes that have ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def version(nvcc: Path) -> str:
    """Return the version of nvcc, e.g. `13.0`; CompilerError if it does not run."""
    try:
        run = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True, timeout=20, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"{nvcc} does not run: {error}", "Reinstall nvcc, or remove it from the PATH.") from error
    match = re.search(r"release ([0-9.]+)", run.stdout)
    return match[1] if match else "of unknown version"


@cache
def header_folders(nvcc: Path) -> tuple[Path, ...]:
    """Return the folders of nvcc's own headers, which it searches behind those of its options; none if it names none.

    nvcc may be a script or a link elsewhere, so that its path does not say where they are. A dry run starts the host
    compiler, on a temporary file.
    """
    try:
        run = subprocess.run(  # noqa: S603  (no shell; the compiler that the user has on the path)
            [str(require_plain(nvcc)), "--dryrun", "-x", "cu", "-E", os.devnull],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
            env=os.environ | {"TMPDIR": str(plain_folder())},
        )
        words = [word for line in _FOLDERS.findall(run.stderr) for word in shlex.split(line)]
    # CompilerError: a shell would interpret a path; ValueError: a quote that does not end.
    except (OSError, subprocess.SubprocessError, CompilerError, ValueError):
        return ()
    folders = (word.removeprefix("-isystem").removeprefix("-I") for word in words)
    return tuple(Path(folder) for folder in dict.fromkeys(folders) if folder)


def _error(source: Path, folder: PlainFolder, instances: Sequence[str], log: str, status: int) -> CompileError:
    errors = list(_ERROR.finditer(log))
    match = next((item for item in errors if _CALLS_HOST in item["what"]), errors[0] if errors else None)
    if match is None:
        first = next((line.strip() for line in log.splitlines() if "error" in line or "fatal" in line), _end(status))
        log = folder.users(first)
        return CompileError(log, "Compile it with nvcc to see all messages.", source, log)
    line, what = int(match["line"]), folder.users(match["what"].strip())
    if match["file"].endswith(UNIT):
        error = instance_error(source, instances, line - _FIRST_INSTANCE, what)
        for item in errors:
            number = int(item["line"]) - _FIRST_INSTANCE
            if item["file"].endswith(UNIT) and 0 <= number < len(instances):
                name = instances[number]
                error.rejected.setdefault(name, f"`{name}`: {folder.users(item['what'].strip())}")
        return error
    rejected = compile_error(source, folder.users(match["file"]), line, what)
    if isinstance(rejected, SourceError):
        rejected.every = [(folder.users(item["file"]), int(item["line"]), item["what"].strip()) for item in errors]
    return rejected


def _end(status: int) -> str:
    """Return how an nvcc ended that says nothing about the reason."""
    if status < 0:
        return f"nvcc was ended by signal {-status}"
    return f"nvcc exited with {status}" if status else "nvcc wrote no PTX"
