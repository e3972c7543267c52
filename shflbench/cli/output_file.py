"""Files that the user named for what a command prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, content: str, option: str) -> None:
    """Write a file that the user named with `option`; ResultsError where that fails."""
    from shflbench.store import files

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or (path.exists() and not path.is_file()):  # /dev/null must stay what it is
            path.write_text(content, encoding="utf-8")
        else:
            files.replace(path, content.encode())
    except OSError as error:
        advice = f"make its folder writable, or name another file with {option}"
        raise ResultsError(f"{path} cannot be written: {reason(error)}", advice) from error


def reason(error: OSError) -> str:
    """Return the reason of an error as it stands within a sentence."""
    return (error.strerror or str(error)).lower()
