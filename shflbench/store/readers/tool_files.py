"""Find and read the files of other tools: which tool wrote a file is recognized by its content."""

from __future__ import annotations

import re
import zlib
from itertools import chain
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.readers.content import FORMATS, GZIP, GZIP_START, MOST_PROCESSES, decode, read_bytes, unpack
from shflbench.store.readers.duplicates import refuse_duplicates
from shflbench.store.readers.google_benchmark import read_google_benchmark
from shflbench.store.readers.json_node import parse_json
from shflbench.store.readers.nvbench import read_nvbench
from shflbench.store.readers.plain_csv import is_plain_csv, read_plain_csv
from shflbench.store.readers.recording import BenchmarkTool, Recording

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.store.readers.recording import RecordedProcess

ENDINGS = (".json", ".csv", ".gz")  # of the files in a folder that are read; others are ignored
HEAD = 4096  # bytes
GIVE = f"give a run folder, or files of {FORMATS}"
# The first key of a JSON file that one of the tools wrote. Both write their keys in a fixed order: NVBench in
# json_printer.cu, Google Benchmark in json_reporter.cc.
_JSON = re.compile(r'\s*\{\s*"(?:meta|devices|benchmarks|context)"\s*:')


def is_foreign(path: Path) -> bool:
    """Return whether a path is a file, or a folder with a file that another tool wrote; no file is read whole."""
    if path.is_dir():
        return any(map(_is_recognized, _candidates(path)))
    return path.exists()


def read_recording(*paths: Path) -> Recording:
    """Read files, and all files of folders, each the output of one process.

    ResultsError, which names the file, if one is damaged, of no known format, of another format than the others, or
    has the samples of another one.
    """
    files = [file for path in paths for file in _files(path)]
    if len(files) > MOST_PROCESSES:
        raise ResultsError(f"{paths[0]}: {len(files)} files, more than {MOST_PROCESSES}", "give fewer files per side")
    processes: list[list[RecordedProcess]] = []
    tools: list[BenchmarkTool] = []
    for file in files:
        tool, recorded = _read(file)
        if tools and tool is not tools[0]:
            raise ResultsError(
                f"{files[0]} was written by {tools[0].label}, and {file} by {tool.label}", "give files of one tool"
            )
        tools.append(tool)
        processes.append(recorded)
    refuse_duplicates(files, processes)
    return Recording(tools[0], paths[0], tuple(chain.from_iterable(processes)))


def _files(path: Path) -> list[Path]:
    """Return the files of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    if not (files := _candidates(path)):
        raise ResultsError(f"{path} has no file that ends in {', '.join(ENDINGS)}", GIVE)
    return files


def _candidates(folder: Path) -> list[Path]:
    """Return the files of a folder that may be results, sorted by name."""
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.suffix.lower() in ENDINGS and not path.name.startswith(".") and path.is_file()
        )
    except OSError as error:
        raise ResultsError(f"{folder} cannot be read: {error.strerror}", "check the permissions") from error


def _is_recognized(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    if head.startswith(GZIP_START):
        try:
            head = zlib.decompressobj(GZIP).decompress(head, HEAD)
        except zlib.error:
            return False
    text = head.decode("utf-8-sig", errors="replace")
    return bool(_JSON.match(text)) or is_plain_csv(text)


def _read(path: Path) -> tuple[BenchmarkTool, list[RecordedProcess]]:
    """Read one file by its content."""
    content = unpack(read_bytes(path), path)
    head = content[:HEAD].decode("utf-8-sig", errors="replace")
    if is_plain_csv(head):
        return BenchmarkTool.CSV, read_plain_csv(decode(content, path), path)
    if not head.lstrip().startswith("{"):
        raise ResultsError(f"{path} is in no known format", GIVE)
    root = parse_json(decode(content, path), path)
    if root.has("context"):
        return BenchmarkTool.GOOGLE_BENCHMARK, [read_google_benchmark(root, content)]
    if root.has("benchmarks") and (root.has("devices") or root.has("meta")):
        return BenchmarkTool.NVBENCH, [read_nvbench(root, content)]
    raise ResultsError(f"{path} is JSON in no known format", GIVE)
