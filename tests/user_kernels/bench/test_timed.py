"""`shflbench.bench` on a scripted GPU, whose kernels compute in the emulator."""

import re
from pathlib import Path
from typing import Any

import pytest

from shflbench import bench
from shflbench.kernel_facts import stored_limits
from shflbench.store import read_run
from shflbench.store.counts_file import read_counts
from shflbench.store.limits_file import read_limits
from tests.cli.bench.test_timed import EmulatedGpu
from tests.conftest import Command
from tests.fakes.backend import plug_in
from tests.user_kernels.bench.conftest import KERNELS, ROWS

PAIR = {"sums_smem": KERNELS, "sums_shfl": KERNELS}
AT: dict[str, Any] = {"grid": ROWS, "block": 256}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> EmulatedGpu:
    write_limits_of = stored_limits.write_limits_of
    device = EmulatedGpu()
    plug_in(monkeypatch, device)
    monkeypatch.setattr(stored_limits, "write_limits_of", write_limits_of)  # the limits of these kernels are tested
    return device


def test_the_table_has_times_and_the_ratio_with_its_interval(arrays: Any, gpu: EmulatedGpu) -> None:
    result = bench(PAIR, *arrays, precision=0.05, **AT)
    assert gpu.opened
    assert result.is_timed
    table = result.table.set_index("kernel")
    assert dict(table["time_us"]) == {"sums_smem": 8.0, "sums_shfl": 4.0}
    assert list(table[["speedup_low", "speedup", "speedup_high"]].iloc[1]) == pytest.approx([2, 2, 2], rel=0.01)
    assert re.search(r"sums_shfl: 4 µs \(.* to .*\), 2\.00× the speed of sums_smem \(.* to .*\)", result.text())
    assert "Nothing was timed" not in result.text()
    assert any("sentinel" in sentence for sentence in result.sentences), result.sentences


def test_text_and_table_have_the_interval_that_the_sentence_has(arrays: Any, gpu: EmulatedGpu) -> None:
    result = bench(PAIR, *arrays, precision=0.05, **AT)
    assert gpu.opened
    low, high = result.table[["joint_speedup_low", "joint_speedup_high"]].iloc[1]
    assert (low < 1.9, high > 2.1) == (True, True)
    assert result.sentences[0].endswith(f"sums_shfl runs at 2.00× ({low:.2f}× to {high:.2f}×) the speed of sums_smem")
    assert f"2.00× the speed of sums_smem ({low:.2f} to {high:.2f})" in result.text()
    slowdowns = result.table[["slowdown", "joint_slowdown_low", "joint_slowdown_high"]]
    assert slowdowns.to_numpy().tolist() == [[2.0, low, high], [1.0, 1.0, 1.0]]


@pytest.mark.archs
def test_a_kept_run_has_the_interval_in_its_results(arrays: Any, gpu: EmulatedGpu, tmp_path: Path) -> None:
    result = bench(PAIR, *arrays, precision=0.05, output=tmp_path / "run", **AT)
    assert gpu.opened
    low, high = result.table[["joint_speedup_low", "joint_speedup_high"]].iloc[1]
    for row in (result.rows[1], read_run(tmp_path / "run").rows[1]):
        assert [row.joint_speedup_low, row.joint_speedup_high] == pytest.approx([low, high])


def test_cold_means_cold_for_all(arrays: Any, gpu: EmulatedGpu) -> None:
    assert bench(PAIR, *arrays, l2="cold", **AT).is_timed
    assert {call.cold for call in gpu.opened} == {True}


@pytest.mark.archs
def test_a_kernel_with_other_results_has_no_time(arrays: Any, gpu: EmulatedGpu) -> None:
    wrong = KERNELS.replace("out[row] = part[0];", "out[row] = 2 * part[0];")
    result = bench({"right": (KERNELS, "sums_smem"), "wrong": (wrong, "sums_smem")}, *arrays, **AT)
    table = result.table.set_index("kernel")
    assert gpu.opened
    assert list(table["status"]) == ["timed", "incorrect"]
    assert table["time_us"].isna().tolist() == [False, True]
    assert not result.is_timed


def test_the_emulator_is_used_if_it_is_asked_for(arrays: Any, gpu: EmulatedGpu) -> None:
    result = bench(PAIR, *arrays, device="emulator", **AT)
    assert result.agree
    assert not gpu.opened


@pytest.mark.archs
def test_the_command_line_reads_a_run_that_is_kept(
    arrays: Any, gpu: EmulatedGpu, tmp_path: Path, shflbench: Command
) -> None:
    bench(PAIR, *arrays, output=tmp_path / "run", **AT)
    assert gpu.opened
    shown = shflbench("show", str(tmp_path / "run"))
    assert "2.00×" in shown.out, shown.err
    limits = shflbench("limits", str(tmp_path / "run"))
    assert "python-kernels" in limits.out, limits.err


def test_a_kept_run_has_what_its_launches_do_and_their_limits(arrays: Any, gpu: EmulatedGpu, tmp_path: Path) -> None:
    bench(PAIR, *arrays, output=tmp_path / "run", **AT)
    assert gpu.opened
    counted = read_counts(tmp_path / "run")
    assert {name.split("/")[1] for name in counted} == {"sums_smem", "sums_shfl"}
    assert {name.split("/")[1] for name in read_limits(tmp_path / "run")} == {"sums_smem", "sums_shfl"}
