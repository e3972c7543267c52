"""`bench OLD NEW` where an edit changed a template argument."""

from pathlib import Path

import pytest

from shflbench.checker import KernelCandidate
from shflbench.store import read_run
from shflbench.user_kernels.instance_pairs import instance_pairs
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command, Outcome

QUICK = ("--device", "none", "--no-check", "--output", "run")


def copies(*instances: int) -> str:
    launches = "\n".join(f"copy<{rows}><<<4, dim3(32, {rows})>>>(out, in);" for rows in instances)
    return f"""
template <int ROWS> __global__ void copy(float* out, const float* in) {{
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 1024; i += 32 * ROWS) out[blockIdx.x * 1024 + i] = in[i];
}}
int main() {{
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 16384);
    {launches}
}}
"""


@pytest.fixture
def compare(bench: BenchCommand, shflbench: Command) -> BenchCommand:
    del bench  # for the machine

    def call(old: str, *words: str) -> Outcome:
        Path("old.cu").write_text(old, encoding="utf-8")
        new, *further = words
        Path("new.cu").write_text(new, encoding="utf-8")
        return shflbench("bench", "old.cu", "new.cu", *QUICK, *further)

    return call


def groups() -> set[tuple[str, str]]:
    return {(row.pattern, row.variant) for row in read_run(Path("run")).rows}


def test_the_only_instances_that_differ_are_compared(compare: BenchCommand) -> None:
    outcome = compare(copies(8), copies(4))
    assert outcome.code == 0, outcome.err
    assert "new: old is copy<8>, new is copy<4>.\n" in outcome.err
    assert groups() == {("new", "old"), ("new", "new")}


@pytest.mark.archs
def test_instances_that_both_have_are_compared_with_themselves(compare: BenchCommand) -> None:
    outcome = compare(copies(8, 16), copies(4, 8))
    assert outcome.code == 0, outcome.err
    assert "new-copy-4: old is copy<16>, new is copy<4>.\n" in outcome.err
    assert groups() == {(f"new-copy-{rows}", variant) for rows in (4, 8) for variant in ("old", "new")}


@pytest.mark.archs
def test_as_many_instances_go_together_in_the_order_of_their_launches(compare: BenchCommand) -> None:
    outcome = compare(copies(16, 8), copies(2, 4))
    assert "new-copy-2: old is copy<16>, new is copy<2>.\n" in outcome.err
    assert "new-copy-4: old is copy<8>, new is copy<4>.\n" in outcome.err


def test_more_instances_of_one_file_need_an_option(compare: BenchCommand) -> None:
    outcome = compare(copies(8), copies(2, 4))
    assert outcome.code == 2
    assert "copy<2> is not timed: only in new.cu; compare one instance with --kernel 'copy<2>'\n" in outcome.err
    assert "Give the options that are named above" in outcome.err


def test_kernels_without_a_common_name_ask_for_no_option(compare: BenchCommand) -> None:
    text = copies(8).replace("template <int ROWS>", "").replace("<8><<<", "<<<").replace("ROWS", "8")
    outcome = compare(text, text.replace("copy", "other").replace("float", "int"))
    assert outcome.code == 2
    assert "Give the options" not in outcome.err
    assert "Change the kernels that are named above" in outcome.err


COPY = """
__global__ void NAME(float* out, const float* in) {
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = in[i];
}
"""
MAIN = """
int main() {
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 16384);
    LAUNCHES
}
"""


def renamed(*names: str) -> str:
    kernels = "".join(COPY.replace("NAME", name) for name in names)
    return kernels + MAIN.replace("LAUNCHES", " ".join(f"{name}<<<4, 256>>>(out, in);" for name in names))


@pytest.mark.archs
def test_a_renamed_kernel_is_compared_with_the_only_one_that_it_can_be(compare: BenchCommand) -> None:
    outcome = compare(renamed("copy", "copy_1"), renamed("copy", "copy_by_rows"))
    assert outcome.code == 0, outcome.err
    assert "new-copy-by-rows: old is copy_1, new is copy_by_rows.\n" in outcome.err
    assert groups() == {(f"new-{name}", variant) for name in ("copy", "copy-by-rows") for variant in ("old", "new")}


@pytest.mark.archs
def test_of_several_renamed_kernels_none_is_compared(compare: BenchCommand) -> None:
    outcome = compare(renamed("copy", "one", "two"), renamed("copy", "three", "four"))
    assert outcome.code == 0, outcome.err
    assert "three and four are not timed: only in new.cu" in outcome.err
    assert groups() == {("new", "old"), ("new", "new")}


def test_overloads_go_together_by_their_parameters() -> None:
    old, new = (
        [KernelCandidate("k", ("k",), (symbol,), "", (), (), ()) for symbol in ("_Z1kPf", "_Z1kPd")] for _ in range(2)
    )
    assert instance_pairs(old, new) == list(zip(old, new, strict=True))
