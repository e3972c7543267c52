"""The emulator and this GPU give the same bits."""

import pytest

from benchmarks import agreement
from shflbench.cuda.backends.cuda import CudaBackend

pytestmark = pytest.mark.gpu


def test_the_emulator_gives_the_bits_of_the_gpu(backend: CudaBackend) -> None:
    recorded, outcomes = agreement.record(backend)
    assert [(item.subject.name, item.run.name, item.difference) for item in outcomes if item.difference] == []
    assert len(recorded["kernels"]) > 50
    assert all(run["agree"] for kernel in recorded["kernels"].values() for run in kernel["runs"].values())
