from collections import Counter

import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

COUNT = load(builtin()["count"])
COUNTERS = COUNT.declaration.options["counters"]


def workload(counters: str) -> Workload:
    return cases.workload(COUNT, "i32", options={"counters": counters})


@pytest.mark.parametrize("counters", COUNTERS)
def test_reference_agrees_with_a_loop_over_the_elements(counters: str) -> None:
    data = workload(counters)
    for index in range(data.input_sets):
        number = int(counters)
        found = Counter(value % number for value in data.inputs(index)[0].ravel().tolist() if value >= 0)
        assert data.expected(index, 1)[0].tolist() == [found[counter] for counter in range(number)]


@pytest.mark.parametrize("counters", COUNTERS)
def test_element_counted_twice_or_not_at_all_is_visible(counters: str) -> None:
    data = workload(counters)
    (right,) = data.expected(0, 1)
    for error in (1, -1):
        wrong = right.copy()
        wrong[-1] += error
        assert mismatch([wrong], [right], 0.0)


@pytest.mark.parametrize("counters", COUNTERS)
def test_some_elements_are_counted_and_some_are_not(counters: str) -> None:
    (values,) = workload(counters).inputs(0)
    assert 0.4 < (values.astype(np.int64) >= 0).mean() < 0.6


def test_each_of_32_counters_counts_some_elements() -> None:
    assert min(workload("32").expected(0, 1)[0].tolist()) > 0
