"""The code of a variant for use in other programs: plain CUDA C++ without the headers of shflbench.

It is what is timed: a kernel that includes `copied/VARIANT.cuh` gets the functions for its case, and calls them.

The folder of each pattern that comes with shflbench has a file `copy.cu`, which consists of marked pieces of code:

    //: shfl smem dtype=f16,f32 width=32,16   the file covers these variants for these dtypes and values of an option
    //! shfl smem                             start of a section of the variants `shfl` and `smem` (`*`: of all)
    sum = __hadd(sum, x);  //! dtype=f16      a line for this dtype only (`!=`: for all others)

The code of a variant consists of the sections that name it and whose conditions hold, in order. `{T}` stands for the
element type, `{U}` for the type of its size whose addition is defined on overflow, and `{width}` for the value of that
option. A line with `{.}` is repeated for each member of a vector type (`.x`, `.y`, …).
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.model import DTYPES, Dtype

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["FILE", "copy_of", "editable_copy", "render", "timed_copy", "timed_namespace"]

FILE = "copy.cu"
ALL = "*"  # all variants

_PATTERN = re.compile(r"[a-z0-9-]+")  # a name, without any part of a path
_COVERED, _MARK, _MEMBER, _INCLUDE = "//:", "//!", "{.}", "#include"
_CONDITION = re.compile(r"(?P<name>\w+)(?P<negated>!?)=(?P<values>\S+)")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_FUNCTION = re.compile(r"^__device__ inline .*?(\w+)\(", re.MULTILINE)
_ASSERTED = re.compile(r"^ *assert\(.*\);$", re.MULTILINE)
_ASSERT = "#ifndef __CUDACC_RTC__  // NVRTC has `assert` built in\n#include <cassert>\n#endif\n"
_BOUNDS = "// Timed in kernels with __launch_bounds__(threads per block, blocks per SM) of their launch.\n"
_UNSIGNED = {"i32": "unsigned", "i64": "unsigned long long"}


def copy_of(pattern: str, variant: str, dtype: str, options: Mapping[str, str]) -> str | None:
    """Return the code of a variant for one dtype and one choice of options; options of the launch do not change it.

    None if the pattern does not come with shflbench, or has no code to recommend for this choice.
    """
    text = _read(Path(__file__).parent / pattern.replace("-", "_") / FILE) if _PATTERN.fullmatch(pattern) else ""
    named = _covered(text, variant, {**options, "dtype": dtype})
    if named is None:
        return None
    code = render(text, variant, DTYPES[dtype], {name: options[name] for name in named & options.keys()})
    header = DTYPES[dtype].header
    includes = [f"#include <{header}>"] if header else []
    includes += [line for line in code.splitlines() if line.startswith(_INCLUDE)]
    functions = "\n".join(line for line in code.splitlines() if line not in includes).strip("\n")
    before = "".join(f"{line}\n" for line in dict.fromkeys(includes)) + (_ASSERT if _ASSERTED.search(code) else "")
    name = f"{pattern}_{variant}".replace("-", "_")
    return f"{before}{before and chr(10)}{_BOUNDS}namespace {name} {{\n\n{functions}\n\n}}\n"


def timed_copy(folder: Path, variant: str, dtype: Dtype, options: Mapping[str, str]) -> str:
    """Return the same functions as a header for the timed kernels, in a namespace of the variant's name.

    Asserts are left out, as with NDEBUG. Its lines are named as those of copy.cu. For a choice that the file does not
    cover, functions are only declared: kernels of the same source that have other variants name them.
    """
    return _timed_copy(_read(folder / FILE), folder.name, variant, dtype, tuple(options.items()))


@lru_cache(maxsize=1024)  # each kernel of a file includes the functions of all of its variants
def _timed_copy(text: str, folder: str, variant: str, dtype: Dtype, chosen: tuple[tuple[str, str], ...]) -> str:
    options = dict(chosen)
    namespace = f"namespace {timed_namespace(variant)} {{"
    if _covered(text, variant, {**options, "dtype": dtype.name}) is None:
        functions = dict.fromkeys(_FUNCTION.findall(_every_section(text, variant)))
        declared = [f"template <typename... Any>\n__device__ void {name}(Any&&...);" for name in functions]
        return "\n".join([namespace, *declared, "}", ""])
    numbered = list(_rendered(text, variant, dtype, options))
    includes = [line for _, line in numbered if line.startswith(_INCLUDE)]
    lines, expected = [*includes, namespace], 0
    for number, line in numbered:
        if line in includes or _ASSERTED.match(line):
            continue
        if number != expected:
            lines.append(f'#line {number} "{folder}/{FILE}"')
        lines.append(line)
        expected = number + 1
    return "\n".join([*lines, "}", ""])


def editable_copy(
    folder: Path, variant: str, dtype: Dtype, options: Mapping[str, str]
) -> tuple[Sequence[str], str] | None:
    """Return the same functions without asserts and without a namespace, after the `#include` lines that they need.

    None for a choice that the file does not cover.
    """
    text = _read(folder / FILE)
    if _covered(text, variant, {**options, "dtype": dtype.name}) is None:
        return None
    lines = render(text, variant, dtype, options).splitlines()
    includes = list(dict.fromkeys(line for line in lines if line.startswith(_INCLUDE)))
    kept = [line for line in lines if line not in includes and not _ASSERTED.match(line)]
    return includes, "\n".join(kept).strip("\n")


def timed_namespace(variant: str) -> str:
    """Return the namespace of a variant's functions in the sources of the timed kernels."""
    name = variant.replace("-", "_")
    return f"shflbench::{name}_" if name == "register" else f"shflbench::{name}"  # a keyword of C++


