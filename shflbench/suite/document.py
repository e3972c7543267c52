"""Read a suite file and parse its YAML, keeping the place of every word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from shflbench.errors import SuiteError
from shflbench.suite.problems import ADVICE, show
from shflbench.suite.schema import SuiteFile

if TYPE_CHECKING:
    from pathlib import Path

MAX_DEPTH = 50  # a suite needs 7; ruamel recurses, and Python ends that at 1000

_IS_YAML = "A suite is a YAML file; `shflbench list` names those that come with shflbench."


def read(path: Path) -> str:
    """Return the text of the file; SuiteError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _line_and_column(error.object[: error.start].decode("utf-8"))
        byte = error.object[error.start]
        message = f"{path}:{line}:{column}: found the byte 0x{byte:02x}, which is not UTF-8; needed: text in UTF-8"
        raise SuiteError(message, "Save the file as UTF-8.") from None
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}"
        raise SuiteError(message, _IS_YAML) from None


def parse(text: str, path: Path) -> CommentedMap:
    """Return the mapping that the file holds; SuiteError where it is not YAML or no mapping."""
    try:
        _refuse_what_no_suite_needs(text, path)
        document = YAML().load(text)
    except DuplicateKeyError as error:
        key = re.search(r'key "(.*?)" with', error.problem)
        message = f"{_at(path, error)}: found the key `{key[1] if key else '?'}` a second time; allowed: each key once"
        raise SuiteError(message, "Merge the two entries, or remove one.") from None
    except MarkedYAMLError as error:
        raise SuiteError(f"{_at(path, error)}: not YAML: {error.problem}", _IS_YAML) from None
    except ReaderError as error:
        line, column = _line_and_column(text[: error.position])
        raise SuiteError(f"{path}:{line}:{column}: not YAML: {error.reason}", _IS_YAML) from None
    except ValueError as error:  # such as an impossible date, or a number of thousands of digits
        raise SuiteError(f"{path}: not YAML that can be read: {error}", _IS_YAML) from None
    if isinstance(document, CommentedMap):
        return document
    found = "an empty file" if document is None else show(document)
    message = f"{path}:1:1: found {found}; allowed: a mapping with the keys {', '.join(SuiteFile.keys())}"
    raise SuiteError(message, ADVICE)


def _refuse_what_no_suite_needs(text: str, path: Path) -> None:
    """Refuse the YAML over which ruamel stumbles: `!!bool word`, `{[a, b]: c}` and `[[[[…`."""
    key_is_next: list[bool | None] = []  # for each open mapping; None for an open list
    for event in YAML().parse(text):
        place = f"{path}:{event.start_mark.line + 1}:{event.start_mark.column + 1}"
        if isinstance(event, (SequenceEndEvent, MappingEndEvent)):
            key_is_next.pop()
        if not isinstance(event, NodeEvent):
            continue
        if tag := getattr(event, "tag", None):
            word = str(tag).replace("tag:yaml.org,2002:", "!!")
            raise SuiteError(f"{place}: found the tag `{word}`; allowed: values without tags", ADVICE)
        if key_is_next and key_is_next[-1] is not None:
            if key_is_next[-1] and not isinstance(event, ScalarEvent):
                raise SuiteError(f"{place}: found a key that is no word; allowed: keys such as `launch`", ADVICE)
            key_is_next[-1] = not key_is_next[-1]
        if isinstance(event, (SequenceStartEvent, MappingStartEvent)):
            key_is_next.append(True if isinstance(event, MappingStartEvent) else None)
        if len(key_is_next) > MAX_DEPTH:
            raise SuiteError(
                f"{place}: found more nesting than a suite needs; allowed: {MAX_DEPTH} levels",
                ADVICE,
            )


def _at(path: Path, error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)


def _line_and_column(before: str) -> tuple[int, int]:
    """Return the place, from 1, of what follows the text `before`."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
