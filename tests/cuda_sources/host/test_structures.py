"""Structures of host code as kernels get them: by value, in arrays, and in variables of the device."""

import struct

import pytest

from shflbench.cuda_sources.kernel_file import HostLaunch
from tests.cuda_sources.conftest import Parse

FILE = """
struct Point { int x, y; };
struct Params { int width; union { int pitch; int stride; }; float alpha; int offsets[4]; Point origin; float *out; };
__constant__ Params c_params;
__constant__ float c_weights[4];
__constant__ int c_count;
__global__ void kernel(Params p, const Point *points) { p.out[0] = p.width + points[0].x + c_params.width + c_count; }
int main() {
  Params p; Point list[3]; Point *points; cudaMalloc(&points, sizeof(list));
  BODY
  kernel<<<1, 32>>>(p, points);
}
"""

COPY = "cudaMemcpy(points, list, sizeof(list), cudaMemcpyHostToDevice);"


def launch(parse: Parse, body: str) -> HostLaunch:
    (site,) = parse(FILE.replace("BODY", body)).launches
    return site.launch


@pytest.mark.parametrize(
    ("body", "name", "value"),
    [
        ("p.width = 7;", "width", 7),
        ("p.pitch = 7;", "stride", 7),
        ("p.stride = 7;", "pitch", 7),
        ("for (int i = 0; i < 4; i++) p.offsets[i] = 10 * i;", "offsets[2]", 20),
        ("p.origin.y = 5;", "origin.y", 5),
        ("memset(&p, 0, sizeof(p)); p.width = 3;", "offsets[3]", 0),
        ("Params *q = &p; q->alpha = 0.5f;", "alpha", 0.5),
        ("Params all[2]; all[1].width = 9; p = all[1];", "width", 9),
    ],
)
def test_members_that_host_code_fills_one_by_one_have_their_values(
    parse: Parse, body: str, name: str, value: float
) -> None:
    field = launch(parse, body).arguments[0].field(name)
    assert field is not None
    assert field.value == value


VIEW = """
struct Range { int first, last; };
struct View { const float *data; Range rows; float4 weights; int steps[3]; float scale = 2.0f; };
__global__ void kernel(View v) { ((float *)v.data)[v.rows.first] = v.weights.x; }
int main() { float *d; cudaMalloc(&d, 64); BODY kernel<<<1, 32>>>(v); }
"""


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("View v{}; v.rows = {3, 9};", {"rows.first": 3, "rows.last": 9, "steps[2]": 0, "weights.w": 0, "data": 0}),
        ("View v{d, {3}, {1, 2, 3, 4}};", {"rows.first": 3, "rows.last": 0, "weights.y": 2, "steps[0]": 0, "scale": 2}),
        ("View v = {d}; v.weights = make_float4(1, 2, 3, 0.5f);", {"weights.x": 1, "weights.w": 0.5, "rows.last": 0}),
        ("View v; v.weights = float4{1, 2}; v.weights.y = 5;", {"weights.y": 5, "weights.z": 0, "rows.last": None}),
        ("View v = {.data = d, .scale = 7};", {"rows.first": 0, "scale": 7}),
        ("View v; v.rows = Range{4, 5}; v.rows.last = read_it();", {"rows.first": 4, "rows.last": None}),
        ("View v; v = View{d, {1, 2}};", {"rows.last": 2, "steps[1]": 0}),
        ("View v; v = {d, {1, 2}}; v.steps[1] = 3;", {"rows.last": 2, "steps[1]": 3, "steps[2]": 0}),
        ("View v{make_view()};", {"rows.last": None, "steps[1]": None}),
        ("View v; v.weights = read_weights();", {"weights.x": None}),
        ("View v{d, {read_it(), 4}};", {"rows.first": None, "rows.last": 4, "steps[0]": 0}),
    ],
)
def test_members_of_lists_and_vectors_have_their_values(parse: Parse, body: str, values: dict[str, float]) -> None:
    (site,) = parse(VIEW.replace("BODY", body)).launches
    given = site.launch.arguments[0]
    assert {name: value.value if (value := given.field(name)) is not None else None for name in values} == values


def test_members_of_a_structure_with_a_constructor_are_not_zero(parse: Parse) -> None:
    text = VIEW.replace("struct View {", "struct View { View() {}").replace("BODY", "View v{};")
    (site,) = parse(text).launches
    assert [value.value for value in site.launch.arguments[0].values][:4] == [None] * 4


def test_members_that_nothing_was_assigned_to_are_unknown(parse: Parse) -> None:
    given = launch(parse, "p.width = 7; p.offsets[1] = read_it();").arguments[0]
    assert [given.field(name).value for name in ("pitch", "offsets[1]", "origin.x")] == [None] * 3  # type: ignore[union-attr]


def test_an_array_of_structures_is_copied_to_the_device_as_bytes(parse: Parse) -> None:
    fill = "for (int i = 0; i < 3; i++) { list[i].x = i; list[i].y = -i; }"
    buffer = (
        launch(parse, f"{fill} cudaMemcpy(points, list, sizeof(list), cudaMemcpyHostToDevice);").arguments[1].buffer
    )
    assert buffer is not None
    assert buffer.contents == struct.pack("6i", 0, 0, 1, -1, 2, -2)


@pytest.mark.parametrize("missing", ["list[2].y", "list[0].x"])
def test_an_array_of_structures_of_which_a_member_is_unknown_has_no_contents(parse: Parse, missing: str) -> None:
    fill = f"for (int i = 0; i < 3; i++) {{ list[i].x = i; list[i].y = i; }} {missing} = read_it();"
    buffer = (
        launch(parse, f"{fill} cudaMemcpy(points, list, sizeof(list), cudaMemcpyHostToDevice);").arguments[1].buffer
    )
    assert buffer is not None
    assert buffer.contents is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "float w[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c_weights, w, sizeof(w));",
            {"c_weights": struct.pack("4f", 1, 2, 3, 4)},
        ),
        (
            "float w[2] = {5, 6}; cudaMemcpyToSymbol(c_weights, w, 8, 8);",
            {"c_weights": struct.pack("4f", 0, 0, 5, 6)},
        ),
        ("int n = 17; cudaMemcpyToSymbol(c_count, &n, sizeof(int));", {"c_count": struct.pack("i", 17)}),
        ("cudaMemcpyToSymbol(c_weights, read_it(), sizeof(c_weights));", {"c_weights": None}),
    ],
)
def test_variables_of_the_device_have_what_host_code_copies_to_them(
    parse: Parse, body: str, expected: dict[str, bytes | None]
) -> None:
    assert dict(launch(parse, body).variables) == expected


def test_a_structure_in_constant_memory_has_the_members_that_were_assigned(parse: Parse) -> None:
    body = "memset(&p, 0, sizeof(p)); p.width = 6; p.stride = 8; cudaMemcpyToSymbol(c_params, &p, sizeof(p));"
    ((name, contents),) = launch(parse, body).variables
    assert (name, contents) == ("c_params", struct.pack("ii40x", 6, 8))
