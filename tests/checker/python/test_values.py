from types import SimpleNamespace

import numpy as np
import pytest

from shflbench.checker.python.values import HostValues, like, memory, to_value
from shflbench.errors import UsageError


class OnGpu:
    """An array of CuPy, whose contents `get` copies to the host."""

    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (1, False), "version": 3}  # noqa: RUF012

    def get(self) -> np.ndarray:
        return np.arange(3, dtype=np.float32)


def test_arrays_of_other_packages_are_copied_to_the_host() -> None:
    np.testing.assert_array_equal(to_value(OnGpu(), "x"), [0, 1, 2])
    tensor = SimpleNamespace(detach=lambda: SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: np.ones(2))))
    np.testing.assert_array_equal(to_value(tensor, "x"), [1, 1])


def test_array_on_a_gpu_that_is_passed_twice_is_copied_once() -> None:
    values, array = HostValues(), OnGpu()
    assert values.of(array, "x") is values.of(OnGpu(), "y")
    part = OnGpu()
    part.__cuda_array_interface__ = OnGpu.__cuda_array_interface__ | {"shape": (2,)}
    with pytest.raises(UsageError, match="argument z overlaps another array in memory"):
        values.of(part, "z")


def test_numbers_and_none_stay() -> None:
    assert to_value(3, "n") == 3
    assert to_value(None, "p") is None
    assert to_value(np.float32(0.5), "f") == np.float32(0.5)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("text", "argument x is of type str"),
        (np.array([None]), "argument x is an array of Python objects"),
        (np.zeros((4, 4))[::2, ::2], "argument x is not contiguous in memory"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(value: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        to_value(value, "x")


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)),
        np.array([1 + 2j, 3 - 4j], np.complex64),
        np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f4")]),
        np.array([True, False]),
    ],
)
def test_contents_come_back_as_they_went(array: np.ndarray) -> None:
    words = memory(array)
    assert words.nbytes == array.nbytes
    assert words.dtype.kind in "biuf"
    np.testing.assert_array_equal(like(words.view(np.uint8), array), array)
