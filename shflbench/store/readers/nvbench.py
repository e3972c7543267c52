"""Read the JSON of NVBench (`--json FILE` or `--jsonbin FILE`).

Source: nvbench/json_printer.cu and nvbench/detail/measure_cold.cu. The times are those of isolated ("cold") launches.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import Device, DeviceState, Status
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.nvbench_samples import CLOCKS_TAG, TIMES_TAG, TOGETHER, read_samples
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, check_times, is_clock, is_time, timed_case

if TYPE_CHECKING:
    from collections.abc import Mapping
    from hashlib import _Hash

    from shflbench.store.readers.json_node import JsonNode
    from shflbench.store.readers.recording import Floats

COLD = "nv/cold/"
MEDIAN, MEAN = COLD + "time/gpu/median", COLD + "time/gpu/mean"
DEVIATION, RELATIVE = COLD + "time/gpu/stdev/absolute", COLD + "time/gpu/stdev/relative"  # the first since 2026
SAMPLES = COLD + "sample_size"
WALLTIME, CLOCK = COLD + "walltime", COLD + "sm_clock_rate/mean"
MAJOR = 1  # of the version of the JSON; a new one is incompatible
POWERS_OF_TWO = "pow2"  # flag of an axis


def read_nvbench(root: JsonNode, content: bytes) -> RecordedProcess:
    """Return the process that wrote a file; ResultsError, which names the entry, if it is not as documented."""
    versions = root.child("meta").child("version") if root.has("meta") and root.child("meta").has("version") else None
    _refuse_newer(versions)
    digest = sha256(content)
    cases: dict[str, RecordedCase] = {}
    used: dict[int, None] = {}
    states = [(benchmark, state) for benchmark in root.items("benchmarks") for state in benchmark.items("states")]
    devices = {state.whole("device") for _, state in states if state.has("device")}
    for benchmark, state in states:
        device = state.whole("device") if state.has("device") else None
        if device is not None:
            used[device] = None
        name = _name(benchmark, state, device if len(devices) > 1 else None)
        if name in cases:
            raise ResultsError(f"{root.path}: {state.where}: `{shorten(name)}` is there twice", "give it once per file")
        cases[name] = _case(state, digest)
        if len(cases) > MOST_CASES:
            raise ResultsError(f"{root.path} has more than {MOST_CASES:,} states", "split the file")
    if not cases:
        raise ResultsError(f"{root.path} has no states: it lists benchmarks or devices, without results", WRITE_AGAIN)
    return RecordedProcess(
        file=root.path,
        sha256=digest.hexdigest(),
        cases=cases,
        device=_device(root, used),
        version=_version(versions),
    )


def _refuse_newer(versions: JsonNode | None) -> None:
    if versions is None or not versions.has("json"):
        return
    major = versions.child("json").whole("major")
    if major > MAJOR:
        raise ResultsError(
            f"{versions.path} has version {shorten(str(major))} of NVBench's JSON, and this shflbench reads {MAJOR}",
            "read it with a newer version of shflbench",
        )


def _version(versions: JsonNode | None) -> str | None:
    return versions.child("nvbench").optional_text("string") if versions and versions.has("nvbench") else None


def _device(root: JsonNode, used: Mapping[int, None]) -> Device | None:
    """Return the device of all states: the first one, and if they are of several models, all names."""
    known = [node for node in root.items("devices") if node.whole("id") in used]
    if not known:
        return None
    node = known[0]
    names = dict.fromkeys(device.text("name") for device in known)
    architectures = dict.fromkeys(_architecture(device) for device in known)
    return Device(
        name=check_name(", ".join(names), root.path, node.where),
        uuid="",
        arch=", ".join(filter(None, architectures)),
        sms=_amount(node, "number_of_sms"),
        max_shared_bytes=_amount(node, "shared_memory_per_block"),
        memory_bytes=_amount(node, "global_memory_size"),
        clock_mhz=_amount(node, "sm_default_clock_rate") // 1_000_000,
        driver="",
        cuda="",
        index=next(iter(used)),
        threads_per_sm=_amount(node, "max_threads_per_sm"),
        state=DeviceState(
            l2_bytes=_amount(node, "l2_cache_size") or None,
            memory_bus_bits=_amount(node, "global_memory_bus_width") or None,
            ecc=node.flag("ecc_state") if node.has("ecc_state") else None,
        ),
    )


def _architecture(device: JsonNode) -> str:
    """Return `sm_90` of version 900; empty if it is unknown."""
    version = _amount(device, "sm_version")
    return f"sm_{version // 10}" if version else ""


def _amount(node: JsonNode, key: str) -> int:
    """Return an integer that is not below 0; 0 if it is missing."""
    amount = node.whole(key) if node.has(key) else 0
    if not 0 <= amount < 1 << 63:
        raise node.child(key).wrong("an amount")
    return amount


def _name(benchmark: JsonNode, state: JsonNode, device: int | None) -> str:
    """Return `copy/T=F32/Elements=2^20`, with the device if the file has several."""
    powers = {axis.text("name") for axis in benchmark.items("axes") if axis.optional_text("flags") == POWERS_OF_TWO}
    values = [f"{value.text('name')}={_axis_value(value, powers)}" for value in state.items("axis_values")]
    devices = [] if device is None else [f"device={device}"]
    return check_name("/".join((benchmark.text("name"), *devices, *values)), state.path, state.where)


def _axis_value(value: JsonNode, powers: set[str]) -> str:
    """Return the value as NVBench prints it: `2^20` on an axis of powers of two."""
    kind = value.text("type")
    if kind == "int64":
        number = value.whole("value")
        is_power = value.text("name") in powers and number > 0 and number.bit_count() == 1
        return f"2^{number.bit_length() - 1}" if is_power else str(number)
    return value.text("value")


def _case(state: JsonNode, digest: _Hash) -> RecordedCase:
    """Return the case of one state: with samples if it has them, else with the median or the mean."""
    if state.flag("is_skipped"):
        return RecordedCase(status=Status.SKIPPED, reason=state.optional_text("skip_reason") or "skipped")
    summaries = {summary.text("tag"): summary for summary in state.items("summaries")}
    times = _samples(summaries, TIMES_TAG, digest)
    clocks = _samples(summaries, CLOCKS_TAG, digest)
    clock = _value(summaries, CLOCK)
    clock_mhz = clock / 1e6 if clock is not None and is_clock(clock / 1e6) else None
    if times is not None and len(times):
        return _sampled(state, times * 1e6, clocks, clock_mhz, _value(summaries, WALLTIME))
    time = _value(summaries, MEDIAN)
    time = _value(summaries, MEAN) if time is None else time
    if time is None:
        return RecordedCase(status=Status.SKIPPED, reason="it has no times of isolated launches (nv/cold)")
    return _summarized(state, time * 1e6, summaries, clock_mhz)


def _sampled(
    state: JsonNode, times_us: Floats, clocks: Floats | None, clock_mhz: float | None, walltime: float | None
) -> RecordedCase:
    check_times(times_us, state.path, state.where)
    seconds = times_us / 1e6
    if walltime is not None and 0 < walltime < math.inf:  # with the time between launches, such as to flush the cache
        seconds = np.maximum(seconds, walltime / len(times_us))
    if clocks is not None and len(clocks) != len(times_us):
        raise ResultsError(
            f"{state.path}: {state.where}: {len(times_us):,} times, but {len(clocks):,} clocks", TOGETHER
        )
    if clocks is not None and np.isfinite(clocks).all() and is_clock(float(clocks.min()) / 1e6):
        clocks_mhz: Floats | None = clocks / 1e6
        clock_mhz = float(np.median(clocks)) / 1e6
    else:
        clocks_mhz = None  # NVBench writes 0 where it did not measure the clock
    return timed_case(split_into_blocks(times_us, seconds), clocks_mhz, clock_mhz)


def _summarized(
    state: JsonNode, time_us: float, summaries: Mapping[str, JsonNode], clock_mhz: float | None
) -> RecordedCase:
    if not is_time(time_us):
        raise ResultsError(f"{state.path}: {state.where}: a time of {time_us:g} µs is no time", WRITE_AGAIN)
    if time_us < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    deviation, relative, samples = (_value(summaries, tag) for tag in (DEVIATION, RELATIVE, SAMPLES))
    if deviation is None and relative is not None:
        deviation = relative * time_us / 1e6
    known = deviation is not None and is_time(deviation * 1e6)  # NVBench writes infinity for a single sample
    count = int(samples) if samples is not None and 0 < samples < 1 << 53 else None
    summary = TimeSummary(time_us, deviation * 1e6 if deviation is not None and known else None, count)
    return RecordedCase(summary=summary, clock_mhz=clock_mhz)


def _fields(summary: JsonNode) -> dict[str, JsonNode]:
    return {field.text("name"): field for field in summary.items("data")}


def _value(summaries: Mapping[str, JsonNode], tag: str) -> float | None:
    """Return the value of a summary; None if it is missing."""
    fields = _fields(summaries[tag]) if tag in summaries else {}
    return fields["value"].number("value") if "value" in fields and fields["value"].has("value") else None


def _samples(summaries: Mapping[str, JsonNode], tag: str, digest: _Hash) -> Floats | None:
    return read_samples(summaries[tag], _fields(summaries[tag]), digest) if tag in summaries else None
