"""Is it worth it? What `shflbench advise FILE` says of kernels of which an expert knows the answer, on an H200."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shflbench.store.calibration_file import SHIPPED, read
from tests.conftest import Command

pytestmark = pytest.mark.expensive

FILES = Path(__file__).parent / "worth"
US_OF_COPY = 2 * 4 * (64 << 20) / 3.94e6  # bytes that are read and written, at the rate of an H200


@pytest.fixture(autouse=True)
def _cache(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> None:
    del shflbench  # for its folder, which has no results
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))


def worth(shflbench: Command, name: str, *words: str) -> dict[str, Any]:
    """Return what is said of each kernel of a file, by its name."""
    outcome = shflbench("advise", FILES / f"{name}.cu", *words, "--format", "json")
    assert outcome.code == 0, outcome.err
    return {kernel["kernel"]: kernel["worth"] for kernel in json.loads(outcome.out)["kernels"]}


@pytest.mark.archs
def test_a_copy_through_shared_memory_waits_for_memory(shflbench: Command) -> None:
    known = worth(shflbench, "copy")["copy"]
    limits = known["limits"]
    assert (limits["gpu"], limits["launch"]) == ("NVIDIA H200", "262144x256")
    assert limits["counted"] == "8 of 262,144 blocks"
    assert limits["limited_by"] in {"dram", "memory latency"}
    assert limits["predicted_us"]["dram"] == pytest.approx(US_OF_COPY, rel=0.01)
    assert limits["predicted_us"]["exchange"] < limits["predicted_us"]["dram"] / 4
    assert not limits["memory"]["fits_in_l2"]
    rate = read(SHIPPED / "nvidia-h200.json").figures["dram_copy_bytes_per_s"].value / 1e12
    assert f"537 MB (268 MB read, 268 MB written) at {rate:.3g} TB/s" in limits["sentence"]
    (barrier,) = known["predicted"]["barriers"]
    assert (barrier["speedup"], barrier["unknown"]) == (1.0, "")
    assert barrier["sentence"].startswith("nothing to gain: limited by ")


@pytest.mark.archs
def test_the_last_steps_of_a_tree_over_a_block_are_worth_a_little(shflbench: Command) -> None:
    known = worth(shflbench, "block_sum")["block_sum"]
    assert known["limits"]["limited_by"] in {"exchange latency", "memory latency", "barrier"}
    (steps,) = known["predicted"]["exchanges"]
    assert 1.05 < steps["speedup"] < 2
    assert "predicted" in steps["sentence"]


@pytest.mark.archs
def test_bank_conflicts_of_a_transposition_limit_it(shflbench: Command) -> None:
    known = worth(shflbench, "transpose")
    conflicts, padded = known["conflicts"]["limits"], known["padded"]["limits"]
    assert conflicts["limited_by"] == "exchange"
    assert "32-way bank conflicts in line 9" in conflicts["sentence"]
    assert padded["limited_by"] == "dram"
    assert padded["bank_conflicts"] == []


def test_a_launch_of_one_block_is_launch_overhead(shflbench: Command) -> None:
    known = worth(shflbench, "tiny")["tiny"]
    assert known["limits"]["limited_by"] == "launch overhead"
    assert "an SM executes 4 of 64 warps at a time" in known["limits"]["sentence"]
    gains = [*known["predicted"]["exchanges"], *known["predicted"]["barriers"], known["predicted"]["together"]]
    assert [gain["speedup"] for gain in gains] == [1.0, 1.0, 1.0]


@pytest.mark.archs
def test_many_exchanges_per_element_are_worth_it(shflbench: Command) -> None:
    known = worth(shflbench, "butterflies")["butterflies"]
    assert known["limits"]["limited_by"] in {"exchange", "load/store"}
    assert known["limits"]["memory"]["fits_in_l2"]
    (exchange,) = known["predicted"]["exchanges"]
    assert 1.3 < exchange["speedup"] < 2.5
    assert exchange["later_limited_by"] == "issue"


@pytest.mark.archs
def test_exchanges_that_are_no_sum_quote_no_ratio_of_sums(shflbench: Command) -> None:
    results = Path(__file__).parents[3] / "results"
    assert worth(shflbench, "butterflies", str(results))["butterflies"]["alone"] == []
    (steps,) = worth(shflbench, "block_sum", str(results))["block_sum"]["alone"]
    assert steps["pattern"] == "reduce, width=32"


@pytest.mark.archs
@pytest.mark.parametrize(("name", "by"), [("matmul", "exchange"), ("histogram", "exchange"), ("counter", "atomic")])
def test_the_unit_that_limits_a_kernel_is_named(shflbench: Command, name: str, by: str) -> None:
    (known,) = worth(shflbench, name).values()
    assert known["limits"]["limited_by"] == by


def test_atomics_on_one_address_follow_one_another(shflbench: Command) -> None:
    limits = worth(shflbench, "counter")["counter"]["limits"]
    assert limits["predicted_us"]["atomic"] == pytest.approx((1 << 22) / 0.69 / 1980, rel=0.01)
    assert "4,194,304 atomic operations" in limits["sentence"]


@pytest.mark.archs
def test_a_kernel_of_which_threads_end_before_a_barrier_is_advised_with_its_verdict(shflbench: Command) -> None:
    outcome = shflbench("advise", FILES / "ended.cu", "--format", "json")
    (kernel,) = json.loads(outcome.out)["kernels"]
    assert (kernel["verdict"], kernel["missing"]) == ("doubtful", "")
    assert [item["instead"] for item in kernel["exchanges"]] == ["__shfl_xor_sync(mask, value, 1)"]
    (report,) = json.loads(shflbench("check", FILES / "ended.cu", "--format", "json").out)["files"]
    assert [item["verdict"] for item in report["kernels"]] == ["doubtful"]
    assert "doubtful: no output differs" in shflbench("advise", FILES / "ended.cu").out


def test_sarif_has_the_same_in_its_messages(shflbench: Command) -> None:
    (run,) = json.loads(shflbench("advise", FILES / "tiny.cu", "--format", "sarif").out)["runs"]
    messages = {item["ruleId"]: item["message"]["text"] for item in run["results"]}
    assert messages["exchange"].endswith(
        " Worth it? nothing to gain: the launch overhead decides (predicted at most 1.00×)."
    )
    assert messages["weaker-barrier"].partition(" Worth it? ")[2].startswith("nothing to gain: ")
    assert re.search(r"the launch overhead, about [0-9.]+ µs, is more than the work", messages["kernel-limit"])
