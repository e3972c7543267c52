"""`shflbench prices`: calibrations side by side."""

import json
from pathlib import Path

import pytest

from shflbench.measure.calibrate.probes import PROBES
from shflbench.store.calibration_file import SHIPPED
from tests.conftest import Command

H200 = SHIPPED / "nvidia-h200.json"


@pytest.fixture
def other() -> Path:
    """Return a calibration of another GPU among the baselines, whose fences take twice as long."""
    document = json.loads(H200.read_text(encoding="utf-8"))
    fence = document["figures"]["fence_gpu"]
    document |= {"device": "NVIDIA H100 80GB HBM3", "uuid": "GPU-6d2a1c00-0000-0000-0000-000000000000"}
    document["figures"]["fence_gpu"] = fence | {key: 2 * fence[key] for key in ("value", "low", "high")}
    del document["figures"]["vote_latency"]
    file = Path("baselines/calibration/nvidia-h100-80gb-hbm3-6d2a1c00.json")
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def line_of(out: str, start: str) -> list[str]:
    """Return the cells of the line of a primitive after its name."""
    (line,) = (line for line in out.splitlines() if line.strip().startswith(f"{start}  "))
    return line.strip().removeprefix(start).split()


def test_every_known_calibration_has_a_column(shflbench: Command, other: Path) -> None:
    outcome = shflbench("prices")
    assert outcome.code == 0, outcome.err
    assert line_of(outcome.out, "primitive")[:5] == ["H100", "80GB", "HBM3", "H200", "most"]
    high, low, ratio, unit = line_of(outcome.out, "fence of the GPU")
    assert float(high) == pytest.approx(2 * float(low), rel=1e-3)
    assert (ratio, unit) == ("2.00", "clocks")
    assert line_of(outcome.out, "latency of a vote")[0] == "–"
    assert str(other.stem) not in outcome.err


def test_a_shipped_gpu_has_all_figures_and_published_values(shflbench: Command) -> None:
    outcome = shflbench("prices", "nvidia-h200")
    assert all(probe.text in outcome.out for probe in PROBES)
    assert "190–203 (H100)" in outcome.out
    assert "H100: ClusterFusion, arXiv 2508.18850" in outcome.out
    assert "most / least" not in outcome.out


def test_files_and_models_can_be_named_together(shflbench: Command, other: Path) -> None:
    by_file = shflbench("prices", str(other), "NVIDIA H200", "--format", "json")
    document = json.loads(by_file.out)
    assert [gpu["device"] for gpu in document["gpus"]] == ["NVIDIA H100 80GB HBM3", "NVIDIA H200"]
    prices = {price["name"]: price for price in document["prices"]}
    assert prices["vote_latency"]["values"][str(other)] is None
    fence = prices["fence_gpu"]["values"]["nvidia-h200"]
    assert fence["low"] <= fence["value"] <= fence["high"]
    assert prices["dsmem_latency_one"]["published"][0] == {
        "gpu": "H800",
        "low": 181,
        "high": 181,
        "source": "Luo et al., Dissecting the NVIDIA Hopper Architecture, arXiv 2501.12084, section 7.1",
        "about": "cluster of 2",
    }
    assert document["schema"] == 1


def test_two_cards_of_a_model_are_told_apart_by_their_uuid(shflbench: Command, other: Path) -> None:
    document = json.loads(other.read_text(encoding="utf-8")) | {"device": "NVIDIA H200"}
    other.write_text(json.dumps(document), encoding="utf-8")
    assert line_of(shflbench("prices").out, "primitive")[:4] == ["H200", "6d2a1c00", "H200", "4fccf6e1"]


def test_output_goes_to_a_file(shflbench: Command) -> None:
    outcome = shflbench("prices", "nvidia-h200", "-o", "prices.txt")
    assert (outcome.code, outcome.out) == (0, "")
    assert "fence of the GPU" in Path("prices.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("gpu", "said"),
    [
        ("h100", "no calibration of `h100` is known; known: nvidia-h200"),
        ("missing.json", "missing.json"),
    ],
)
def test_unknown_gpus_are_refused(shflbench: Command, gpu: str, said: str) -> None:
    outcome = shflbench("prices", gpu)
    assert outcome.code == 3
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_damaged_calibration_is_named(shflbench: Command, other: Path) -> None:
    other.write_text("{", encoding="utf-8")
    outcome = shflbench("prices")
    assert outcome.code == 3
    assert str(other) in outcome.err
