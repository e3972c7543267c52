"""Keep what nvdisasm prints for all tests and processes, and for the next run of the tests: it takes 0.4 s to start.

What it prints is addressed by all that determines it: the program, its arguments, and the content of the file.
Programs that tests put in its place are called each time.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from zlib import decompress

import pytest

from shflbench.cuda.compile import nvdisasm
from shflbench.cuda.compile.cache import entry_path, write_entry
from tests import kernels

PRINTED = "nvdisasm"  # ending of the files


@contextmanager
def kept_listings() -> Iterator[None]:
    """Call nvdisasm only for what no test has disassembled before."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(nvdisasm, "call", _kept(nvdisasm.call))
        yield


def _kept(call: Callable[..., str | None]) -> Callable[..., str | None]:
    def kept(program: Path, *arguments: str) -> str | None:
        if program != kernels.tools().nvdisasm:
            return call(program, *arguments)
        *options, file = arguments
        parts = [str(program), program.stat().st_mtime_ns, *options]
        key = sha256(json.dumps(parts).encode() + Path(file).read_bytes()).hexdigest()
        path = entry_path(kernels.CACHE, key, PRINTED)
        if path.exists():
            return decompress(path.read_bytes()).decode()
        printed = call(program, *arguments)
        if printed is not None:
            write_entry(path, printed.encode())
        return printed

    return kept
