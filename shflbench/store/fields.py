"""Take typed values out of a JSON object, with errors that name the file and the key."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from shflbench.errors import ResultsError
from shflbench.store.files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object of one file; `where` is the path of keys that leads to it."""

    content: Mapping[str, Json]
    path: Path
    where: str = ""

    @classmethod
    def parse(cls, text: str, path: Path) -> Fields:
        """Read the text of the file at `path`; ResultsError unless it is one JSON object."""
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise ResultsError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}", RESTORE) from error
        except (RecursionError, ValueError) as error:  # thousands of brackets, or of digits
            raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
        if not isinstance(content, dict):
            raise ResultsError(f"{path}: not a JSON object", RESTORE)
        return cls(content, path)

    def padded(self, *keys: str) -> Fields:
        """Return the same object with null under each of `keys` that it lacks: older files lack later keys."""
        return replace(self, content={**dict.fromkeys(keys), **self.content})

    def has(self, key: str) -> bool:
        """Whether `key` holds something other than null; ResultsError if it is not there at all."""
        return self._take(key) is not None

    def part(self, key: str) -> Fields:
        """Return the object under `key`."""
        return Fields(self.mapping(key), self.path, f"{self.where}{key}.")

    def mapping(self, key: str) -> dict[str, Json]:
        """Return the object under `key` as it stands."""
        value = self._take(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return value

    def optional_mapping(self, key: str) -> dict[str, Json] | None:
        """Return the object under `key` as it stands, or None where it is null."""
        return self.mapping(key) if self.has(key) else None

    def text(self, key: str) -> str:
        """Return the text under `key`."""
        value = self._take(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def optional_text(self, key: str) -> str | None:
        """Return the text under `key`, or None where it is null."""
        return self.text(key) if self.has(key) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under `key`."""
        value = self._take(key)
        if not isinstance(value, list):
            raise self._wrong(key, "a list of texts")
        texts = tuple(item for item in value if isinstance(item, str))
        if len(texts) != len(value):
            raise self._wrong(key, "a list of texts")
        return texts

    def integer(self, key: str) -> int:
        """Return the whole number under `key`."""
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "a whole number")
        return value

    def optional_integer(self, key: str) -> int | None:
        """Return the whole number under `key`, or None where it is null."""
        return self.integer(key) if self.has(key) else None

    def optional_number(self, key: str) -> float | None:
        """Return the number under `key`, or None where it is null."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(key, "a number or null")
        try:
            return float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return math.inf

    def optional_boolean(self, key: str) -> bool | None:
        """Return the truth value under `key`, or None where it is null."""
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(key, "true, false or null")
        return value

    def _take(self, key: str) -> Json:
        if key not in self.content:
            raise ResultsError(f"{self.path}: `{self.where}{key}` is missing", RESTORE)
        return self.content[key]

    def _wrong(self, key: str, allowed: str) -> ResultsError:
        found = json.dumps(self.content[key], ensure_ascii=False)
        return ResultsError(f"{self.path}: `{self.where}{key}` is {found}, not {allowed}", RESTORE)
