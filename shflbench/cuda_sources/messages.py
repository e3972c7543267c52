"""Errors about files and compilers, in one sentence each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import COPIED, SHARED_HEADERS, read_regular, relative
from shflbench.cuda_sources.repository import repository_root
from shflbench.errors import CompileError, not_compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

# Words of GPUVerify (clang's cuda.h of the tool) and of Faial, which no CUDA compiler knows.
_DIALECT = re.compile(
    r'"?(__(?:requires|ensures|assert|assume|axiom|invariant|global_invariant|candidate_\w+|global_(?:requires|ensures)|'
    r"enabled|uniform_\w+|distinct_\w+|exclusive|at_most_one|other_\w+|no_read|no_write|accessed|"
    r"read_implies|write_implies|reads_from\w*|writes_to\w*|return_val\w*|old_\w+|ptr_base|ptr_offset\w*|implies|xor|iff|"
    r"requires_fresh_array|function_wide_\w+|function_wide_invariant|is_uniform|non_temporal_\w+|barrier_invariant\w*|"
    r"array_snapshot|loop_bound|add_noovfl\w*|skip_candidate\w*|bugle_\w*|unroll|int_range))\b"
)
_TEXTURE = re.compile(r"\btexture\s*<[^;{}<>]*>\s*(\w+)")
# CUDA C++ Programming Guide 13.0, 10.19 and 10.22: functions of warps that had no mask.
_WITHOUT_MASK = re.compile(r'identifier "(__shfl(?:_up|_down|_xor)?|__any|__all|__ballot)" is undefined')
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
# Of gcc in the name of nvcc, and of NVRTC.
_MISSING = re.compile(r'(?P<gcc>\S+): No such file or directory|cannot open source file "(?P<nvrtc>[^"]+)"')

MODULES = ".gitmodules"
_MODULE = re.compile(r"^\s*path\s*=\s*([\w.+/-]+?)\s*$", re.MULTILINE)

DECLARATIONS = ("pattern.py", "challengers.json")  # of patterns whose sources include headers of shflbench

MAXIMUM_MESSAGE = 400  # characters: compilers repeat names of any length


class SourceError(CompileError):
    """The compiler rejects a line of a file."""

    def __init__(self, source: Path, reason: str, advice: str, log: str = "", at: tuple[str, int] = ("", 0)) -> None:
        """Keep the file and the line beside the sentence; the line is 0 if there is none."""
        most = max(MAXIMUM_MESSAGE - len(not_compiled(source)), 1)
        super().__init__(reason if len(reason) <= most else f"{reason[: most - 1]}…", advice, source, log)
        self.file, self.line = at
        self.every: Sequence[tuple[str, int, str]] = ()  # file, line and text of each error of nvcc, this one included


class InstanceError(SourceError):
    """The compiler rejects an instance of a template: `instance` as it was given, "" if that is not known."""

    def __init__(self, source: Path, what: str, instance: str) -> None:
        """Keep the instance, and `what` the compiler says of it."""
        reason = f"`{instance}`: {what}" if instance else what
        super().__init__(source, reason, "Name another instance with --kernel.", what)
        self.instance = instance
        self.rejected = {instance: reason}  # nvcc says a reason for each of several instances


class RemovedFeatureError(SourceError):
    """The compiler rejects what CUDA has removed."""


class MissingHeaderError(CompileError):
    """A header is on no path."""


MAXIMUM_NEAR = 200  # entries of a folder in which a missing header is searched for
MAXIMUM_BYTES = 16 * 2**20  # of a file of which a line is shown
# Device code may use these headers, which are no part of the compiler's package.
_PACKAGES = (
    ("curand", "cuRAND of the CUDA toolkit (with pip: nvidia-curand) and pass its include folder"),
    *((start, "CCCL (with pip: nvidia-cuda-cccl)") for start in ("cub/", "cuda/", "nv/", "thrust/")),
    *(
        (start, "the headers of CUDA (with pip: nvidia-cuda-runtime)")
        for start in ("cuda_", "cooperative_groups", "mma.h")
    ),
    ("cutlass/", "CUTLASS (its include folder)"),
    ("cute/", "CUTLASS (its include folder)"),
    ("crt/", "the headers of the CUDA compiler (with pip: nvidia-cuda-crt)"),
)
FIX = "Fix the source line, or pass missing folders with -I and macros with -D."


def compile_error(source: Path, file: str, line: int, what: str, advice: str = FIX) -> CompileError:
    """Return the error for a message of the compiler at a line of a file; `line` is 0 if there is none."""
    place = f"{relative(Path(file), Path.cwd())}:{line}: " if file and line else ""
    if (header := named_header(what)) is not None:
        return missing_header(source, place, header)
    word = _DIALECT.search(what) if "undefined" in what or "not declared" in what else None
    word = word or _DIALECT.search(_line(file, line))
    if word is not None:
        return CompileError(
            f"{place}{word[1]} belongs to the dialect of a program verifier, not to CUDA",
            "Remove the annotations of the verifier.",
            source,
        )
    if _is_texture_reference(what, file):
        removed = "CUDA 12 removed texture references, `texture<…>`"
        advice = "Use texture objects (cudaTextureObject_t), or compile with CUDA 11 and pass the PTX."
        return RemovedFeatureError(source, f"{place}{removed}", advice, at=(file, line))
    if (old := _WITHOUT_MASK.search(what)) is not None:
        reason = f"{place}`{old[1]}` exists below sm_70 only; from there on, `{old[1]}_sync` takes its place"
        return RemovedFeatureError(source, reason, "Name the lanes that take part as its mask.", what, (file, line))
    return SourceError(source, f"{place}{what}", advice, what, (file, line))


def named_header(what: str) -> str | None:
    """Return the header that a message of the compiler says is missing; None for another message."""
    match = _MISSING.match(what)
    return match["gcc"] or match["nvrtc"] if match is not None else None


def instance_error(source: Path, instances: Sequence[str], index: int, what: str) -> InstanceError:
    """Return the error for an instance of a template that a user or this package names."""
    return InstanceError(source, what, instances[index] if 0 <= index < len(instances) else "")


def missing_header(source: Path, place: str, name: str) -> CompileError:
    """Return the error for a header that is on no path."""
    of_patterns = (SHARED_HEADERS / name).is_file() or name.startswith(COPIED)
    if of_patterns and any((source.parent / name).is_file() for name in DECLARATIONS):
        remedy = f"check the pattern: shflbench check {source.parent}"
        return CompileError(f"{place}{name} belongs to patterns; {remedy}", subject=source)
    if (submodule := _submodule_of(source, name)) is not None:
        remedy = f"git submodule update --init {submodule}"
        text = f"{place}there is no header {name}: the submodule {submodule} is not checked out; run `{remedy}`"
        return MissingHeaderError(text, FIX, source)
    package = next((f", or install {text}" for start, text in _PACKAGES if name.startswith(start)), "")
    folder = _folder_with(source, name)
    advice = f"pass -I {folder}" if folder is not None else f"pass its folder with -I{package}"
    return MissingHeaderError(f"{place}there is no header {name}; {advice}", FIX, source)


def _submodule_of(source: Path, name: str) -> str | None:
    """Return the submodule of the file's repository whose folder is empty, and is called as the header's one begins."""
    root = repository_root(source)
    package = name.partition("/")[0].lower()
    try:
        if root is None or "/" not in name or not (root / MODULES).is_file():
            return None
        paths = _MODULE.findall(read_regular(root / MODULES, MAXIMUM_BYTES).decode(errors="replace"))
        named = (path for path in paths if re.split(r"[-_.]", path.rpartition("/")[2].lower())[0] == package)
        return next((path for path in named if not any((root / path).glob("*"))), None)
    except OSError:
        return None


def is_of_device_package(name: str) -> bool:
    """Whether a header belongs to a package that device code uses."""
    return any(name.startswith(start) for start, _ in _PACKAGES)


def _folder_with(source: Path, name: str) -> Path | None:
    """Return a folder beside that of the source, or in it, that has the header."""
    if not re.fullmatch(r"[\w.+/-]+", name) or ".." in name or name.startswith("/"):
        return None
    try:
        near = (source.resolve().parent, source.resolve().parent.parent)
        folders = [item for folder in near for item in sorted(folder.iterdir())[:MAXIMUM_NEAR]]
        return next((item for item in folders if (item / name).is_file()), None)
    except OSError:  # a folder that cannot be read
        return None


def _is_texture_reference(what: str, file: str) -> bool:
    """Whether an error is at the declaration of a texture reference, or at a use where NVRTC got no host variables."""
    if "texture is not a template" in what:
        return True
    name = _UNDEFINED.search(what)
    return name is not None and name[1] in _TEXTURE.findall("\n".join(_lines(file)))


def _line(file: str, line: int) -> str:
    """Return a line of a file, without comment; "" if there is none."""
    lines = _lines(file)
    return lines[line - 1].partition("//")[0] if 0 < line <= len(lines) else ""


def _lines(file: str) -> list[str]:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > MAXIMUM_BYTES:
            return []
        return read_regular(path, MAXIMUM_BYTES).decode(errors="replace").splitlines()
    except (OSError, ValueError):
        return []
