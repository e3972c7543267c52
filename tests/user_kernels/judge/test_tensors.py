"""Numbers of a type that NumPy lacks."""

import numpy as np

from shflbench.user_kernels.judge.tensors import BFLOAT16, bits_of, numbers


def test_bits_of_bfloat16_are_numbers() -> None:
    values = np.array([1.0, -2.5, 0.0, np.inf], np.float32)
    bits = bits_of(values, BFLOAT16)
    assert bits.dtype == np.int16
    assert numbers(bits, BFLOAT16).tolist() == values.tolist()


def test_other_types_stay() -> None:
    values = np.arange(4)
    assert numbers(values, None) is values
    assert bits_of(values, "float64") is values
