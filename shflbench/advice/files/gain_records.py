"""Whether changes of a kernel are worth it, as records: what is predicted and what was measured under separate keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.files.gain_words import gain_text, limit_sentence

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.advice.files.file_gains import KernelGain
    from shflbench.advice.files.predicted_limits import LaunchLimits
    from shflbench.advice.files.prospects import PredictedGain, Prospect
    from shflbench.schemas.advise import GainObject, LaunchLimitsObject, PredictedGains, WorthObject


def gain_record(gain: KernelGain, base: Path) -> WorthObject:
    """Return whether changes of a kernel are worth it; places are relative to `base`."""
    prospect = gain.prospect
    return {
        "limits": None if prospect.limits is None else _limits(prospect.limits),
        "unknown": prospect.reason,
        "predicted": _predicted(prospect, base),
        "alone": [
            {
                "load": exchange.load.line,
                "pattern": one.pattern.title,
                "setting": one.setting,
                "gpu": one.gpu,
                "run": one.run,
                "speedup": {"value": one.speedup.value, "low": one.speedup.low, "high": one.speedup.high},
            }
            for exchange, alone in gain.alone
            for one in alone
        ],
    }


def _predicted(prospect: Prospect, base: Path) -> PredictedGains:
    before, after = prospect.occupancy, prospect.later_occupancy
    return {
        "exchanges": [
            {"store": item.store.shown(base), "load": item.load.shown(base), **of_gain(gain, prospect)}
            for item, gain in prospect.exchanges
        ],
        "barriers": [{"line": item.line.shown(base), **of_gain(gain, prospect)} for item, gain in prospect.barriers],
        "together": of_gain(prospect.together, prospect) if prospect.has_changes else None,
        "saved_shared_bytes": prospect.saved_bytes,
        "resident_warps": before.warps if before else None,
        "later_resident_warps": after.warps if after else None,
    }


def of_gain(gain: PredictedGain, prospect: Prospect) -> GainObject:
    """Return the predicted gain of a change."""
    return {
        "speedup": gain.value,
        "limited_by": gain.by or None,
        "later_limited_by": gain.later_by or None,
        "later_launch_us": gain.later_us,
        "at_most": gain.at_most,
        "unknown": gain.reason,
        "sentence": gain_text(gain, prospect),
    }


def _limits(limits: LaunchLimits) -> LaunchLimitsObject:
    moved = limits.moved
    return {
        "launch": limits.launch,
        "gpu": limits.gpu.device.name,
        "arch": limits.gpu.device.arch,
        "counted": limits.basis,
        "limited_by": limits.by,
        "sentence": limit_sentence(limits),
        "predicted_us": dict(sorted(limits.parts.items(), key=lambda item: -item[1])),
        "launch_us": limits.predicted_us,
        "launch_overhead_us": limits.gpu.overhead_us,
        "waits_us": limits.waits_us,
        "resident_warps": limits.warps,
        "memory": None
        if moved is None
        else {
            "read_bytes": moved.read_bytes,
            "written_bytes": moved.written_bytes,
            "bytes_per_us": moved.bytes_per_us,
            "fits_in_l2": moved.by == "l2",
            "l2_bytes": moved.l2_bytes,
        },
        "bank_conflicts": [
            {
                "line": item.access.line,
                "ways": item.per_request / item.least,
                "requests_per_block": item.access.requests,
            }
            for item in limits.conflicts
        ],
        "unknown": limits.unknown,
    }
