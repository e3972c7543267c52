"""Launches in the cases of a `switch`, and behind conditions that ask for one number."""

import pytest

from shflbench.cuda_sources.origin import Origin
from tests.cuda_sources.conftest import Parse

KERNEL = "template <int N> __global__ void farthest(float *p, int n) { p[threadIdx.x % N] = n; }\n"
SWITCH = """
  switch (threads) {
    case 512: farthest<512><<<1, threads>>>(p, n); break;
    case 128: farthest<128><<<1, threads>>>(p, n); break;
    case 96: farthest<96><<<1, threads>>>(p, n); break;
    default: farthest<256><<<1, 256>>>(p, n);
  }
"""
CHAIN = """
  if (threads == 512) farthest<512><<<1, threads>>>(p, n);
  else if (threads == 128) farthest<128><<<1, threads>>>(p, n);
  else if (threads == 96) farthest<96><<<1, threads>>>(p, n);
  else farthest<256><<<1, 256>>>(p, n);
"""


@pytest.mark.parametrize("code", [SWITCH, CHAIN])
def test_each_case_runs_with_a_number_that_selects_it(parse: Parse, code: str) -> None:
    text = KERNEL + "void sample(float *p, int n) { int threads = n < 512 ? n : 512;\n" + code + "}"
    launches = [(item.template_arguments, item.launch.block) for item in parse(text).launches]
    assert set(launches) == {((f"{size}",), (size, 1, 1)) for size in (512, 128, 96, 256)}
    assert all(item.launch.origin is Origin.ASSUMED for item in parse(text).launches)


def test_a_case_that_no_number_selects_has_the_value_of_its_label(parse: Parse) -> None:
    """Only the power of two below the number is a value of `threads`, so that 96 is none."""
    text = (
        KERNEL
        + "int below(int n) { int size = 1; while (2 * size <= n && size < 512) size *= 2; return size; }\n"
        + "void sample(float *p, int n) { int threads = below(n);\n"
        + SWITCH
        + "}"
    )
    launches = {(item.template_arguments, item.launch.block, item.launch.origin) for item in parse(text).launches}
    assert (("96",), (96, 1, 1), Origin.FORCED) in launches
    assert {block for template, block, _ in launches if template == ("128",)} == {(128, 1, 1)}


def test_a_case_of_a_known_value_is_the_only_one_that_runs_for_certain(parse: Parse) -> None:
    text = KERNEL + "int main() { float *p; cudaMalloc(&p, 4096); int n = 3, threads = 128;\n" + SWITCH + "}"
    certain = [item for item in parse(text).launches if item.launch.origin is Origin.HOST]
    assert [(item.template_arguments, item.launch.block) for item in certain] == [(("128",), (128, 1, 1))]


def test_numbers_of_one_size_that_do_less_come_first(parse: Parse) -> None:
    text = KERNEL + "void sample(float *p, int n) { int threads = n < 512 ? n : 512;\n" + SWITCH + "}"
    numbers = [item.launch.arguments[1].value for item in parse(text).launches if item.template_arguments == ("512",)]
    assert numbers[:2] == [512, 1024]


def test_a_program_that_refuses_most_numbers_gets_one_of_its_kernels(parse: Parse) -> None:
    text = (
        KERNEL
        + "int main(int argc, char **argv) { if (argc != 2) exit(1);\n"
        + "int which = atoi(argv[1]); if (which < 0 || which > 3) exit(1);\n"
        + "float *p; cudaMalloc(&p, 4096);\n"
        + "if (which == 1) farthest<96><<<1, 96>>>(p, 96); else if (which == 3) farthest<128><<<1, 128>>>(p, 128); }"
    )
    launches = {(item.template_arguments, item.launch.assumed) for item in parse(text).launches}
    assert launches == {(("96",), (("argv[1]", 1),)), (("128",), (("argv[1]", 3),))}
