"""Keep what NVRTC makes of small files for all tests and processes, and for the next run of the tests.

What it makes is addressed by all that determines it. The folder of a file, which is another one in each test, is
replaced in texts and results. What has a short time limit, or a process of its own, is compiled each time.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from zlib import decompress

import pytest

from shflbench.cuda.compile.cache import entry_path, write_entry
from shflbench.cuda.compile.nvrtc import Message, PtxResult, PtxUnit
from shflbench.cuda.compile.ptx_cache import PtxCompiler
from shflbench.cuda.compile.ptx_process import SHARED, TIMEOUT_S, PtxProcess
from shflbench.cuda.compile.toolchain import Toolchain
from tests import kernels

KEPT = "kept-ptx"  # ending of the files
FOLDER = "/folder-of-the-test"
Compile = Callable[[PtxProcess, PtxUnit, Toolchain, float | None], PtxResult]


@contextmanager
def kept_ptx() -> Iterator[None]:
    """Call NVRTC only for what no test has compiled before."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(PtxProcess, "compile", keep_results(PtxProcess.compile))
        yield


def keep_results(compile_: Compile) -> Compile:
    def kept(process: PtxProcess, unit: PtxUnit, toolchain: Toolchain, timeout_s: float | None = None) -> PtxResult:
        texts = [unit.text, *unit.headers.values()]
        folder = str(Path(unit.name).parent) if Path(unit.name).is_absolute() else FOLDER
        is_short = timeout_s is not None and timeout_s < TIMEOUT_S / 2
        if process is not SHARED or is_short or PtxCompiler.reads_disk(texts):
            return compile_(process, unit, toolchain, timeout_s)
        path = entry_path(kernels.CACHE, _key(unit, toolchain, texts, folder), KEPT)
        if path.exists():
            return _read(decompress(path.read_bytes()).decode().replace(FOLDER, folder))
        result = compile_(process, unit, toolchain, timeout_s)
        text = json.dumps(asdict(result)).replace(folder, FOLDER)
        if gettempdir() not in text:  # else it depends on the working folder
            write_entry(path, text.encode())
        return result

    return kept


def _key(unit: PtxUnit, toolchain: Toolchain, texts: list[bytes], folder: str) -> str:
    names = [toolchain.identity, unit.name, *unit.options, "", *unit.expressions, "", *unit.headers]
    names += [str(Path.cwd())] * bool(unit.headers)  # NVRTC names headers below it
    digest = sha256(json.dumps(names).replace(folder, FOLDER).encode())
    for text in texts:
        digest.update(sha256(text.replace(folder.encode(), FOLDER.encode())).digest())
    return digest.hexdigest()


def _read(text: str) -> PtxResult:
    stored = json.loads(text)
    errors = tuple(Message(**item) for item in stored["errors"])
    return PtxResult(stored["ptx"], tuple(stored["symbols"]), errors, stored["log"])
