import pytest
from matplotlib.figure import Figure

from shflbench.output.plot.axis import axis_of, size_words, spread
from tests.output.plot.subjects import rows, subject


@pytest.mark.parametrize(
    ("count", "text"), [(512, "512 B"), (65536, "64 KiB"), (1.5 * 2**20, "1.5 MiB"), (2**36, "64 GiB")]
)
def test_bytes_have_binary_units(count: float, text: str) -> None:
    assert size_words(count) == text


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1, 2, 3, 4, 5, 6, 7, 8), "linear"),
        ((2, 4, 8, 16, 32), "log"),
        ((0, 1, 2, 4, 8, 16), "symlog"),
        ((2, 3, 4), "linear"),
    ],
)
def test_values_keep_apart(values: tuple[float, ...], scale: str) -> None:
    plot = Figure().add_subplot()
    spread(plot, values)
    low, high = plot.get_xlim()
    assert plot.get_xscale() == scale
    assert low < values[0] < values[-1] < high


def test_only_a_pass_over_data_makes_a_size_of_its_blocks() -> None:
    assert axis_of(subject(rows()), "grid").title == "blocks"
    axis = axis_of(subject(rows(pattern="struct-access")), "grid")
    assert (axis.name, axis.title) == ("size", "bytes read and written by one launch")
    places = [axis.place(row) for row in rows(pattern="struct-access")]
    assert places == pytest.approx([26 * 1024 * 4 * 2] * 4, rel=1e-4)
