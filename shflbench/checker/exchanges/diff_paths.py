"""Names of a file in a diff, as `git apply` and `patch -p1` take them."""

from __future__ import annotations

import os
from pathlib import Path

from shflbench.core.stdin_file import is_stdin

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def name_in_diff(path: Path, side: str) -> str:
    """Return the name of a file behind `---` or `+++`: from the root of its repository, else from the current folder.

    As git writes it: quoted where a character would end it or is no text, and with a tab behind spaces.
    """
    name = f"{side}/{_relative(Path(os.path.realpath(path))).as_posix()}"
    quoted = "".join(map(_quoted, name))
    if quoted != name:
        return f'"{quoted}"'
    return f"{name}\t" if " " in name else name


def _relative(path: Path) -> Path:
    if is_stdin(path):
        return Path(path.name)
    root = next((folder for folder in path.parents if (folder / ".git").exists()), Path(os.path.realpath(Path.cwd())))
    return path.relative_to(root) if path.is_relative_to(root) else Path(path.name)


def _quoted(character: str) -> str:
    """Return a character of a name as git does: control characters and bytes that are no text by their numbers."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable() or character == " ":
        return character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))
