"""Read a suite file and parse its YAML; every word keeps its position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

from shflbench.core.files import irregular_kind, read_regular
from shflbench.errors import SuiteError
from shflbench.printable import escape
from shflbench.suite.compose import UnsupportedYamlError, compose
from shflbench.suite.positions import Entries, position_after
from shflbench.suite.quotes import show
from shflbench.suite.schema import SuiteFile

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 100_000  # the largest suite here has 12,000; ruamel reads 300,000 a second

# Line breaks in YAML 1.1, not in 1.2 and editors, in ruamel sometimes: line numbers would be ambiguous.
_AMBIGUOUS_BREAK = re.compile("[\x85\u2028\u2029]")

_IS_YAML = "A suite is a text file in YAML."


def read(path: Path) -> str:
    """Return the text of the file, with LF as line break; SuiteError if it cannot be read."""
    try:
        if kind := irregular_kind(path):
            raise SuiteError(f"{path} is {kind}, not a file", _IS_YAML)
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        advice = "Give the path of a suite file, or a name that `shflbench list suites` shows."
        raise SuiteError(f"there is no file {path}", advice) from None
    except OSError as error:
        message = f"{path} cannot be read: {(error.strerror or str(error)).lower()}"
        raise SuiteError(message, "Check the path and its permissions.") from None
    if len(data) > MAX_BYTES:
        message = f"{path}:1:1: found a file that is too large; allowed: {MAX_BYTES:,} bytes"
        raise SuiteError(message, _IS_YAML)
    try:
        return _unify_breaks(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line, column = position_after(_unify_breaks(error.object[: error.start].decode("utf-8-sig")))
        byte = error.object[error.start]
        message = f"{path}:{line}:{column}: found the byte 0x{byte:02x}, which is not UTF-8; needed: text in UTF-8"
        raise SuiteError(message, "Save the file as UTF-8.") from None


def parse(text: str, path: Path) -> Entries:
    """Return the mapping in the file; SuiteError if it is not YAML, or not a mapping."""
    if match := _AMBIGUOUS_BREAK.search(text):
        line, column = position_after(text[: match.start()])
        message = f"{path}:{line}:{column}: found the line break U+{ord(match[0]):04X}; allowed: LF, CR LF or CR"
        raise SuiteError(message, "Save the file with the line breaks of a text editor.")
    try:
        document, (line, column) = compose(text)
    except UnsupportedYamlError as error:
        message = f"{path}:{error.position.line}:{error.position.column}: {error.sentence}"
        raise SuiteError(message) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = f"{path}:{line}:{column}: not YAML: {escape(str(error.problem or error.context))}"
        raise SuiteError(message, _IS_YAML) from None
    except ReaderError as error:
        line, column = position_after(text[: error.position])
        raise SuiteError(f"{path}:{line}:{column}: not YAML: {error.reason}", _IS_YAML) from None
    if isinstance(document, Entries):
        return document
    content = "an empty file" if document is None else show(document)
    message = f"{path}:{line}:{column}: found {content}; allowed: a mapping with the keys {', '.join(SuiteFile.keys())}"
    raise SuiteError(message)


def _unify_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
