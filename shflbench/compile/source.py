"""Make one translation unit of a pattern's files, a variant, an element type and options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.model import Dtype
    from shflbench.patterns.declare import Variant
    from shflbench.patterns.discover import LoadedPattern

HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".inl")
COMMON = Path(__file__).parent.parent / "patterns" / "shflbench.cuh"


@dataclass(frozen=True, slots=True)
class Source:
    """A translation unit as the compiler gets it; holds no path of this machine, so that equal files compile equal."""

    name: str  # shown in messages and line tables, e.g. "neighbor/kernels.cu"
    text: str
    headers: Mapping[str, str]  # name in #include → text
    expression: str  # the kernel's name in C++, e.g. "neighbor_shfl<float>"


def translation_unit(
    pattern: LoadedPattern, variant: Variant, dtype: Dtype, options: tuple[tuple[str, str], ...] = ()
) -> Source:
    """Return the source of one kernel; PatternError if a file cannot be read."""
    path = pattern.folder / variant.source
    # Macros come before the text, not from the command line: NVRTC's own prelude breaks on -DT=float.
    prelude = [f"constexpr int UNROLL = {pattern.declaration.unroll};"]
    prelude += [f"#define OPTION_{name.upper().replace('-', '_')} {value}" for name, value in options]
    name = f"{pattern.name}/{variant.source}"
    return Source(
        name=name,
        text="\n".join((*prelude, f'#line 1 "{name}"', _read(path))),
        headers=_headers(pattern.folder),
        expression=f"{pattern.name}_{variant.name}".replace("-", "_") + f"<{dtype.cuda}>",
    )


def _headers(folder: Path) -> dict[str, str]:
    own = sorted(path for path in folder.rglob("*") if path.suffix in HEADER_SUFFIXES)
    return {COMMON.name: _read(COMMON), **{path.relative_to(folder).as_posix(): _read(path) for path in own}}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PatternError(f"{path} cannot be read: {error}") from error
