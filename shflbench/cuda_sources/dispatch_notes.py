"""Notes on dispatches of the host code, whose other types are not compiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.lexer import code_only
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.type_dispatch import with_one_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.source import CudaSource

_USE = re.compile(rb"\b(\w*DISPATCH\w*)\s*\(")
_OF_LIBRARY = re.compile(r"AT_DISPATCH_(?!CASE)\w+")


def dispatch_notes(source: CudaSource) -> list[SourceNote]:
    """Return a note on the first dispatch on types, if the host code launches templates."""
    if not source.instances:
        return []
    first = next((line for file in source.unit.files for line in _dispatches(file, source)), None)
    text = (
        "one type stands for all of a dispatch on types: the instances of the others are not checked; name them with "
    )
    return [SourceNote("dispatch", f"{text}--kernel", first)] if first is not None else []


def _dispatches(file: UserFile, source: CudaSource) -> Iterator[SourceLine]:
    """Yield the lines of a file that choose code by a type: `AT_DISPATCH_…`, and macros with a switch over types."""
    if b"DISPATCH" not in file.text:
        return
    for match in _USE.finditer(code_only(file.text)):
        name = match[1].decode()
        if any(span.start <= match.start() < span.end for span in file.lexed.directives):
            continue
        known = source.macros.definitions(name)
        if any(with_one_case(item.body)[1] for item in known) or (not known and _OF_LIBRARY.fullmatch(name)):
            yield SourceLine(file.path, file.text.count(b"\n", 0, match.start()) + 1)
