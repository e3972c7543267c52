"""A source that is read again knows what is known of it, if nothing changed that decides its host code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import SourceUnit
from shflbench.cuda_sources.kernel_file import HostChange
from shflbench.cuda_sources.recent_sources import recent_source
from shflbench.cuda_sources.source import CudaSource
from shflbench.emulator.file_budget import NEVER

TEXT = b"""
__global__ void one(int* out) { out[threadIdx.x] = 1; }
int main() {
    int *out, n = N;
    cudaMalloc(&out, n * 4);
    one<<<1, n>>>(out);
}
"""
Given = dict[str, Any]


def source_of(text: bytes = TEXT, **given: Any) -> CudaSource:
    unit = SourceUnit(UserFile.of(Path("one.cu"), "one.cu", text))
    usual: Given = {"define": ["N=64"], "words": None, "usual": (), "change": HostChange(), "budget": NEVER}
    return recent_source(unit, **{**usual, **given})


def test_the_same_text_is_not_run_again() -> None:
    first, again = source_of(), source_of()
    assert again.launches is source_of().launches
    assert first.unit is not again.unit
    assert [site.launch.block for site in again.launches] == [(64, 1, 1)]


@pytest.mark.parametrize(
    "change",
    [
        lambda: source_of(TEXT + b"\n"),
        lambda: source_of(define=["N=32"]),
        lambda: source_of(words=("1",)),
        lambda: source_of(change=HostChange(numbers={"n": 32})),
    ],
    ids=["text", "macro", "words", "numbers"],
)
def test_what_decides_the_host_code_is_read_again(change: Callable[[], CudaSource]) -> None:
    launches = source_of().launches
    assert change().launches is not launches
