import pytest

from shflbench.core.symbols import plain_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z13neighbor_shflIfEvPKT_PS0_i", "neighbor_shfl"),
        ("_Z4scanv", "scan"),
        ("_ZN5mylib6detail4scanIiEEvPT_", "mylib::detail::scan"),
        ("stamp", "stamp"),
        ("_Zsomething", "_Zsomething"),
    ],
)
def test_kernel_has_its_name_from_the_source(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
