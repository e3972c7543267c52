"""Calibrations of an H200 with chosen figures."""

from shflbench.store.calibration_file import CalibratedFigure, Calibration

EMPTY = Calibration(
    device="NVIDIA H200",
    uuid="GPU-11111111-2222-3333-4444-555555555555",
    arch="sm_90",
    sms=132,
    driver="580.159",
    cuda="13.0",
    clock_mhz=1980.0,
    measured="2026-11-21T14:00:00Z",
    seconds=12.0,
    shflbench="0.2.0",
    nvrtc="13.0",
    figures={},
)


def figures(**values: float) -> dict[str, CalibratedFigure]:
    """Return figures with these values."""
    return {name: CalibratedFigure(value, value, value, "") for name, value in values.items()}
