"""A folder in which nvcc sees plain names only, and the names of the user's files for what it says of them.

nvcc starts its steps through `sh -c` and quotes nothing: a file, a folder or a macro called `$(command)` would run the
command. Here it compiles one unit of a fixed name, which includes the user's file through a link to its folder; the
text of a unit reaches no shell. Folders of headers are links, too, and a header has the macros that are not plain, and
those that replace functions of the host that CUDA removed.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.kernel_file import CompileOptions

UNIT = "shflbench_unit.cu"
INSTANCE = "shflbench_instance_"  # name of the pointer to an instance, before its number
_MACROS = "shflbench_macros.h"
_LINK = "shflbench_include_"  # with a number: a folder
_SOURCE = "shflbench_source.cu"
_PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")  # what no shell interprets
_PLAIN_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?")
# Functions of the host that CUDA 13 removed, and those that replace them. As macros, which nvcc reads after the headers
# of CUDA, they change nothing in the declarations of older versions.
_REMOVED = {
    "cudaThreadSynchronize": "cudaDeviceSynchronize",
    "cudaThreadExit": "cudaDeviceReset",
    "cudaThreadSetLimit": "cudaDeviceSetLimit",
    "cudaThreadGetLimit": "cudaDeviceGetLimit",
    "cudaThreadSetCacheConfig": "cudaDeviceSetCacheConfig",
    "cudaThreadGetCacheConfig": "cudaDeviceGetCacheConfig",
}
_UNQUOTABLE = re.compile(r'["\\]')  # what an #include cannot name


def plain_folder() -> Path:
    """Return a folder for temporary files whose path no shell interprets; CompilerError if there is none."""
    for folder in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp")):  # noqa: S108  (private folders in them)
        if _PLAIN.fullmatch(folder) and os.access(folder, os.W_OK | os.X_OK):
            return Path(folder)
    message = f"nvcc cannot be used: a shell would interpret the path of the temporary folder {tempfile.gettempdir()}"
    raise CompilerError(message, "Set TMPDIR to a folder with a plain path, or pass --compiler nvrtc.")


def require_plain(nvcc: Path) -> Path:
    """Return the path of nvcc; CompilerError if nvcc would pass characters of it to a shell that interprets them."""
    for path in (nvcc.absolute(), nvcc.resolve()):
        if not _PLAIN.fullmatch(str(path)):
            raise CompilerError(
                f"nvcc cannot be used: a shell would interpret its path {path}",
                "Install it in a folder with a plain path, or pass --compiler nvrtc.",
            )
    return nvcc.absolute()


def table_name(name: str) -> str:
    """Return the name of a file as the line table of a PTX can have it."""
    return re.sub(r'["\\\r\n]', "?", name)


class PlainFolder:
    """The folder of one compilation."""

    def __init__(
        self, path: Path, source: Path, options: CompileOptions, instances: Sequence[str], *, listed: bool = False
    ) -> None:
        """Write the unit into the empty folder `path`, with links to the folders of `source` and of headers.

        With `listed`, the PTX has a variable per instance, whose value is the symbol.
        """
        self.path = path
        self._source = source
        beside = [item.resolve() for item in options.sources]
        folders = (source.parent, *(folder.resolve() for folder in options.include), *(item.parent for item in beside))
        self._folders = list(dict.fromkeys(folders))
        for number, folder in enumerate(self._folders):
            (path / f"{_LINK}{number}").symlink_to(folder, target_is_directory=True)
        self._write_unit(instances, beside, "__device__ " if listed else "")
        plain = [macro for macro in options.define if _PLAIN_MACRO.fullmatch(macro)]
        others = [macro for macro in options.define if macro not in plain]
        renamed = (f"#define {old}(...) {new}(__VA_ARGS__)\n" for old, new in _REMOVED.items())
        text = "".join((*renamed, *map(_definition, others), options.before))
        (path / _MACROS).write_text(text, encoding="utf-8", errors="surrogateescape")
        self.words = [word for number in range(len(self._folders)) for word in ("-I", f"{_LINK}{number}")]
        self.words += [f"-D{macro}" for macro in plain] + ["-include", _MACROS]

    def _write_unit(self, instances: Sequence[str], beside: Sequence[Path], space: str) -> None:
        included = f"{_LINK}0/{self._source.name}"
        if _UNQUOTABLE.search(included) or not included.isprintable():
            included = _SOURCE
            (self.path / included).symlink_to(self._source)
        pointers = (f"{space}void *{INSTANCE}{n} = (void *)({name});" for n, name in enumerate(instances))
        others = (f'#include "{_LINK}{self._folders.index(item.parent)}/{item.name}"' for item in beside)
        text = "\n".join((f'#include "{included}"', *pointers, *others, ""))
        (self.path / UNIT).write_text(text, encoding="utf-8", errors="surrogateescape")

    def users(self, text: str) -> str:
        """Return a text of nvcc with the user's names for files and folders."""
        inside = rf"(?:{re.escape(str(self.path))}/)?"
        text = re.sub(rf"{inside}{re.escape(_SOURCE)}", lambda _: str(self._source), text)
        return re.sub(rf"{inside}{_LINK}(\d+)/", lambda match: f"{self._folders[int(match[1])]}/", text)


def _definition(macro: str) -> str:
    """Return the line that defines a macro as -D does."""
    name, sign, value = macro.partition("=")
    return f"#define {name} {value if sign else 1}\n\n"  # a backslash at the end continues to the empty line
