"""The shape of launches of which it is open which instance of a kernel they mean."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.assemble import common_shape
from shflbench.cuda_sources.kernel_file import HostLaunch
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

ONE = (1, 1, 1)
BLOCK = (1024, 1, 1)


def launch(grid: int, number: int | None = None, origin: Origin = Origin.ASSUMED) -> HostLaunch:
    assumed = (("count", number),) if number is not None else ()
    line = SourceLine(Path("a.cu"), 1)
    return HostLaunch((grid, 1, 1), BLOCK, 0, (), line, origin=origin, assumed=assumed)


@pytest.mark.parametrize(
    ("launches", "shape"),
    [
        ([launch(1, origin=Origin.HOST)], (ONE, BLOCK)),
        ([launch(1, 64), launch(1, 256)], (ONE, BLOCK)),
        ([launch(1, 64), launch(2, 256)], (None, BLOCK)),
        ([launch(1, 64)], (None, None)),
        ([launch(1, 64), launch(1, 256, Origin.FORCED)], (None, None)),
    ],
    ids=["certain", "constant", "constant-block", "one-number", "by-force"],
)
def test_what_all_launches_have_is_the_shape(launches: list[HostLaunch], shape: object) -> None:
    assert common_shape(launches) == shape