def render(text: str, variant: str, dtype: Dtype, options: Mapping[str, str]) -> str:
    """Return the sections of a variant with all placeholders replaced."""
    return "\n".join(line for _, line in _rendered(text, variant, dtype, options)).rstrip("\n") + "\n"


def _covered(text: str, variant: str, chosen: Mapping[str, str]) -> set[str] | None:
    """Return the names of the options in the line that covers a choice; None if none does."""
    covered = (line.removeprefix(_COVERED) for line in text.splitlines() if line.startswith(_COVERED))
    conditions = next((words for words in covered if _applies(words, variant, chosen)), None)
    return None if conditions is None else {match["name"] for match in _CONDITION.finditer(conditions)}


def _every_section(text: str, variant: str) -> str:
    """Return the sections of a variant with the lines of all choices."""
    kept, is_kept = [], False
    for line in text.splitlines():
        if line.startswith(_MARK):
            names = _CONDITION.sub("", line.removeprefix(_MARK)).split()
            is_kept = not names or variant in names or ALL in names
        elif is_kept:
            kept.append(line)
    return "\n".join(kept)


def _rendered(text: str, variant: str, dtype: Dtype, options: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a variant with all placeholders replaced, each with its number in the file."""
    values = {**options, "T": dtype.cuda, "U": _UNSIGNED.get(dtype.name, dtype.cuda)}
    members = [f".{member}" for member in "xyzw"[: dtype.components]] if dtype.components > 1 else [""]
    is_after_empty = True  # one empty line at a time
    for number, line in _lines(text, variant, {**options, "dtype": dtype.name}):
        if line or not is_after_empty:
            is_after_empty = not line
            for item in [line.replace(_MEMBER, member) for member in members] if _MEMBER in line else [line]:
                yield number, _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), item)


def _lines(text: str, variant: str, chosen: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of the sections that belong to a variant and whose conditions hold."""
    in_section = False
    for number, line in enumerate(text.splitlines(), 1):
        code, mark, words = line.partition(_MARK)
        if mark and not code:
            in_section = _applies(words, variant, chosen)
        elif in_section and _applies(words, variant, chosen):
            yield number, code.rstrip()


def _applies(words: str, variant: str, chosen: Mapping[str, str]) -> bool:
    """Return whether the words name the variant, or none at all, and all conditions among them hold."""
    names, conditions = _parsed(words)
    return (not names or variant in names or ALL in names) and all(
        (chosen.get(name) in values) != negated for name, values, negated in conditions
    )


@lru_cache(maxsize=4096)
def _parsed(words: str) -> tuple[Sequence[str], Sequence[tuple[str, Sequence[str], bool]]]:
    """Return the names among words, and the name, values and negation of each condition: files repeat the same ones."""
    conditions = [
        (match["name"], match["values"].split(","), bool(match["negated"])) for match in _CONDITION.finditer(words)
    ]
    return _CONDITION.sub("", words).split(), conditions


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
