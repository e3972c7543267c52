"""The types that member functions return, from which template arguments of launches follow."""

import pytest

from shflbench.cuda_sources.member_results import member_result
from shflbench.cuda_sources.naming import normalize
from tests.cuda_sources.conftest import Parse, Read

TABLE = """template <class K> class Table {
 public:
  struct View { K *keys; __device__ K &at(int i) const { return keys[i]; } };
  View view() const { return View(); }
  int *counts();
  unsigned size() const;
  K first();
  int size(int of);
};
using Table32 = Table<int>;
"""


@pytest.mark.parametrize(
    ("class_", "member", "result"),
    [
        ("Table32", "view", "Table32::View"),
        ("Table<float>", "view", "Table<float>::View"),
        ("Table32", "counts", "int *"),
        ("Table32", "size", None),  # which of two
        ("Table32", "first", None),  # the template's parameter
        ("Table32", "last", None),
        ("Other", "view", None),
    ],
)
def test_the_type_that_a_member_returns_is_named_from_outside(
    parse: Parse, class_: str, member: str, result: str | None
) -> None:
    assert member_result(parse(TABLE).unit.files, class_, member) == result


def test_the_instance_of_a_launch_follows_from_what_a_member_returns(read: Read) -> None:
    kernel = "template <class V, class T> __global__ void k(V view, T *out) { out[0] = view.at(0); }\n"
    file = read(f"{TABLE}{kernel}void f(Table32 &table, float *out) {{ k<<<1, 64>>>(table.view(), out); }}\n")
    assert [item.name for item in file.kernels] == ["k<Table<int>::View, float>"]
    assert [launch.block for launch in file.kernels[0].host_launches] == [(64, 1, 1)]


def test_an_alias_and_its_class_name_the_same_member() -> None:
    aliases = {"Table32": "Table<int32_t, 4u>"}
    known = normalize("Table<int, 4>::View", {})
    assert normalize("Table32::View", aliases) == normalize("Table<int32_t,4u> :: View", aliases) == known
