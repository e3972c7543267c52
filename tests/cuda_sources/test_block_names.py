"""Blocks that names in a kernel's source state."""

import pytest

from shflbench.cuda_sources.block_names import named_block, numbered_block
from shflbench.cuda_sources.kernel_file import NamedBlock
from tests.cuda_sources.conftest import Parse

START = " __global__ void k(int *p, int n) { "
BODY = START + "p[threadIdx.x] = "


@pytest.mark.parametrize(
    ("text", "arguments", "block"),
    [
        ("template <class T, unsigned blockSize>" + BODY + "n; }", ("int", "512u"), (512, 0, 0, True)),
        ("template <int N>" + BODY + "N; }", ("8",), (8, 0, 0, False)),
        ("template <int N>" + BODY + "N; }", ("24",), None),
        ("template <int N, int M>" + BODY + "N + M; }", ("32", "64"), None),
        ("template <int N>\n#define BLOCK_SIZE 96\n" + BODY + "N * BLOCK_SIZE; }", ("64",), (96, 0, 0, True)),
        ("#define TILE_DIM 32\n#define BLOCK_ROWS 8\n" + BODY + "TILE_DIM * BLOCK_ROWS; }", (), (32, 8, 0, True)),
        ("constexpr int kThreads = 2 * 64;\n" + BODY + "kThreads; }", (), (128, 0, 0, True)),
        ("#define ROWS_BLOCKDIM_X 16\n#define ROWS_BLOCKDIM_Y 4\n" + BODY + "ROWS_BLOCKDIM_X + ROWS_BLOCKDIM_Y; }",
         (), (16, 4, 0, True)),
        ("#define TILE 16\n" + BODY + "TILE; }", (), (16, 0, 0, False)),
        ("#define BLOCK_SIZE 96\n" + BODY + "n; }", (), None),
        ("#define MAX_BLOCK_SIZE 96\n#define NUM_BLOCKS 4\n" + BODY + "MAX_BLOCK_SIZE + NUM_BLOCKS; }", (), None),
        ("#define BLOCK_SIZE 2048\n" + BODY + "BLOCK_SIZE; }", (), None),
        ("template <int BLOCK_SIZE, int NUM_PER_TH>" + BODY + "n; }", ("2048", "4"), (512, 0, 0, False)),
        ("template <int BLOCK_THREADS, int ITEMS_PER_THREAD>" + BODY + "n; }", ("128", "4"), (128, 0, 0, True)),
        ("template <int ITEMS_PER_THREAD>" + BODY + "n; }", ("64",), None),
        ("template <int BM, int TM>" + START + "const int num_threads = BM * BM / (TM * TM); p[num_threads] = n; }",
         ("64", "4"), (256, 0, 0, True)),
        ("template <int BLOCK_SIZE>" + START + "const int B = BLOCK_SIZE; p[threadIdx.x % B] = threadIdx.x / B; }",
         ("16",), (256, 0, 0, True)),
        ("template <int BLOCK_SIZE>" + START + "p[threadIdx.x % BLOCK_SIZE] = threadIdx.x / BLOCK_SIZE; }",
         ("64",), (64, 0, 0, True)),
        ("#define WARP_SIZE 32\ntemplate <int BLOCK_SIZE>" + START
         + "p[BLOCK_SIZE] = threadIdx.x % WARP_SIZE + threadIdx.x / WARP_SIZE; }", ("32",), (32, 0, 0, True)),
    ],
)  # fmt: skip
def test_a_block_is_named_by_template_parameters_macros_and_constants(
    parse: Parse, text: str, arguments: tuple[str, ...], block: tuple[int, int, int, bool] | None
) -> None:
    source = parse(text)
    (definition,) = source.definitions
    named = named_block(definition, arguments, source)
    assert named == (NamedBlock(*block[:3], sure=block[3]) if block else None)


def test_the_only_number_of_a_template_in_ptx_may_be_its_block() -> None:
    assert numbered_block(["float4", "512u", "(Mode)3"]) == NamedBlock(512, 0, 0, sure=False)
    assert numbered_block(["float4", "512u", "(Mode)4"]) is None
    assert numbered_block([]) is None
