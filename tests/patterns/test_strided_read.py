import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

STRIDED_READ = load(builtin()["strided-read"])
DTYPES = STRIDED_READ.declaration.dtypes
OPTIONS = STRIDED_READ.declaration.options


def workload(dtype: str = "i32", launch: str = "2x64", **options: str) -> Workload:
    return cases.workload(STRIDED_READ, dtype, launch, options=options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stride", OPTIONS["stride"])
@pytest.mark.parametrize("offset", OPTIONS["offset"])
def test_reference_agrees_with_reads_in_a_loop_over_the_threads(dtype: str, stride: str, offset: str) -> None:
    data = workload(dtype, stride=stride, offset=offset)
    (values,), (result,) = data.inputs(0), data.expected(0, 1)
    distance, block = int(stride), data.setting.block
    places = [(thread * distance if distance else thread // block) + int(offset) for thread in range(128)]
    assert result.tolist() == [values[place].tolist() for place in places]


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_of_the_neighbor_is_visible(dtype: str) -> None:
    (right,) = workload(dtype, stride="8").expected(0, 1)
    got = right.copy()
    got[77] = got[78]
    assert mismatch([got], [right], 0.0)


@pytest.mark.parametrize("stride", ["1", "32", "0"])
def test_useful_bytes_do_not_depend_on_the_stride(stride: str) -> None:
    assert cases.bytes_moved(workload("f32x4", stride=stride)) == 128 * (16 + 16)


def test_only_short_strides_are_staged() -> None:
    staged = {
        variant.name: [stride for stride in OPTIONS["stride"] if variant.has("i32", {"stride": stride})]
        for variant in STRIDED_READ.declaration.variants
    }
    assert staged == {"global": list(OPTIONS["stride"]), "smem": ["2", "4", "8"], "shfl": ["2", "4", "8"]}
