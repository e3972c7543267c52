import pytest

from shflbench.core.model import DTYPES
from shflbench.errors import UsageError
from shflbench.patterns.declare import Setting
from shflbench.patterns.stored_challengers import SharedMemory
from shflbench.user_kernels.challenge.shared_memory import parse_shared


@pytest.mark.parametrize(
    ("text", "nbytes"), [("4096", 4096), ("0", 0), ("8*threads", 2048), ("8 * threads", 2048), ("132*warps", 1056)]
)
def test_a_size_is_per_block_per_thread_or_per_warp(text: str, nbytes: int) -> None:
    (given,) = parse_shared([text]).values()
    assert given(Setting(DTYPES["f32"], {}, 1, 256)) == nbytes


def test_a_size_may_be_that_of_one_kernel() -> None:
    given = parse_shared(["first=16", "8*threads"])
    assert given == {"first": SharedMemory(16), "": SharedMemory(8, 1)}


@pytest.mark.parametrize("text", ["", "-1", "4*blocks", "threads*4", "99999999999", "a=b", "4096 bytes"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no size of shared memory"):
        parse_shared([text])
