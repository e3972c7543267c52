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
from shflbench.store.readers.hyperfine import read_hyperfine
from shflbench.store.readers.json_node import parse_json
from shflbench.store.readers.kernel_tuner import close_cache, read_kernel_tuner
from shflbench.store.readers.nvbench import read_nvbench
from shflbench.store.readers.plain_csv import is_plain_csv, read_plain_csv
from shflbench.store.readers.pytest_benchmark import read_pytest_benchmark
from shflbench.store.readers.recording import BenchmarkTool, Recording
from shflbench.store.readers.triton_report import is_triton_report, read_triton_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from shflbench.store.readers.json_node import JsonNode
    from shflbench.store.readers.recording import RecordedProcess

    KeyGroups: TypeAlias = tuple[tuple[str, ...], ...]

ENDINGS = (".json", ".csv", ".gz")  # of the files in a folder that are read; others are ignored
HEAD = 4096  # bytes
GIVE = f"give a run folder, or files of {FORMATS}"
# The first keys of a JSON file that one of the tools wrote, each of which writes its keys in a fixed order: NVBench in
# json_printer.cu, Google Benchmark in json_reporter.cc, and the others as their readers say.
_JSON = re.compile(
    r'\s*\{\s*"(?:(?:meta|devices|benchmarks|context|machine_info|device_name)"\s*:'
    r'|schema_version"\s*:\s*"[^"]*"\s*,\s*"device_name"\s*:'
    r'|results"\s*:\s*\[\s*(?:\{\s*"command"\s*:|\]))'
)
_KERNEL_TUNER = re.compile(r'\s*\{\s*(?:"schema_version"\s*:\s*"[^"]*"\s*,\s*)?"device_name"\s*:')
# The keys of which one group is in a file of a tool, the most special tool first.
_READERS: tuple[tuple[BenchmarkTool, KeyGroups, Callable[[JsonNode, bytes], RecordedProcess]], ...] = (
    (BenchmarkTool.PYTEST_BENCHMARK, (("machine_info", "benchmarks"),), read_pytest_benchmark),
    (BenchmarkTool.GOOGLE_BENCHMARK, (("context",),), read_google_benchmark),
    (BenchmarkTool.NVBENCH, (("benchmarks", "devices"), ("benchmarks", "meta")), read_nvbench),
    (BenchmarkTool.KERNEL_TUNER, (("kernel_name", "cache"),), read_kernel_tuner),
    (BenchmarkTool.HYPERFINE, (("results",),), read_hyperfine),
)


def is_foreign(path: Path) -> bool:
    """Return whether a path is a file, or a folder with a file that another tool wrote; no file is read whole."""
    if path.is_dir():
        return any(map(_is_recognized, _candidates(path)))
    return path.exists()


def read_recording(*paths: Path, unit: str | None = None) -> Recording:
    """Read files, and all files of folders, each the output of one process.

    `unit` states the unit of time of a CSV of Triton whose header does not: ns, us, ms or s.

    ResultsError, which names the file, if one is damaged, of no known format, of another format than the others, or
    has the samples of another one.
    """
    files = [file for path in paths for file in _files(path)]
    if len(files) > MOST_PROCESSES:
        raise ResultsError(f"{paths[0]}: {len(files)} files, more than {MOST_PROCESSES}", "give fewer files per side")
    processes: list[list[RecordedProcess]] = []
    tools: list[BenchmarkTool] = []
    for file in files:
        tool, recorded = _read(file, unit)
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
    return bool(_JSON.match(text)) or is_plain_csv(text) or is_triton_report(text)


def _read(path: Path, unit: str | None) -> tuple[BenchmarkTool, list[RecordedProcess]]:
    """Read one file by its content."""
    content = unpack(read_bytes(path), path)
    head = content[:HEAD].decode("utf-8-sig", errors="replace")
    if is_plain_csv(head):
        return BenchmarkTool.CSV, read_plain_csv(decode(content, path), path)
    if is_triton_report(head) or (unit and not head.lstrip().startswith("{")):
        return BenchmarkTool.TRITON_REPORT, [read_triton_report(decode(content, path), path, unit)]
    if not head.lstrip().startswith("{"):
        raise ResultsError(f"{path} is in no known format", GIVE)
    text = decode(content, path)
    root = _parse_cache(text, path) if _KERNEL_TUNER.match(head) else parse_json(text, path)
    for tool, keys, read in _READERS:
        if any(all(map(root.has, alternative)) for alternative in keys):
            return tool, [read(root, content)]
    raise ResultsError(f"{path} is JSON in no known format", GIVE)


def _parse_cache(text: str, path: Path) -> JsonNode:
    """Return the root of a cache of Kernel Tuner, which may lack its closing brackets."""
    try:
        return parse_json(text, path)
    except ResultsError:
        try:
            return parse_json(close_cache(text), path)
        except ResultsError:
            pass
        raise
