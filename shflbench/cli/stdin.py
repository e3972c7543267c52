"""A kernel from stdin, which commands on files take as `-`: it becomes a temporary file, `stdin.cu` or `stdin.ptx`."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shflbench.core.files import MOST_SOURCE
from shflbench.core.stdin_file import STDIN_FOLDER, STDIN_NAMES
from shflbench.errors import InputError, UsageError

if TYPE_CHECKING:
    import click

    Given = TypeVar("Given", str, Path)

STDIN = "-"
_PTX = re.compile(rb"^[ \t]*\.version\s+[0-9].*^[ \t]*\.target\s", re.MULTILINE | re.DOTALL)
_ADVICE = "Pipe a kernel into it, as in: shflbench {command} - < kernel.cu"


def files_given(context: click.Context, _: click.Parameter, values: tuple[Given, ...]) -> tuple[Given, ...]:
    """Return the targets of a command with a file that holds what stdin has in place of `-`."""
    number = [str(value) for value in values].count(STDIN)
    if not number or context.resilient_parsing:  # a shell completes the command line
        return values
    if number > 1:
        raise UsageError(f"`{STDIN}` is given {number} times, and stdin is one file", "Give it once.")
    return tuple(_file(context, value) if str(value) == STDIN else value for value in values)


def file_given(context: click.Context, parameter: click.Parameter, value: Given | None) -> Given | None:
    """Return the target of a command, or a file that holds what stdin has in place of `-`."""
    return value if value is None else files_given(context, parameter, (value,))[0]


def _file(context: click.Context, value: Given) -> Given:
    """Write what stdin has to a file that lasts as long as the command."""
    content = _read(context.info_name or "check")
    folder = Path(context.with_resource(tempfile.TemporaryDirectory(prefix=STDIN_FOLDER))).resolve()
    cuda, ptx = STDIN_NAMES
    file = folder / (ptx if _PTX.search(content) else cuda)
    file.write_bytes(content)
    context.find_root().obj.hidden_folder = folder
    return type(value)(file)


def _read(command: str) -> bytes:
    """Return what stdin has; UsageError if that is nothing, or what a person would have to type."""
    advice = _ADVICE.format(command=command)
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError(f"`{STDIN}` reads a kernel from stdin, and stdin is closed", advice)
    if sys.stdin.isatty():
        raise UsageError(f"`{STDIN}` reads a kernel from stdin, and stdin is a terminal", advice)
    try:
        content = sys.stdin.buffer.read(MOST_SOURCE + 1)
    except OSError as error:
        raise InputError(f"stdin cannot be read: {error.strerror or error}", advice) from error
    if len(content) > MOST_SOURCE:
        raise InputError(f"stdin has more than {MOST_SOURCE // 2**20} MiB", "Pass a file with fewer kernels.")
    if not content.strip():
        raise UsageError(f"`{STDIN}` reads a kernel from stdin, and stdin is empty", advice)
    return content
