"""`shflbench bench` on kernels that leave their work out, on a real GPU: each is refused and has no time."""

from pathlib import Path

import pytest

from shflbench.core.model import Status
from tests.cli.bench.test_bench import FAST, LARGE_SUMS
from tests.cli.bench.test_cheats import (
    COPIES,
    INTEGERS,
    LATER,
    RANDOM,
    STATE,
    SUM,
    UNWRITTEN,
    WRONG,
    CheatCommand,
)
from tests.conftest import Command, Outcome
from tests.gpu.conftest import stored

pytestmark = pytest.mark.gpu


@pytest.fixture
def cheat(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> CheatCommand:
    """Run bench on the first GPU, with a text in front of what writes the sums in `sums_shfl`."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))

    def call(text: str, *words: str, program: str = RANDOM) -> Outcome:
        Path("sums.cu").write_text(STATE + program.replace(FAST, f"    {text}\n{FAST}"), encoding="utf-8")
        return shflbench("bench", "sums.cu", "--device", "cuda", "--no-check", *words)

    return call


@pytest.mark.parametrize("text", [*UNWRITTEN.values(), *LATER.values(), *WRONG.values()])
def test_kernel_that_leaves_work_out_is_refused(cheat: CheatCommand, text: str) -> None:
    outcome = cheat(text)
    assert outcome.code in {1, 5}, outcome.err
    rows = {row.variant: row for row in stored(outcome).rows}
    assert (rows["sums_smem"].status, rows["sums_shfl"].status) == (Status.TIMED, Status.INCORRECT)
    assert rows["sums_shfl"].time_us is None


@pytest.mark.parametrize("text", LATER.values(), ids=LATER)
def test_kernel_whose_later_launches_do_less_is_refused_for_that(cheat: CheatCommand, text: str) -> None:
    outcome = cheat(text)
    assert outcome.code == 1, outcome.err
    (row,) = [row for row in stored(outcome).rows if row.variant == "sums_shfl"]
    assert "its result depends on earlier launches: launched again with other inputs" in (row.reason or "")


@pytest.mark.parametrize(
    ("program", "text"),
    [(LARGE_SUMS, f"{SUM} {COPIES}"), (INTEGERS, f"{SUM} {COPIES}".replace("float", "int"))],
    ids=["zeros", "integers"],
)
def test_kept_result_of_inputs_that_do_not_change_is_refused(cheat: CheatCommand, program: str, text: str) -> None:
    outcome = cheat(text, program=program)
    assert outcome.code in {1, 5}, outcome.err
    assert {row.variant: row.status for row in stored(outcome).rows}["sums_shfl"] is Status.INCORRECT


@pytest.mark.parametrize("program", [RANDOM, LARGE_SUMS], ids=["random", "zeros"])
@pytest.mark.parametrize(
    "text",
    [
        "if (threadIdx.x == 0) atomicInc((unsigned*)launches, gridDim.x - 1);",
        f"{SUM} kept[row] = all; __syncthreads(); all = kept[row]; if (all != all) return;",
    ],
    ids=["counter-that-it-resets", "scratch-memory"],
)
def test_kernel_that_uses_device_variables_honestly_is_timed(cheat: CheatCommand, program: str, text: str) -> None:
    outcome = cheat(text, program=program)
    assert outcome.code == 0, outcome.err
    assert {row.status for row in stored(outcome).rows} == {Status.TIMED}
