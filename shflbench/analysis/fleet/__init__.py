"""Rank the devices of a fleet: each is compared with the median of its model, and outliers are named."""

from shflbench.analysis.fleet.rank import rank
from shflbench.analysis.fleet.record import DeviceRecord, record_of
from shflbench.analysis.fleet.report import DeviceResult, FleetReport, ModelReport, Outlier, OutlierKind

__all__ = ["DeviceRecord", "DeviceResult", "FleetReport", "ModelReport", "Outlier", "OutlierKind", "rank", "record_of"]
