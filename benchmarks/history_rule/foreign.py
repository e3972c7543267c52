"""Analyze series with Apache Otava and ruptures, in an environment that has them: this file imports nothing else.

    PYTHON benchmarks/history_rule/foreign.py SERIES.npz ALARMS.json

SERIES.npz has a matrix per name (series × runs, without missing values) and its `NAME-ends`: after how many runs it is
analyzed. ALARMS.json has for each name, method and series the alarms: [run of the change, runs at the analysis]. A
point within three runs of an earlier alarm is that alarm.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

METHODS: dict[str, dict[str, float]] = {
    "Otava": {"max_pvalue": 0.001, "min_magnitude": 0.0},
    "Otava, strict": {"max_pvalue": 1e-5, "min_magnitude": 0.01},
    "ruptures": {"pen": 12},
}
CLOSE = 3


def points(method: str, values: Floats) -> list[int]:
    """Return the change points of one series."""
    options = METHODS[method]
    if method.startswith("Otava"):
        compute = import_module("otava.analysis").compute_change_points
        changes, _ = compute(list(values), window_len=50, **options)
        return [int(change.index) for change in changes]
    # The penalty is in units of the variance, which neighbors show whatever the level does.
    logs = np.log(values)
    scale = np.median(np.abs(np.diff(logs))) / (0.6745 * np.sqrt(2))
    ends = import_module("ruptures").Pelt(model="l2").fit_predict(logs / scale, **options)
    return [int(end) for end in ends[:-1]]


def alarms(method: str, values: Floats, ends: Sequence[int]) -> list[list[int]]:
    """Return the alarms of one series that is analyzed again and again."""
    raised: list[list[int]] = []
    for end in ends:
        for point in points(method, values[:end]):
            if all(abs(point - other) > CLOSE for other, _ in raised):
                raised.append([point, int(end)])
    return raised


def main() -> None:
    """Analyze all series."""
    source, target = sys.argv[1:]
    arrays = np.load(source)
    results = {
        name: {
            method: [
                alarms(method, line, ends) for line, ends in zip(arrays[name], arrays[f"{name}-ends"], strict=True)
            ]
            for method in METHODS
        }
        for name in arrays.files
        if not name.endswith("-ends")
    }
    versions = {name: version(name) for name in ("apache-otava", "ruptures")}
    Path(target).write_text(json.dumps({"versions": versions, "alarms": results}), encoding="utf-8")


if __name__ == "__main__":
    main()
