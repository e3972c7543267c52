"""Write the start of a new pattern: a folder that runs as it is, and a suite beside it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from shflbench.errors import UsageError
from shflbench.patterns.discover import builtin, name_of

TEMPLATE = Path(__file__).parent / "template"
FOLDER, SUITE = "my_exchange", "my-exchange"  # names in the template
FILES = (f"{FOLDER}/kernels.cu", f"{FOLDER}/pattern.py", f"{SUITE}.yaml")
NAME = r"[a-z][a-z0-9]*([-_][a-z0-9]+)*"  # of the folder, the kernels, the suite and its results


def write(name: str, into: Path) -> list[Path]:
    """Write the pattern and the suite `name` into the folder `into`, and return the files.

    UsageError if the name cannot be used, or is taken.
    """
    if not re.fullmatch(NAME, name) or len(name) > 64:  # noqa: PLR2004  (the longest name of a suite)
        allowed = "lower-case words joined by `-`, a letter first"
        raise UsageError(f"`{name}` cannot be the pattern's name; allowed: {allowed}", "Try `my-exchange`.")
    folder = into / name.replace("-", "_")
    suite = name_of(folder)
    if suite in builtin():
        raise UsageError(f"`{suite}` is a pattern that comes with shflbench", "Choose another name.")
    texts = {
        into / _renamed(file, folder.name, suite): _renamed(
            (TEMPLATE / file).read_text(encoding="utf-8"), folder.name, suite
        )
        for file in FILES
    }
    for path in (folder, into / f"{suite}.yaml"):
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"{path} exists; nothing was written", "Choose another name, or another folder by --output."
            )
    try:
        folder.mkdir(parents=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    except BaseException:  # half a pattern would be in the way of the next try
        with suppress(OSError):
            for path in texts:
                path.unlink(missing_ok=True)
            folder.rmdir()
        raise
    return list(texts)


def _renamed(text: str, folder: str, suite: str) -> str:
    return text.replace(FOLDER, folder).replace(SUITE, suite).replace("My exchange", _title(suite))


def _title(suite: str) -> str:
    return suite.replace("-", " ").capitalize()
