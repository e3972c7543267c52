"""The items that files have under a name; a file is parsed when its text may have the name that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.cuda_sources.host_code import UserFile

Item = TypeVar("Item")


class NamedItems(Generic[Item]):
    """Items of files by name, in the order of the files and of each text."""

    def __init__(
        self,
        files: Sequence[UserFile],
        read: Callable[[UserFile], Mapping[str, Sequence[Item]]],
        may_have: Callable[[UserFile, str], bool],
    ) -> None:
        """Read a file when `may_have` says that it may have items of a name."""
        self._files, self._read, self._may_have = files, read, may_have
        self._known: dict[str, list[Item]] = {}

    def get(self, name: str) -> list[Item]:
        """Return the items of a name, which may be none."""
        known = self._known.get(name)
        if known is None:
            of_files = (self._read(file).get(name, ()) for file in self._files if self._may_have(file, name))
            known = self._known[name] = [item for items in of_files for item in items]
        return known

    def __contains__(self, name: str) -> bool:
        """Whether a file has an item of a name."""
        return bool(self.get(name))


class FirstItems(Generic[Item]):
    """The first item of each name, none where the files do not say which of several the compiler sees."""

    def __init__(
        self,
        items: NamedItems[Item],
        is_open: Callable[[Sequence[Item]], bool],
        also: Mapping[str, Item] | None = None,
    ) -> None:
        """Take those of the files, unless it is open which, and else those that are `also` known."""
        self._items, self._is_open, self._also = items, is_open, also or {}

    def get(self, name: str) -> Item | None:
        """Return the first item of a name."""
        items = self._items.get(name)
        if self._is_open(items):
            return None
        return items[0] if items else self._also.get(name)

    def __contains__(self, name: str) -> bool:
        """Whether there is an item of a name."""
        return self.get(name) is not None
