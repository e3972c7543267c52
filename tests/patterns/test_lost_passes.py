import pytest

from shflbench.measure.agreement import mismatch
from shflbench.patterns.discover import LoadedPattern
from tests import cases, kernels

LOOPS = [pattern for pattern in kernels.patterns().values() if not pattern.declaration.one_pass]
PERIODIC = {"memory-ladder", "neighbor", "transpose"}  # two passes can move every value back to where it was


@pytest.mark.parametrize(
    ("pattern", "dtype", "passes"),
    [
        pytest.param(pattern, dtype, passes, id=f"{pattern.name}-{dtype}-{passes}")
        for pattern in LOOPS
        for dtype in pattern.declaration.dtypes
        for passes in ((1, 3) if pattern.name in PERIODIC else (1, 2, 3))
    ],
)
def test_lost_passes_through_the_unrolled_loop_are_visible_at_the_end(
    pattern: LoadedPattern, dtype: str, passes: int
) -> None:
    lost = passes * pattern.declaration.unroll
    for options in pattern.declaration.option_choices:
        data = cases.workload(pattern, dtype, options=options)
        iterations = max(data.verify_iterations)
        assert iterations >= lost
        for index in range(data.input_sets):
            got, right = (data.expected(index, number) for number in (iterations - lost, iterations))
            assert mismatch(got, right, pattern.tolerance(data.setting, iterations)), (options, index)
