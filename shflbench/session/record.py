"""Gather what `run.json` tells about a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from shflbench.measure.workload import INPUT_SETS
from shflbench.store import RunInfo, RunSettings, SuiteText, surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.model import Device, Overrides
    from shflbench.session.plan import Plan


def run_info(plan: Plan, overrides: Overrides, argv: Sequence[str]) -> RunInfo:
    """Return the record of a run that starts now; `overrides` are those already applied to `plan.suite`."""
    suite = plan.suite
    device = _device(plan)
    return RunInfo(
        suite=SuiteText(suite.name, suite.title, suite.path.name, suite.text),
        settings=RunSettings(
            **asdict(suite.rules), seed=plan.seed, input_sets=INPUT_SETS, sms=plan.sms, overrides=overrides
        ),
        argv=tuple(argv),
        versions=surroundings.versions(
            nvrtc=plan.toolchain.version,
            nvdisasm=plan.toolchain.nvdisasm_version(),
            driver=(device.driver or None) if device else None,
            cuda=device.cuda if device else None,
        ),
        device=device,
        backend=plan.executor.name if plan.executor else "none",
        arch=plan.arch,
        host=surroundings.host(),
        started=surroundings.utc_now(),
        finished=None,
        resumed=(),
        notes=(),
        thresholds=suite.thresholds,
    )


def _device(plan: Plan) -> Device | None:
    """Return the GPU that is timed; the emulated one is none."""
    return plan.executor.device if plan.executor and plan.executor.timed else None
