"""A value of a JSON file that knows its place, so that errors name it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.core.json_text import DuplicateKeyError, parse
from shflbench.core.numerals import decimal_number, whole_number
from shflbench.errors import ResultsError
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shflbench.store.readers.recording import Floats

NUMBERS = {int, float}  # not bool
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # which JSON can write, and no file can hold
MOST_DIGITS = 30  # of a number that is written as a text


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One value; the methods raise ResultsError if it is of another type than they say."""

    value: Any
    path: Path
    where: str = ""  # `benchmarks[3].name`

    def has(self, key: str) -> bool:
        """Return whether an object has a key with a value that is not null."""
        return self._object().get(key) is not None

    def child(self, key: str) -> JsonNode:
        """Return the value of a key of an object, null if it is missing."""
        name = shorten(key)  # a file may name the keys, as a cache of Kernel Tuner does
        return JsonNode(self._object().get(key), self.path, f"{self.where}.{name}" if self.where else name)

    def items(self, key: str) -> Iterator[JsonNode]:
        """Yield the elements of the list under a key; none if it is missing or null."""
        node = self.child(key)
        if node.value is None:
            return
        if not isinstance(node.value, list):
            raise node.wrong("a list")
        for place, item in enumerate(node.value):
            yield JsonNode(item, self.path, f"{node.where}[{place}]")

    def members(self, key: str) -> Iterator[JsonNode]:
        """Yield the values of the object under a key."""
        node = self.child(key)
        if not isinstance(node.value, dict):
            raise node.wrong("an object")
        for name, value in node.value.items():
            yield JsonNode(value, self.path, f"{node.where}[{shorten(name)}]")

    def numbers(self, key: str) -> Floats:
        """Return the list of numbers under a key."""
        node = self.child(key)
        if not isinstance(node.value, list):
            raise node.wrong("a list of numbers")
        wrong = next((place for place, value in enumerate(node.value) if type(value) not in NUMBERS), None)
        if wrong is not None:
            raise JsonNode(node.value[wrong], self.path, f"{node.where}[{wrong}]").wrong("a number")
        try:
            return np.array(node.value, dtype=np.float64)
        except OverflowError:
            raise node.wrong("a list of numbers that a double can hold") from None

    def text(self, key: str) -> str:
        """Return the text under a key."""
        node = self.child(key)
        if not isinstance(node.value, str) or _HALF_CHARACTER.search(node.value):
            raise node.wrong("a text")
        return node.value

    def optional_text(self, key: str) -> str | None:
        """Return the text under a key, None if it is missing or null."""
        return self.text(key) if self.has(key) else None

    def flag(self, key: str) -> bool:
        """Return the truth value under a key, false if it is missing or null."""
        node = self.child(key)
        if node.value is not None and not isinstance(node.value, bool):
            raise node.wrong("true or false")
        return bool(node.value)

    def number(self, key: str) -> float:
        """Return the number under a key, which may be written as a text, as NVBench does; NaN and infinities, too."""
        node = self.child(key)
        value = node.value
        if isinstance(value, str) and len(value) <= MOST_DIGITS:
            try:
                return decimal_number(value)
            except ValueError:
                raise node.wrong("a number") from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise node.wrong("a number")
        try:
            return float(value)
        except OverflowError:
            raise node.wrong("a number that a double can hold") from None

    def whole(self, key: str) -> int:
        """Return the integer under a key, which may be written as a text, as NVBench writes int64."""
        node = self.child(key)
        value = node.value
        if isinstance(value, str) and len(value) <= MOST_DIGITS:
            try:
                return whole_number(value)
            except ValueError:
                raise node.wrong("an integer") from None
        if isinstance(value, bool) or not isinstance(value, int):
            raise node.wrong("an integer")
        return value

    def wrong(self, allowed: str) -> ResultsError:
        """Return the error that says what the value is and what is allowed."""
        if self.value is None:
            return ResultsError(f"{self.path}: `{self.where}` is missing", WRITE_AGAIN)
        text = shorten(json.dumps(self.value, ensure_ascii=False, skipkeys=True)) if _is_small(self.value) else "nested"
        return ResultsError(f"{self.path}: `{self.where}` is {text}, not {allowed}", WRITE_AGAIN)

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("an object") if self.where else ResultsError(f"{self.path}: not an object", WRITE_AGAIN)
        return self.value


def _is_small(value: object) -> bool:
    """Whether a value may be shown: a list or an object may be as large as the file, an integer as long."""
    limit = 1 << 64
    return not isinstance(value, list | dict) and not (isinstance(value, int) and abs(value) > limit)


def parse_json(text: str, path: Path) -> JsonNode:
    """Return the root of a JSON file; ResultsError, with line and column, if it is no JSON."""
    try:
        return JsonNode(parse(text), path)
    except json.JSONDecodeError as error:
        raise ResultsError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}", WRITE_AGAIN) from error
    except DuplicateKeyError as error:
        raise ResultsError(f"{path}: {shorten(str(error))}", WRITE_AGAIN) from error
    except (RecursionError, ValueError) as error:  # thousands of brackets, or of digits
        raise ResultsError(f"{path} is damaged: {shorten(str(error))}", WRITE_AGAIN) from error
