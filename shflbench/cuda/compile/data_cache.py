"""Cache results on disk that are plain data, by a hash of everything that determines them.

An entry is JSON. Reading one executes nothing: only the classes that a cache names are created.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.cuda.compile.cache import entry_path, remove_oldest, write_entry
from shflbench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

MAXIMUM_ENTRIES = 16  # of a kind in each of the 256 folders; an entry has a few KiB
MAXIMUM_BYTES = 4 << 20  # of an entry before compression; more takes long to write, as the headers of a library
PLAIN = (str, int, float, bool, type(None))
CONTAINERS: dict[str, type] = {"Path": Path, "bytes": bytes, "dict": Mapping}
PACKAGE = Path(__file__).parents[2]
# Folders whose code determines the entries, with the version of the package.
CODE = ("checker", "cuda/compile", "cuda_sources", "emulator")


@dataclass(frozen=True, slots=True)
class DataCache:
    """Values of some dataclasses and enums in a folder; several processes may use it at the same time."""

    folder: Path | None  # None: nothing is cached
    kind: str  # ending of the files
    classes: tuple[type, ...]

    def path(self, *decisive: object) -> Path | None:
        """Return the entry for what these values determine; None without a folder, or if one of them is not data."""
        if self.folder is None:
            return None
        try:
            digest = digest_of((__version__, _code(), Path.cwd(), decisive))
        except TypeError:
            return None
        return entry_path(self.folder, digest.hex(), self.kind)

    def read(self, path: Path | None) -> Any:  # noqa: ANN401  (of one of the classes)
        """Return the value of an entry; None if there is none, or if its file is damaged."""
        if path is None:
            return None
        try:
            return self._decoded(json.loads(zlib.decompress(path.read_bytes())))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
            return None

    def write(self, path: Path | None, value: object) -> None:
        """Write an entry, unless the value is not plain data, and so another one when it is read."""
        if path is None:
            return
        with contextlib.suppress(OSError, TypeError):  # a cache that cannot be written costs time only
            text = json.dumps(self._encoded(value))
            # Some records are equal only to themselves.
            if len(text) <= MAXIMUM_BYTES and json.dumps(self._encoded(self._decoded(json.loads(text)))) == text:
                write_entry(path, text.encode())
                remove_oldest(path.parent, self.kind, MAXIMUM_ENTRIES)

    def _encoded(self, value: object) -> Any:  # noqa: ANN401  (what JSON has)
        if type(value) in PLAIN:
            return value
        if isinstance(value, tuple):
            return [self._encoded(part) for part in value]
        name = next((name for name, kind in CONTAINERS.items() if isinstance(value, kind)), type(value).__name__)
        return {"is": name, "of": self._content(value)}

    def _content(self, value: object) -> Any:  # noqa: ANN401  (what JSON has)
        match value:
            case Path():
                return str(value)
            case bytes():
                return base64.b85encode(value).decode()
            case Mapping():
                return [[self._encoded(key), self._encoded(part)] for key, part in value.items()]
        if type(value) not in self.classes:
            raise TypeError(value)
        return value.value if isinstance(value, Enum) else self._fields(value)

    def _fields(self, value: Any) -> dict[str, Any]:  # noqa: ANN401  (of one of the classes)
        return {item.name: self._encoded(getattr(value, item.name)) for item in fields(value) if item.init}

    def _decoded(self, value: Any) -> Any:  # noqa: ANN401  (what JSON has)
        if isinstance(value, list):
            return tuple(map(self._decoded, value))
        return self._created(value["is"], value["of"]) if isinstance(value, dict) else value

    def _created(self, name: str, content: Any) -> Any:  # noqa: ANN401  (of one of the classes)
        match name:
            case "Path":
                return Path(content)
            case "bytes":
                return base64.b85decode(content)
            case "dict":
                return dict(self._decoded(content))
        kind = {one.__name__: one for one in self.classes}[name]
        if isinstance(content, dict):
            return kind(**{item: self._decoded(part) for item, part in content.items()})
        return kind(content)


@cache
def _code() -> str:
    """Return a hash of the code that determines the entries."""
    files = sorted(path for folder in CODE for path in (PACKAGE / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def digest_of(value: object) -> bytes:
    """Return a hash of all that a value consists of, with types and sizes; TypeError for an object that is not data.

    A part that the value has in several places is hashed once: each launch of a program refers to the launches that
    wrote its buffers, and there are more ways back to the first one than can be walked. Chains of launches may be long,
    so that nothing here is recursive.
    """
    known: dict[int, bytes] = {}
    waiting = [value]
    while waiting:
        item = waiting[-1]
        children = _children(item)
        missing = [part for part in children if id(part) not in known]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        parts = (type(item).__name__.encode(), *_content(item), *(known[id(part)] for part in children))
        known[id(item)] = hashlib.sha256(b"".join(b"%d:" % len(part) + part for part in parts)).digest()
    return known[id(value)]


def _children(value: object) -> tuple[object, ...]:
    """Return the values that a value consists of."""
    if is_dataclass(value):
        return tuple(getattr(value, item.name) for item in fields(value))
    if isinstance(value, Mapping):
        return tuple(part for pair in value.items() for part in pair)
    return tuple(value) if isinstance(value, tuple | list) else ()


def _content(value: object) -> Iterator[bytes]:
    """Yield what a value has besides the values that it consists of."""
    if isinstance(value, np.ndarray):
        yield from (value.dtype.str.encode(), repr(value.shape).encode(), value.tobytes())
    elif isinstance(value, bytes):
        yield value
    elif isinstance(value, (*PLAIN, Path, Enum)):
        yield repr(value).encode(errors="surrogateescape")
    elif not isinstance(value, tuple | list | Mapping) and not is_dataclass(value):
        raise TypeError(value)
