import numpy as np
import pytest

from shflbench.cuda_sources.argument_types import meaning


@pytest.mark.parametrize(
    ("type_", "pointers", "element", "lanes"),
    [
        ("float *", 1, "f4", 1),
        ("const double *__restrict__", 1, "f8", 1),
        ("unsigned long long int", 0, "u8", 1),
        ("long unsigned", 0, "u8", 1),
        ("signed char *", 1, "i1", 1),
        ("float4 *", 1, "f4", 4),
        ("uint2", 0, "u4", 2),
        ("__half *", 1, "f2", 1),
        ("bool", 0, "?", 1),
        ("int arr[]", 1, "i4", 1),
        ("std::uint8_t *", 1, "u1", 1),
        ("struct Point", 0, None, 1),
        ("float **", 2, "u8", 1),
    ],
)
def test_a_type_means_a_pointer_or_a_value_of_elements(
    type_: str, pointers: int, element: str | None, lanes: int
) -> None:
    what = meaning(type_.replace(" arr", " "))
    assert (what.pointer, what.element, what.lanes) == (pointers > 0, element, lanes)


def test_every_element_but_bfloat16_is_a_numpy_dtype() -> None:
    elements = [meaning(f"{name} *").element for name in ("char", "short", "int", "long", "float", "double", "bool")]
    assert [np.dtype(element).itemsize for element in elements if element] == [1, 2, 4, 8, 4, 8, 1]
    assert meaning("__nv_bfloat16").element == "bfloat16"


def test_typedefs_are_followed_and_pointers_in_them_count() -> None:
    what = meaning("const table", {"table": "real *", "real": "double"})
    assert (what.pointer, what.element) == (True, "f8")


def test_a_pointer_to_constants_is_const_and_a_constant_pointer_is_not() -> None:
    assert meaning("const int *").const
    assert meaning("int const *").const
    assert not meaning("int *const").const
