"""Dataclasses as JSON for worker processes, and back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

Value = TypeVar("Value")

_ENCODER = msgspec.json.Encoder(enc_hook=str)  # of paths, which JSON does not know


def dump(value: object) -> str:
    """Return the JSON of a value, in one line; ValueError if it has text that is no UTF-8."""
    return _ENCODER.encode(value).decode()


def load(kind: type[Value], text: str | msgspec.Raw) -> Value:
    """Return the value of which `dump` made the JSON; ValueError if it is not of type `kind`."""
    try:
        value: Value = _decoder(cast("Hashable", kind)).decode(text)
    except (msgspec.DecodeError, RecursionError) as error:  # thousands of brackets
        raise ValueError(str(error)) from error
    return value


def load_named(kinds: Mapping[str, type[Value]], text: str) -> Value:
    """Return a value of the type that the only name of a JSON object says; ValueError for anything else."""
    named = load(dict[str, msgspec.Raw], text)
    (name,) = named if len(named) == 1 else ("",)
    if name not in kinds:
        raise ValueError(f"the names {sorted(named)} are not one of a known type")
    return load(kinds[name], named[name])


@cache
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=lambda _, content: Path(content))
