"""`extra_shared`, `carveout` and `l2`: options that every pattern has, and that change the launch alone."""

from pathlib import Path

import pytest

from shflbench.core.model import Status
from tests.cli.demo import Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend

SUITE = """\
schema: 1
name: own
measure: {min_seconds: 0.001}
experiments:
  - pattern: neighbor
    variants: [smem, shfl]
    dtypes: f32
    launch: 2x64
    iterations: 64
    extra_shared: [0, 1000, 300000]
    carveout: [0, 100]
"""


@pytest.fixture
def own(run: Command) -> Command:
    Path("own.yaml").write_text(SUITE, encoding="utf-8")
    return lambda *words: run("own.yaml", *words)


def test_each_value_is_a_case_with_its_shared_memory_and_carveout(own: Command, plug: Plug) -> None:
    device = plug(FakeBackend())
    outcome = own()
    assert outcome.code == 0, outcome.err
    rows = rows_of(outcome)
    assert len(rows) == 2 * 3 * 2
    row = rows["neighbor/smem/f32/2x64/64/mode=idx/extra_shared=1000/carveout=100"]
    assert (row.options, row.shared_bytes, row.status) == (
        (("mode", "idx"), ("extra_shared", "1000"), ("carveout", "100")),
        64 * 4 + 1000,
        Status.TIMED,
    )
    assert {row.occupancy for row in rows.values()} == {None}  # nobody calculates it under a carveout
    assert {(call.shared_bytes, call.carveout) for call in device.opened} == {
        (own + extra, carveout) for own in (0, 64 * 4) for extra in (0, 1000) for carveout in (0, 100)
    }


def test_cold_l2_is_a_case_of_its_own_and_warm_is_the_default(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend())
    text = (
        SUITE.partition("    extra_shared")[0].replace("neighbor", "moving-average").replace("    iterations: 64\n", "")
    )
    text = text.replace("[smem, shfl]", "shfl")
    Path("own.yaml").write_text(
        f"{text}    l2: [warm, cold]\n{text.partition('experiments:')[2].replace('2x64', '4x64')}", encoding="utf-8"
    )
    outcome = run("own.yaml")
    assert outcome.code == 0, outcome.err
    assert {row.case_id.rpartition("/")[2]: row.status for row in rows_of(outcome).values()} == {
        "l2=warm": Status.TIMED,
        "l2=cold": Status.TIMED,
        "missing=0": Status.TIMED,
    }
    cases = {(call.grid, call.cold) for call in device.opened if call.block == 64}
    assert cases == {(2, False), (2, True), (4, False)}


def test_memory_that_no_block_has_is_skipped_with_the_reason(own: Command, plug: Plug) -> None:
    plug(FakeBackend())
    too_much = {row.variant: row for row in rows_of(own()).values() if "extra_shared=300000" in row.case_id}
    assert {row.status for row in too_much.values()} == {Status.SKIPPED}
    assert too_much["shfl"].reason == ("a block of 64 threads with 300000 bytes of shared memory does not fit an SM")


def test_all_values_share_one_compiled_kernel(
    own: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "own cache"))
    device = plug(FakeBackend())
    assert own().code == 0
    assert len({(call.kernel.symbol, call.kernel.cubin) for call in device.opened}) == 2
    assert len(list((tmp_path / "own cache").rglob("*.kernel"))) == 2
