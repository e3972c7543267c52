import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

CLUSTER_COPY = load(builtin()["cluster-copy"])
OPTIONS = CLUSTER_COPY.declaration.options
GROUPS, BLOCK = 2, 64


def workload(size: str, cluster: str = "2") -> Workload:
    options = {"bytes": size, "cluster": cluster}
    return cases.workload(CLUSTER_COPY, "i32", options=options, launch=f"{GROUPS}x{BLOCK}")


def after(data: Workload, iterations: int, values: Array) -> Array:
    result, counts = data.pattern.reference((values,), data.setting, iterations)
    assert not counts.any()
    return result


def next_words(words: list[int], per_block: int, cluster: int) -> list[int]:
    """Return the words of all blocks after one iteration, in Python's whole numbers."""
    result = []
    for position, own in enumerate(words):
        block, word = divmod(position, per_block)
        group, rank = divmod(block, cluster)
        other = (group * cluster + cluster - 1 - rank) * per_block + word
        result.append((own + 2 * words[other]) % 2**32)
    return result


@pytest.mark.parametrize("cluster", OPTIONS["cluster"])
@pytest.mark.parametrize("size", OPTIONS["bytes"])
def test_reference_is_the_recurrence_word_by_word(size: str, cluster: str) -> None:
    data = workload(size, cluster)
    (values,) = data.inputs(0)
    expected = values.view("u4").reshape(-1).tolist()
    assert len(expected) == GROUPS * int(cluster) * int(size) // 4
    for iterations in range(3):
        assert after(data, iterations, values).view("u4").reshape(-1).tolist() == expected
        expected = next_words(expected, int(size) // 4, int(cluster))


@pytest.mark.parametrize("size", ["16", "1024"])
def test_a_word_of_the_iteration_before_is_visible_at_the_end(size: str) -> None:
    """A thread that reads a word before the other block has written it gets what was there two iterations before."""
    data = workload(size)
    for iterations in data.verify_iterations:
        for stale in range(iterations):
            (values,) = data.inputs(0)
            before = after(data, stale, values)
            wrong = after(data, 1, before)
            wrong.reshape(-1)[-1] = before.reshape(-1)[-1]
            result = after(data, iterations - stale - 1, wrong)
            assert mismatch([result], data.expected(0, iterations)[:1], 0.0)


@pytest.mark.parametrize(
    ("variant", "opcodes"),
    [
        ("push-barrier", {"UCGABAR_ARV", "MEMBAR"}),
        ("pull-barrier", {"UCGABAR_ARV", "MEMBAR"}),
        ("push-mbarrier", {"MEMBAR"}),
        ("store-async", {"STAS", "MEMBAR"}),
        ("store-async-arrivals", {"STAS", "MEMBAR"}),
        ("store-async-cta", {"STAS"}),
        ("bulk", {"UBLKCP", "MEMBAR"}),
        ("numbered", set()),
        ("red-async", {"REDAS"}),
        ("red-async-tests", {"REDAS"}),
    ],
)
def test_the_loop_has_the_fences_and_the_accesses_that_the_summary_says(variant: str, opcodes: set[str]) -> None:
    """Only numbers of iterations, relaxed additions, and the unsafe scope of a block have no fence of the whole GPU."""
    kernel = kernels.compiled(f"cluster-copy/{variant}/i32/bytes=1024/cluster=2")
    assert kernel.loop is not None
    assert set(kernel.loop.counts) & {"UCGABAR_ARV", "MEMBAR", "STAS", "REDAS", "UBLKCP"} == opcodes


@pytest.mark.archs
@pytest.mark.parametrize(("size", "copies"), [("16", 1), ("1024", 1), ("16384", 1)])
def test_a_bulk_copy_is_one_instruction_whatever_its_size(size: str, copies: int) -> None:
    kernel = kernels.compiled(f"cluster-copy/bulk/i32/bytes={size}/cluster=2")
    assert kernel.loop is not None
    assert kernel.loop.counts["UBLKCP"] == copies * CLUSTER_COPY.declaration.unroll


@pytest.mark.parametrize(
    ("name", "buffers"),
    [
        ("push-bits128-warps", 1),
        ("push-bits128-warps-double", 2),
        ("bulk-bits128-once", 2),
        ("bulk-bits128-once-double", 4),
    ],
)
def test_a_member_has_shared_memory_for_its_buffers_and_for_what_it_copies(name: str, buffers: int) -> None:
    member = CLUSTER_COPY.declaration.members[name].variant
    assert member.shared(workload("4096").setting) == buffers * 4096


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("async-bits128-warps-merged", "with one buffer"),
        ("pull-bits32-barrier-double-merged", "plain stores and loads count no bytes"),
        ("async-bits64-fenced-double-merged", "a barrier of the cluster counts no bytes"),
        ("bulk-bits128-threads-double-merged", "a thread that copies nothing"),
    ],
)
def test_an_arrival_announces_bytes_only_where_it_can(name: str, reason: str) -> None:
    family = CLUSTER_COPY.declaration.family
    assert family is not None
    choices = dict(family.combinations())
    assert family.excluded(choices[name]).startswith(reason)
