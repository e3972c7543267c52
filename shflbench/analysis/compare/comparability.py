"""Find what makes two sides incomparable, and what else differs between them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.printable import escape
from shflbench.suite.revision import same_measurements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from shflbench.analysis.compare.sides import Side
    from shflbench.store import Row, Run

THROTTLED = 0.01  # share of the samples, as in the verdict on a run's noise
CLOCK = 0.01  # a stable clock differs by less than 0.1% from run to run; one clock step is 0.8%

# Settings of a GPU beside the clock itself: field of DeviceState → name.
POLICY = {
    "application_clock_mhz": "application clock (MHz)",
    "application_memory_clock_mhz": "application clock of the memory (MHz)",
    "power_limit_w": "power limit (W)",
    "ecc": "ECC",
    "mig": "MIG",
}


def refuse_same_run(base: Side, new: Side) -> None:
    """Raise ResultsError if a run is on both sides, or twice on one."""
    seen: dict[tuple[object, ...], str] = {}
    for run in (*base.runs, *new.runs):
        kind = _identity(run)
        if kind in seen:
            raise ResultsError(
                f"{seen[kind]} and {run.folder} contain the same run",
                "give two different runs, and each run once",
            )
        seen[kind] = str(run.folder)


def _identity(run: Run) -> tuple[object, ...]:
    return run.info.started, run.info.argv, tuple((row.case_id, row.time_us, row.registers) for row in run.rows)


def refuse_mixture(side: Side) -> None:
    """Raise ResultsError if the runs of a side cannot be combined."""
    for run in side.runs[1:]:
        for what, of in SETTINGS.items():
            first, other = of(side.runs[0]), of(run)
            if first != other:
                raise ResultsError(
                    (
                        f"{side.runs[0].folder} and {run.folder} cannot form one side: "
                        f"the {what} differ ({first}, {other})"
                    ),
                    "give runs of one suite on one model of GPU",
                )


SETTINGS: dict[str, Callable[[Run], str]] = {
    "suites": lambda run: run.info.suite.name,
    "backends": lambda run: run.info.backend,
    "GPUs": lambda run: run.info.device.name if run.info.device else "none",
    "architectures": lambda run: run.info.arch,
}
OF_TIMES = {"backends", "GPUs"}  # they do not affect the compiler's output


def _tool(run: Run) -> str:
    return run.info.converted.tool if run.info.converted else "shflbench"


def reasons_against(base: Side, new: Side, *, timed: bool, any_revision: bool) -> Iterator[str]:
    """Yield a clause for each difference that makes two sides incomparable.

    `timed`: times are compared, which need a GPU; `any_revision`: the suite's text may differ.
    """
    tools = [_tool(side.runs[0]) for side in (base, new)]
    if tools[0] != tools[1]:
        yield f"the sides were measured by different tools ({tools[0]}, {tools[1]}), which time differently"
        return
    for what, of in SETTINGS.items():
        before, after = of(base.runs[0]), of(new.runs[0])
        if before != after and (timed or what not in OF_TIMES):
            yield f"the {what} differ ({before}, {after})"
    names, texts = ({getattr(run.info.suite, what) for run in (*base.runs, *new.runs)} for what in ("name", "text"))
    if len(names) == 1 and not any_revision and not all(same_measurements(min(texts), text) for text in texts):
        yield "the suite was changed and defines other measurements (--allow suite compares the common cases)"
    if not base.rows.keys() & new.rows.keys():
        yield "they have no case in common"
    if timed:
        yield from _of_times(base, new)


def _of_times(base: Side, new: Side) -> Iterator[str]:
    for side in (base, new):
        for run in side.runs:
            if run.info.backend != "cuda" and run.info.converted is None:
                yield f"{run.folder} has no times: its backend is {run.info.backend}"
            elif (share := _dropped_share(run.rows)) > THROTTLED:
                yield f"{100 * share:.0f}% of the samples of {run.folder} were taken while the GPU was throttled"
    yield from _of_policy(base, new)
    clocks = [_clock_mhz(side) for side in (base, new)]
    if all(clocks) and abs(clocks[1] / clocks[0] - 1) > CLOCK:
        yield f"the SM clock was {clocks[0]:.0f} MHz, now {clocks[1]:.0f} MHz"


def _of_policy(base: Side, new: Side) -> Iterator[str]:
    devices = [[run.info.device for run in side.runs if run.info.device] for side in (base, new)]
    if len({device.name for device in (*devices[0], *devices[1])}) != 1:
        return
    for name, what in POLICY.items():
        was, now = (_known_values(getattr(device.state, name) for device in side_devices) for side_devices in devices)
        if was and now and was != now:
            yield f"the GPU's {what} was {was}, now {now}"


def _known_values(values: Iterable[object]) -> str:
    """Return the distinct known values of a side's runs."""
    return ", ".join(sorted({setting_word(value) for value in values if value is not None}))


