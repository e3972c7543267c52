"""`shflbench prices`: calibrations side by side."""

import json
from pathlib import Path

import pytest

from shflbench.measure.calibrate.probes import PROBES
from shflbench.store.calibration_file import SHIPPED, read
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
    assert "; H100: clusters of several sizes; ClusterFusion, arXiv 2508.18850." in outcome.out
    assert "result nothing uses, so a rate rather than a latency" in outcome.out  # votes of an A100
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


def test_titles_of_two_cards_of_a_model_have_their_uuid(shflbench: Command, other: Path) -> None:
    document = json.loads(other.read_text(encoding="utf-8")) | {"device": "NVIDIA H200"}
    other.write_text(json.dumps(document), encoding="utf-8")
    assert line_of(shflbench("prices").out, "primitive")[:4] == ["H200", "6d2a1c00", "H200", read(H200).uuid[4:12]]


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


def test_a_damaged_calibration_does_not_stop_others_that_are_named(shflbench: Command, other: Path) -> None:
    other.write_text("{", encoding="utf-8")
    assert shflbench("prices", "h200").code == 0
    assert shflbench("prices", str(H200)).code == 0


def test_a_baseline_with_the_name_of_a_shipped_file_is_shown_beside_it(shflbench: Command, other: Path) -> None:
    name = other.with_name("nvidia-h200.json")
    other.rename(name)
    outcome = shflbench("prices", "--format", "json")
    assert [gpu["name"] for gpu in json.loads(outcome.out)["gpus"]] == [str(name), "nvidia-h200"]


def test_two_files_of_one_gpu_have_their_names_as_titles(shflbench: Command) -> None:
    Path("first.json").write_bytes(H200.read_bytes())
    outcome = shflbench("prices", "first.json", "nvidia-h200")
    assert line_of(outcome.out, "primitive")[:2] == ["first.json", "nvidia-h200"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("clock_mhz", float("nan"), "`clock_mhz` is nan, not a positive number"),
        ("sms", 0, "`sms` is 0, not a positive number"),
        ("documented", float("inf"), "`figures.fence_gpu.documented` is inf, not a positive number"),
        ("processes", -3, "`figures.fence_gpu.processes` is -3, not a positive number"),
        ("unit", "\x1b[31mµs", "`figures.fence_gpu` is in '\\x1b[31mµs', not in clocks"),
    ],
)
def test_numbers_and_units_that_cannot_be_are_refused(
    shflbench: Command, other: Path, key: str, value: object, said: str
) -> None:
    document = json.loads(other.read_text(encoding="utf-8"))
    (document if key in document else document["figures"]["fence_gpu"])[key] = value
    other.write_text(json.dumps(document), encoding="utf-8")
    outcome = shflbench("prices", "--format", "json")
    assert (outcome.code, outcome.out) == (3, "")
    assert said in outcome.err


def test_output_does_not_replace_a_calibration(shflbench: Command, other: Path) -> None:
    content = other.read_bytes()
    link = Path("link.json")
    link.symlink_to(other)
    for output in (other, link):
        outcome = shflbench("prices", str(other), "-o", str(output))
        assert outcome.code == 2
        assert "would replace a calibration" in outcome.err
    assert other.read_bytes() == content


def test_a_folder_without_calibrations_is_named(shflbench: Command) -> None:
    outcome = shflbench("prices", "--baselines", "elsewhere")
    assert outcome.code == 0
    assert "elsewhere has no calibration: those that come with shflbench are shown." in outcome.err
