"""The edit of a file that advice on its barriers leads to."""

import pytest

from shflbench.checker.exchanges.barrier_advice import BarrierNeed
from shflbench.checker.exchanges.barrier_edits import edit_barriers

WARP, NOTHING, BLOCK = BarrierNeed.WARP, BarrierNeed.NOTHING, BarrierNeed.BLOCK


@pytest.mark.parametrize(
    ("need", "before", "after"),
    [
        (WARP, "x = 1;\n\t__syncthreads();\ny = 2;\n", "x = 1;\n\t__syncwarp();\ny = 2;\n"),
        (WARP, "x = 1;\nif (all) __syncthreads ( ) ;\n", "x = 1;\nif (all) __syncwarp() ;\n"),
        (WARP, "x = 1;\n__syncthreads(); y(); __syncthreads();\n", ""),
        (NOTHING, "x = 1;\n  __syncthreads();  // all\ny = 2;\n", "x = 1;\ny = 2;\n"),
        (NOTHING, "for (;;) {  // often\n__syncthreads();\n", "for (;;) {  // often\n"),
        (WARP, "x = 1;\r\n__syncthreads();\r\n", "x = 1;\r\n__syncwarp();\r\n"),
        (NOTHING, "x = 1;\r\n__syncthreads();\r\ny = 2;\r\n", "x = 1;\r\ny = 2;\r\n"),
        (WARP, "x =\x0c 1;\n__syncthreads();", "x =\x0c 1;\n__syncwarp();"),
        (NOTHING, "if (all)\n__syncthreads();\n", ""),
        (NOTHING, "else  // of nothing;\n__syncthreads();\n", ""),
        (NOTHING, "x = 1;\ny(); __syncthreads();\n", "x = 1;\ny();\n"),
        (NOTHING, "x = 1;\n  __syncthreads(); y();  // all\r\n", "x = 1;\n  y();  // all\r\n"),
        (NOTHING, "x = 1;\n{ __syncthreads(); y(); }\n", "x = 1;\n{ y(); }\n"),
        (NOTHING, "x = 1;\nif (all) __syncthreads();\n", ""),
        (NOTHING, "x = 1;\ny();  // __syncthreads();\n", ""),
        (BLOCK, "x = 1;\n__syncthreads();\n", ""),
    ],
)
def test_only_a_whole_statement_is_changed(need: BarrierNeed, before: str, after: str) -> None:
    assert edit_barriers(before, {2: need}) == (after or before)
