import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

STRUCT_ACCESS = load(builtin()["struct-access"])
WORDS = STRUCT_ACCESS.declaration.options["words"]
BOTH_WAYS = pytest.mark.parametrize("way", ["load", "store"])


def workload(words: str, way: str) -> Workload:
    return cases.workload(STRUCT_ACCESS, launch="1x64", options={"words": words, "way": way})


@pytest.mark.parametrize("words", WORDS)
def test_inputs_are_the_same_structs_one_after_another_and_in_planes(words: str) -> None:
    data = workload(words, "load")
    structs, planes = (array.tolist() for array in data.inputs(0))
    threads, count = data.setting.threads, int(words)
    assert len(set(structs)) == threads * count
    assert [planes[i * threads + t] for t in range(threads) for i in range(count)] == structs


@pytest.mark.parametrize("words", WORDS)
@BOTH_WAYS
def test_reference_puts_the_structs_in_planes_or_back(words: str, way: str) -> None:
    data = workload(words, way)
    structs, planes = data.inputs(0)
    (result,) = data.expected(0, 1)
    assert result.tolist() == (planes if way == "load" else structs).tolist()


@BOTH_WAYS
def test_one_lost_word_is_visible(way: str) -> None:
    data = workload("4", way)
    (right,) = data.expected(0, 1)
    got = right.copy()
    got[-1] = got[-2]
    assert mismatch([got], [right], 0.0).endswith("(1 of 256 are wrong)")


@BOTH_WAYS
def test_both_ways_move_each_word_twice(way: str) -> None:
    assert cases.bytes_moved(workload("6", way)) == 64 * 6 * (4 + 4)


def test_structs_of_one_word_need_no_exchange_and_odd_ones_have_no_vectors() -> None:
    has = {
        words: [item.name for item in STRUCT_ACCESS.declaration.variants if item.has("f32", {"words": words})]
        for words in ("1", "3", "4")
    }
    assert has == {
        "1": ["direct", "soa"],
        "3": ["direct", "smem", "shfl", "soa"],
        "4": ["direct", "vector", "smem", "shfl", "soa"],
    }
