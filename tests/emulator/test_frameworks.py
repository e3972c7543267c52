"""Kernels of Triton and Numba for three architectures are emulated, but for the matrix units of warp groups."""

import re
import zipfile
from functools import cache

import pytest

from shflbench.emulator.link.unsupported import UnsupportedKernelError, link_whole
from shflbench.emulator.opcodes.refused import REFUSED
from shflbench.emulator.ptx.parse import parse
from tests.checker.python.recordings import FOLDER
from tests.conftest import Command

ARCHIVE = FOLDER / "ptx.zip"
MATRIX_UNITS = {"triton/sm_90/dot_large": "wgmma", "triton/sm_100/dot_large": "tcgen05"}
# With several warps, shuffles and shared memory: a reduction, a scan, a conversion of a layout, three products.
RUN = (
    *("triton/sm_100/softmax_warps", "triton/sm_100/scan_tile", "triton/sm_90/transpose_tile"),
    *("triton/sm_80/dot_halves", "triton/sm_100/dot_tf32", "triton/sm_90/attention"),
    *("triton/sm_100/extremes_of_nan", "numba/sm_100/prefix_sums"),
)


@cache
def recorded() -> dict[str, str]:
    """Return the PTX of each recording in `tests/data/frameworks`."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        names = [name for name in archive.namelist() if name.endswith(".ptx")]
        return {name.removesuffix(".ptx"): archive.read(name).decode() for name in names}


def test_there_are_many_recordings_in_little_space() -> None:
    assert len(recorded()) >= 85
    assert ARCHIVE.stat().st_size < 300_000


@pytest.mark.parametrize("name", sorted(recorded()))
def test_each_recording_is_linked_or_uses_an_instruction_on_the_list(name: str) -> None:
    module = parse(recorded()[name])
    (kernel,) = module.kernels
    if name not in MATRIX_UNITS:
        assert link_whole(module, kernel).blocks
        return
    with pytest.raises(UnsupportedKernelError) as error:
        link_whole(module, kernel)
    assert all(MATRIX_UNITS[name] in problem for problem in error.value.problems[:1])
    unknown = [item for item in module.functions[kernel].instructions if item.opcode == MATRIX_UNITS[name]]
    assert all(any(form.describes(item) for form in REFUSED) for item in unknown)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", RUN)
def test_a_recording_runs_without_a_finding(
    name: str, shflbench: Command, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("recorded") / "kernel.ptx"
    path.write_text(recorded()[name], encoding="utf-8")
    outcome = shflbench("check", path)
    assert outcome.code == 0, outcome.out
    assert re.search(r" (?:clean|doubtful) ", outcome.out), outcome.out  # threads may store equal values
