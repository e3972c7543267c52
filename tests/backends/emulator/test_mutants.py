"""Delete each barrier of the correct kernels in turn: the happens-before check must notice."""

from __future__ import annotations

import re

import pytest

from shflbench.backends.emulator.findings import Findings
from shflbench.backends.emulator.launch import Launch, execute
from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from tests.backends.emulator.compiled import Compiled, compiled_patterns, ptx

KERNELS = [
    item
    for item in compiled_patterns()
    if item.dtype == "i32" and item.variant.safe and item.variant.name.startswith("smem")
]
BARRIER = re.compile(r"\tbar\.(?:warp\.)?sync[^;]*;")
# A mutant may do no harm only where no further access follows: (kernel, which barrier) → reason.
EQUIVALENT: dict[tuple[str, int], str] = {}


def survivors(kernel: Compiled) -> list[int]:
    """Return which of the kernel's barriers can be deleted without a finding."""
    text = ptx(kernel.name)
    launch, _ = kernel.launch(2 * kernel.pattern.declaration.unroll + 3, block=64)
    found = []
    for number, barrier in enumerate(BARRIER.finditer(text)):
        mutant = text[: barrier.start()] + text[barrier.end() :]
        changed = Launch(
            link(parse(mutant), launch.program.name),
            launch.shape,
            launch.shared_bytes,
            launch.inputs,
            launch.outputs,
            launch.iterations,
        )
        if not any(item.kind.breaks for item in execute(changed, watch=Findings()).findings):
            found.append(number)
    return found


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_every_deleted_barrier_is_noticed(kernel: Compiled) -> None:
    assert len(BARRIER.findall(ptx(kernel.name))) > 16
    assert survivors(kernel) == [number for name, number in EQUIVALENT if name == kernel.name]
