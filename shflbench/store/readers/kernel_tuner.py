"""Read the caches of Kernel Tuner (`tune_kernel(…, cache="cache.json")`), also of a search that is not finished.

Source: `process_cache` and `store_cache` in kernel_tuner/util.py. A configuration is a case; its `times` are samples in
ms. The time stamps are those of single configurations, and a cache may be of several sessions, so the start of the
process stays unknown.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.core.model import Device, Status
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, read_time, read_times, timed_case

if TYPE_CHECKING:
    from shflbench.store.readers.json_node import JsonNode

MILLISECOND = 1e3  # µs
SECOND = 1e6  # µs
# The names of the classes of errors in kernel_tuner/util.py, in place of a time.
ERRORS = {
    "InvalidConfig": "an invalid configuration",
    "CompilationFailedConfig": "the compilation failed",
    "RuntimeFailedConfig": "the launch failed",
    "ErrorConfig": "the configuration failed",
}
CLOSING = "}\n}"  # of the cache and of the file; missing until the search is finished


def close_cache(text: str) -> str:
    """Return the text of a cache with the closing brackets that an unfinished search leaves out."""
    return text.rstrip().removesuffix(",") + CLOSING


def read_kernel_tuner(root: JsonNode, content: bytes) -> RecordedProcess:
    """Return what a cache holds; ResultsError, which names the entry, if it is not as documented."""
    kernel, size = root.text("kernel_name"), _problem_size(root.child("problem_size"))
    names = [key.value for key in root.items("tune_params_keys")]
    if not all(isinstance(name, str) for name in names):
        raise root.child("tune_params_keys").wrong("a list of names")
    cases: dict[str, RecordedCase] = {}
    for entry in root.members("cache"):
        values = [f"{name}={_value(entry, name)}" for name in names]
        name = check_name("/".join((kernel, *size, *values)), root.path, entry.where)
        if name in cases:
            raise ResultsError(f"{root.path}: {entry.where}: `{shorten(name)}` is there twice", WRITE_AGAIN)
        cases[name] = _case(entry)
        if len(cases) > MOST_CASES:
            raise ResultsError(f"{root.path} has more than {MOST_CASES:,} configurations", "split the file")
    if not cases:
        raise ResultsError(f"{root.path} has no configurations", WRITE_AGAIN)
    return RecordedProcess(file=root.path, sha256=sha256(content).hexdigest(), cases=cases, device=_device(root))


def _problem_size(node: JsonNode) -> list[str]:
    """Return `4096x4096` as a part of the name; nothing if a function gives the size."""
    sizes = node.value if isinstance(node.value, list) else [node.value]
    if node.value is None or sizes == ["callable"]:
        return []
    return ["x".join(_text(size, node) for size in sizes)]


def _value(entry: JsonNode, name: str) -> str:
    """Return the value of a tunable parameter as a part of a name."""
    node = entry.child(name)
    if name not in entry.value:
        raise node.wrong("a value")
    return _text(node.value, node)


def _text(value: object, node: JsonNode) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError):  # thousands of brackets, or of digits
        raise node.wrong("a value that names a configuration") from None


def _case(entry: JsonNode) -> RecordedCase:
    """Return the case of a configuration: its samples, its mean time, or why it has none."""
    errors = [value for value in entry.value.values() if isinstance(value, str) and value in ERRORS]
    if errors:
        return RecordedCase(status=Status.SKIPPED, reason=ERRORS[errors[0]])
    if entry.has("times"):
        times = read_times(entry, "times", MILLISECOND)
        return timed_case(split_into_blocks(times, times / SECOND), None, None)
    if not entry.has("time"):
        return RecordedCase(status=Status.SKIPPED, reason="no time is recorded")
    mean = read_time(entry, "time", MILLISECOND)
    if mean < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    return RecordedCase(summary=TimeSummary(mean))


def _device(root: JsonNode) -> Device | None:
    """Return the GPU, of which a cache has the name alone; None if it is empty, as for code of the CPU."""
    name = (root.optional_text("device_name") or "").strip()
    if not name:
        return None
    return Device(
        name=check_name(name, root.path, "device_name"),
        uuid="",
        arch="",
        sms=0,
        max_shared_bytes=0,
        memory_bytes=0,
        clock_mhz=0,
        driver="",
        cuda="",
    )
