"""The code of a variant for use in other programs: plain CUDA C++ without the headers of shflbench.

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
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.model import DTYPES, Dtype

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["copy_of", "render"]

FILE = "copy.cu"
ALL = "*"  # all variants

_PATTERN = re.compile(r"[a-z0-9-]+")  # a name, without any part of a path
_COVERED, _MARK, _MEMBER = "//:", "//!", "{.}"
_CONDITION = re.compile(r"(?P<name>\w+)(?P<negated>!?)=(?P<values>\S+)")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_UNSIGNED = {"i32": "unsigned", "i64": "unsigned long long"}


def copy_of(pattern: str, variant: str, dtype: str, options: Mapping[str, str]) -> str | None:
    """Return the code of a variant for one dtype and one choice of options; options of the launch do not change it.

    None if the pattern does not come with shflbench, or has no code to recommend for this choice.
    """
    text = _read(pattern)
    chosen = {**options, "dtype": dtype}
    covered = (line.removeprefix(_COVERED) for line in text.splitlines() if line.startswith(_COVERED))
    conditions = next((words for words in covered if _applies(words, variant, chosen)), None)
    if conditions is None:
        return None
    names = {match["name"] for match in _CONDITION.finditer(conditions)}
    code = render(text, variant, DTYPES[dtype], {name: options[name] for name in names & options.keys()})
    header = DTYPES[dtype].header
    separator = "" if code.startswith("#include") else "\n"
    return f"#include <{header}>\n{separator}{code}" if header else code


def render(text: str, variant: str, dtype: Dtype, options: Mapping[str, str]) -> str:
    """Return the sections of a variant with all placeholders replaced."""
    values = {**options, "T": dtype.cuda, "U": _UNSIGNED.get(dtype.name, dtype.cuda)}
    members = [f".{member}" for member in "xyzw"[: dtype.components]] if dtype.components > 1 else [""]
    lines: list[str] = []
    for line in _lines(text, variant, {**options, "dtype": dtype.name}):
        if line or (lines and lines[-1]):  # one empty line at a time
            repeated = [line.replace(_MEMBER, member) for member in members] if _MEMBER in line else [line]
            lines += [_PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), item) for item in repeated]
    return "\n".join(lines).rstrip("\n") + "\n"


def _lines(text: str, variant: str, chosen: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the sections that belong to a variant and whose conditions hold."""
    in_section = False
    for line in text.splitlines():
        code, mark, words = line.partition(_MARK)
        if mark and not code:
            in_section = _applies(words, variant, chosen)
        elif in_section and _applies(words, variant, chosen):
            yield code.rstrip()


def _applies(words: str, variant: str, chosen: Mapping[str, str]) -> bool:
    """Return whether the words name the variant, or none at all, and all conditions among them hold."""
    conditions = list(_CONDITION.finditer(words))
    names = _CONDITION.sub("", words).split()
    return (not names or variant in names or ALL in names) and all(
        (chosen.get(match["name"]) in match["values"].split(",")) != bool(match["negated"]) for match in conditions
    )


@cache
def _read(pattern: str) -> str:
    path = Path(__file__).parent / pattern.replace("-", "_") / FILE
    return path.read_text(encoding="utf-8") if _PATTERN.fullmatch(pattern) and path.is_file() else ""
