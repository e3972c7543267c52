"""Create the translation unit of a variant from the pattern's files, an element type and options."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import SHARED_HEADERS, read_source
from shflbench.core.model import DTYPES
from shflbench.cuda.compile.host_headers import included_by_cuda, stub
from shflbench.errors import PatternError
from shflbench.patterns.copies import timed_copy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from shflbench.core.model import Case, Dtype
    from shflbench.patterns.declare import Pattern, Variant
    from shflbench.patterns.discover import LoadedPattern

_COPIED = re.compile(r'^#include "(?P<name>copied/(?P<variant>[a-z0-9-]+)\.cuh)"', re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """A translation unit; it contains no path of this machine, so that equal files compile to equal code."""

    name: str  # shown in messages and line tables, e.g. "neighbor/kernels.cu"
    text: str
    headers: Mapping[str, str]  # name in #include → text
    expression: str  # the kernel's name in C++, e.g. "neighbor_shfl<float>"
    takes_shared: bool = False  # whether its launch may take dynamic shared memory
    options: tuple[str, ...] = ()  # of NVRTC, beside the usual ones
    files: Mapping[str, Path] = field(default_factory=dict, compare=False)  # the user's files, by name, for messages

    def shown(self, name: str) -> str:
        """Return a file of a message as a user types it, if it lies below the current folder."""
        if name not in self.files:
            return name
        path, folder = Path(os.path.normpath(self.files[name].absolute())), Path.cwd()
        return str(path.relative_to(folder)) if path.is_relative_to(folder) else name

    @property
    def unit(self) -> tuple[object, ...]:
        """The part that sources share if they can be compiled together.

        ptxas gives every kernel of a unit a section for dynamic shared memory if one of them uses it.
        """
        return (self.name, self.text, self.takes_shared, self.options, *self.headers.items())

    @property
    def includes_cuda(self) -> bool:
        """Whether it includes CUDA headers, which take longer to compile than the kernels."""
        included = (name for text in (self.text, *self.headers.values()) for name in _INCLUDE.findall(text))
        return any(name not in self.headers for name in included)


def translation_unit(pattern: LoadedPattern, case: Case) -> Source:
    """Return the source of the kernel of a case; PatternError if a file cannot be read."""
    variant, dtype = pattern.declaration.variant(case.variant), DTYPES[case.dtype]
    path = pattern.folder / variant.source
    name = source_name(pattern, variant)
    text, included = _read(path), headers(pattern, variant)
    texts = {name: _read(header) for name, header in included.items()}
    texts |= _copied_headers(pattern, case, dtype, (text, *texts.values()), included)
    return Source(
        name=name,
        text="\n".join((*_prelude(pattern.declaration, case, dtype), f'#line 1 "{name}"', text)),
        headers=texts | _host_headers((text, *texts.values()), texts),
        expression=expression(pattern.name, variant, dtype),
        takes_shared=variant.takes_shared,
        options=pattern.declaration.compiler_options,
        files={
            name: path for name, path in ({name: path} | included).items() if not path.is_relative_to(SHARED_HEADERS)
        },
    )


def _copied_headers(
    pattern: LoadedPattern, case: Case, dtype: Dtype, texts: Iterable[str], known: Collection[str]
) -> dict[str, str]:
    """Return the functions of copy.cu that the files of a pattern include as `copied/VARIANT.cuh`, by that name."""
    options = {name: value for name, value in case.options if name in pattern.declaration.options}
    return {
        match["name"]: timed_copy(pattern.folder, match["variant"], dtype, options)
        for text in texts
        for match in _COPIED.finditer(text)
        if match["name"] not in known
    }


def _host_headers(texts: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Return what stands for the headers of the host's C and C++ that NVRTC lacks, by name."""
    contents: dict[str, str] = {}
    waiting = [name for text in texts for name in _INCLUDE.findall(text)]
    while waiting:
        name = waiting.pop()
        if name in known or name in contents:
            continue
        if (content := stub(name)) is None:
            waiting += included_by_cuda(name)
        else:
            contents[name] = content.decode()
            waiting += _INCLUDE.findall(contents[name])
    return contents


def source_name(pattern: LoadedPattern, variant: Variant) -> str:
    """Return the file name of a variant in messages and line tables, e.g. `neighbor/kernels.cu`."""
    return f"{pattern.name}/{Path(variant.source).name}"


def expression(pattern: str, variant: Variant, dtype: Dtype) -> str:
    """Return the name of a variant's kernel in C++, e.g. `neighbor_shfl<float>`."""
    return _expression(pattern, variant).replace("{T}", dtype.cuda)


def kernel_name(pattern: str, variant: Variant) -> str:
    """Return the name of a variant's kernel in its definition, e.g. `neighbor_shfl`."""
    return _expression(pattern, variant).partition("<")[0].rpartition("::")[2]


def _expression(pattern: str, variant: Variant) -> str:
    return variant.kernel or f"{pattern}_{variant.name}".replace("-", "_") + "<{T}>"


def _prelude(pattern: Pattern, case: Case, dtype: Dtype) -> Iterator[str]:
    """Yield the lines before the text; macros on the command line would break NVRTC's own prelude."""
    if dtype.header:
        yield f"#include <{dtype.header}>"
    yield from _defined(_dtype_macros(dtype))
    if not pattern.one_pass:
        yield f"constexpr int UNROLL = {pattern.unroll};"
    if pattern.static_block:
        yield f"constexpr int BLOCK = {case.launch.block};"
    yield from _defined(_option_macros(pattern, dict(case.options)))


def _defined(macros: Mapping[str, str]) -> Iterator[str]:
    return (f"#define {name} {value}" for name, value in macros.items())


def setting_macros(pattern: Pattern, dtype: Dtype, options: Mapping[str, str]) -> dict[str, str]:
    """Return the macros that tell a source its element type, where it has a header, and its options: name → value."""
    return _dtype_macros(dtype) | _option_macros(pattern, options)


def _dtype_macros(dtype: Dtype) -> dict[str, str]:
    return {f"DTYPE_{dtype.name.upper()}": "1"} if dtype.header else {}


def _option_macros(pattern: Pattern, options: Mapping[str, str]) -> dict[str, str]:
    macros: dict[str, str] = {}
    for name, value in options.items():
        if name in pattern.options:
            macro = f"OPTION_{_macro(name)}"
            macros |= {macro: value, f"{macro}_{_macro(value)}": "1"}
    return macros


def _macro(text: str) -> str:
    return re.sub(r"\W", "_", text).upper()


def headers(pattern: LoadedPattern, variant: Variant) -> dict[str, Path]:
    """Return the headers that a variant's source includes, directly or through others, by their names in `#include`.

    The search order is: the folder of the including file, of the source, of the pattern, and of the headers that all
    patterns share. Other headers belong to CUDA or are missing. PatternError if a file cannot be read.
    """
    source = pattern.folder / variant.source
    folders = (source.parent, pattern.folder, SHARED_HEADERS)
    files: dict[str, Path] = {}
    waiting = [source]
    while waiting:
        file = waiting.pop(0)
        for name in _INCLUDE.findall(_read(file)):
            path = next((path for folder in (file.parent, *folders) if (path := folder / name).is_file()), None)
            if path is not None and name not in files:
                files[name] = path
                waiting.append(path)
    return files


def _read(path: Path) -> str:
    try:
        return read_source(path)
    except (OSError, UnicodeDecodeError) as error:
        raise PatternError(f"{path} cannot be read: {error}") from error
