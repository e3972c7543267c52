import numpy as np
import pytest

from shflbench.cuda.backends.base import Array
from shflbench.kernel_facts.launch_counts import counts_of
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

STAGING = load(builtin()["staging"])
TILES = STAGING.declaration.options["tiles"]
BLOCK, WORDS = 128, 4


def workload(tiles: str) -> Workload:
    return cases.workload(STAGING, "i32", options={"tiles": tiles}, launch=f"2x{BLOCK}")


def result(values: Array, tiles: str) -> Array:
    data = workload(tiles)
    got: Array = data.pattern.reference((values,), data.setting, 1)[0]
    return got


def thread_by_thread(values: Array, tiles: int) -> list[int]:
    """Return what each thread has at the end, in Python's whole numbers."""
    words, totals = values.tolist(), []
    for block in range(2):
        for thread in range(BLOCK):
            total = 0
            for tile in range(tiles):
                first = ((block * tiles + tile) * BLOCK + BLOCK - 1 - thread) * WORDS
                for word in words[first : first + WORDS]:
                    total = (total * 0x9E3779B1 + word) % 2**32
            totals.append(total)
    return totals


@pytest.mark.parametrize("tiles", TILES)
def test_reference_agrees_with_a_loop_over_the_threads(tiles: str) -> None:
    (values,) = workload(tiles).inputs(0)
    assert result(values, tiles).view(np.uint32).tolist() == thread_by_thread(values, int(tiles))


@pytest.mark.parametrize("tile", [0, 7, 15])
def test_a_word_of_the_tile_before_is_visible(tile: int) -> None:
    """A thread that reads before the copy of another thread has ended gets the word of an earlier tile."""
    (values,) = workload("16").inputs(0)
    wrong = values.reshape(2, 16, BLOCK, WORDS).copy()
    wrong[1, tile, 5] = wrong[1, tile - 2, 5]
    assert mismatch([result(wrong.reshape(-1), "16")], workload("16").expected(0, 1), 0.0)


def test_bytes_are_those_of_the_array() -> None:
    assert cases.bytes_moved(workload("16")) == 2 * BLOCK * 16 * 16


@pytest.mark.parametrize(
    ("variant", "opcode"), [("cp-async", "LDGSTS"), ("cp-async-4", "LDGSTS"), ("bulk", "UBLKCP"), ("bulk-4", "UBLKCP")]
)
def test_the_mechanism_is_in_the_machine_code_and_no_store_to_shared_memory(variant: str, opcode: str) -> None:
    kernel = kernels.compiled(f"staging/{variant}/i32/tiles=16")
    assert kernel.sass is not None
    opcodes = {instruction.base for instruction in kernel.sass}
    assert opcode in opcodes
    assert "STS" not in opcodes


@pytest.mark.parametrize("variant", ["ldg-sts", "cp-async-4", "bulk-4"])
def test_each_variant_reads_the_array_from_memory_once(variant: str) -> None:
    """Of a large launch, too, of which the emulator runs some blocks."""
    case = cases.case("staging", variant, "i32", launch=f"1024x{BLOCK}", options={"tiles": "16"})
    footprint = counts_of(STAGING, case, kernels.compiled(f"staging/{variant}/i32/tiles=16")).footprint
    assert footprint.read_bytes == 1024 * BLOCK * 16 * 16
    assert footprint.written_bytes == 1024 * BLOCK * 4
