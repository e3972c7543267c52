import numpy as np
import pytest

from shflbench.store.readers.blocks import BLOCK_SECONDS, split_into_blocks


@pytest.mark.parametrize(
    ("count", "seconds", "sizes"),
    [
        (10, 0.025, [4, 6]),  # two remaining samples belong to the last block
        (12, 0.025, [4, 4, 4]),
        (3, 0.2, [1, 1, 1]),  # each sample is a block
        (5, 0.01, [5]),  # less than a block together
        (1, 0.5, [1]),
    ],
)
def test_blocks_last_a_tenth_of_a_second(count: int, seconds: float, sizes: list[int]) -> None:
    times = np.arange(count, dtype=float)
    blocks = split_into_blocks(times, np.full(count, seconds))
    assert [len(block) for block in blocks] == sizes
    assert np.concatenate(blocks).tolist() == times.tolist()
    assert len(blocks) == 1 or all(len(block) * seconds >= BLOCK_SECONDS - 1e-9 for block in blocks)
