"""Files of other tools with few samples: what they show is suspected, and the report says by how much."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.store.readers.foreign_files import write_nvbench


def compare(base: Path, new: Path) -> dict[str, Any]:
    """Return the verdict on the only case of two files by a process of its own, which finds nothing certain."""
    words = (sys.executable, "-m", "shflbench", "compare", str(base), str(new), "--format", "json")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert isinstance(verdict, dict)
    return verdict


def google(path: Path, entries: Iterable[dict[str, Any]]) -> Path:
    """Write a file of Google Benchmark; each entry is completed."""
    whole = [
        {"name": "BM_copy", "run_name": "BM_copy", "time_unit": "us", "iterations": 10, **entry} for entry in entries
    ]
    path.write_text(json.dumps({"context": {"library_version": "v1.9.4"}, "benchmarks": whole}), encoding="utf-8")
    return path


def csv(path: Path, times: Iterable[float]) -> Path:
    path.write_text("case,process,time_us\n" + "".join(f"copy,0,{time}\n" for time in times), encoding="utf-8")
    return path


def noisy(time_us: float, samples: int) -> list[float]:
    noise = np.random.default_rng(round(time_us)).standard_normal(samples)
    return [time_us * (1 + 0.003 * value) for value in noise.tolist()]


@pytest.mark.parametrize(
    ("new_us", "outcome", "advice"),
    [
        (
            120.0,
            "suspected",
            "+20.0% between single samples, whose noise is unknown: measure three rounds or more per process",
        ),
        (101.0, "inconclusive", "fewer than three rounds per process: measure longer"),
    ],
)
def test_one_repetition_of_google_benchmark(tmp_path: Path, new_us: float, outcome: str, advice: str) -> None:
    base, new = (
        google(tmp_path / f"{time}.json", [{"run_type": "iteration", "real_time": time}]) for time in (100.0, new_us)
    )
    found = compare(base, new)
    assert (found["outcome"], found["reason"], found["advice"]) == (outcome, "too-few-rounds", advice)
    assert found["ratio"] == {"value": new_us / 100, "low": None, "high": None}


@pytest.mark.archs
def test_many_samples_within_a_slow_state(tmp_path: Path) -> None:
    found = compare(*(csv(tmp_path / f"{time}.csv", noisy(time, 600)) for time in (50.0, 54.0)))
    assert (found["outcome"], found["reason"]) == ("suspected", "too-few-rounds")
    assert found["sentence"].endswith(": +8.0%")
    assert found["advice"] == (
        "+6.4 to +9.6% if the samples are independent, which fewer than three rounds do not show: "
        "measure three rounds or more per process"
    )
    unchanged = compare(*(csv(tmp_path / f"{time}.csv", noisy(time, 600)) for time in (50.0, 50.1)))
    assert (unchanged["outcome"], unchanged["reason"]) == ("inconclusive", "too-few-rounds")


def test_samples_that_vary_more_than_they_changed_show_nothing(tmp_path: Path) -> None:
    base, new = ([time + shift for shift in (-20.0, 0.0, 20.0)] for time in (100.0, 104.0))
    found = compare(csv(tmp_path / "base.csv", base), csv(tmp_path / "new.csv", new))
    assert (found["outcome"], found["reason"]) == ("inconclusive", "too-few-rounds")


@pytest.mark.parametrize(("new_us", "outcome"), [(120.0, "suspected"), (101.0, "inconclusive")])
def test_a_mean_without_a_deviation(tmp_path: Path, new_us: float, outcome: str) -> None:
    mean = {"run_type": "aggregate", "aggregate_name": "mean", "repetitions": 5}
    base, new = (google(tmp_path / f"{time}.json", [{**mean, "real_time": time}]) for time in (100.0, new_us))
    found = compare(base, new)
    assert (found["outcome"], found["reason"]) == (outcome, "no-interval")
    assert found["sentence"] == f"100.0 µs, now {new_us} µs: +{new_us - 100:.1f}%"
    assert found["advice"] == (
        "the base side has no interval of its time: record samples, or their standard deviation and number"
    )


def test_one_launch_of_nvbench(tmp_path: Path) -> None:
    base, new = (
        write_nvbench(tmp_path / f"{time}.json", {"copy": time}, samples=1, walltime=0.01) for time in (100.0, 120.0)
    )
    found = compare(base, new)
    assert (found["outcome"], found["reason"]) == ("suspected", "too-few-rounds")