def setting_word(value: object) -> str:
    """Return a setting of a GPU in a word."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


def _dropped_share(rows: tuple[Row, ...]) -> float:
    """Return the share of dropped samples; 0 if the GPU was never throttled."""
    if not any(row.throttle for row in rows):
        return 0.0
    dropped = sum(row.dropped or 0 for row in rows)
    return dropped / max(1, dropped + sum(row.samples or 0 for row in rows))


def _clock_mhz(side: Side) -> float:
    """Return the median SM clock of the cases, 0 if unknown."""
    clocks = [row.sm_clock_mhz for row in side.rows.values() if row.sm_clock_mhz]
    return median(clocks) if clocks else 0.0


def run_warnings(side: Side) -> Iterator[str]:
    """Yield the warnings recorded with the runs of a side, a sentence each.

    A drifting clock or a second program is no obstacle: the sentinels measure its effect on the times.
    """
    for run in side.runs:
        yield from run.notes
        if (noise := run.info.noise) and not noise.quiet:
            yield f"{run.folder}: {noise.verdict}: {noise.sentence}"


def _of_conversions(base: Side, new: Side) -> Iterator[str]:
    """Yield how the records of another tool differ."""
    before, after = ([run.info.converted for run in side.runs if run.info.converted] for side in (base, new))
    if before and after:
        for what, values in (
            (before[0].tool, [_known_values(record.version for record in side) for side in (before, after)]),
            (
                "the host",
                [
                    _known_values(process.host for record in side for process in record.processes)
                    for side in (before, after)
                ],
            ),
        ):
            if values[0] != values[1]:
                was, now = (escape(value) or "unknown" for value in values)  # a file may name them as it likes
                yield f"{what} was {was}, now {now}"


def changes(base: Side, new: Side) -> Iterator[str]:
    """Yield a sentence for each difference that may explain a change of times."""
    yield from _of_conversions(base, new)
    before, after = ([run.info for run in side.runs] for side in (base, new))
    for name, what in (("shflbench", "shflbench"), ("nvrtc", "NVRTC"), ("cccl", "CCCL"), ("driver", "the driver")):
        was, now = (_known_values(getattr(info.versions, name) for info in side) for side in (before, after))
        if was != now and (name != "cccl" or (was and now)):  # earlier versions of shflbench did not record CCCL
            yield f"{what} was {was or 'unknown'}, now {now or 'unknown'}"
    names, uuids = (
        [{getattr(info.device, what) for info in side if info.device} for side in (before, after)]
        for what in ("name", "uuid")
    )
    if names[0] == names[1] and uuids[0] != uuids[1]:
        yield "the sides were measured on different GPUs of one model, which differ more than runs on one GPU"
    if {info.suite.text for info in before} != {info.suite.text for info in after}:
        yield f"the text of suite {before[0].suite.name} differs between the sides"
    for name, usual in (("precision", None), ("min_seconds", None), ("min_samples", None), ("places", 1)):
        was, now = (
            _known_values(getattr(info.settings, name) or usual for info in side) or "unknown"
            for side in (before, after)
        )
        if was != now:
            yield f"`{name}` was {was}, now {now}"
