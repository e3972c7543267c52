import pytest

from shflbench.core.model import DTYPES
from shflbench.errors import UsageError
from shflbench.patterns.declare import Setting
from shflbench.user_kernels.challenge.shared_memory import parse_shared


@pytest.mark.parametrize(
    ("text", "nbytes"), [("4096", 4096), ("0", 0), ("8*threads", 2048), ("8 * threads", 2048), ("132*warps", 1056)]
)
def test_a_size_is_per_block_per_thread_or_per_warp(text: str, nbytes: int) -> None:
    (given,) = parse_shared([text]).values()
    at = Setting(DTYPES["f32"], {}, 1, 256)
    assert eval(given.expression, {"at": at}) == nbytes  # noqa: S307  (as pattern.py has it)


def test_a_size_may_be_that_of_one_kernel() -> None:
    given = parse_shared(["first=16", "8*threads"])
    assert {name: size.expression for name, size in given.items()} == {"first": "16", "": "8 * at.block"}


@pytest.mark.parametrize("text", ["", "-1", "4*blocks", "threads*4", "99999999999", "a=b", "4096 bytes"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no size of shared memory"):
        parse_shared([text])
