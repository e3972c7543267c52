from itertools import combinations

from matplotlib.patches import Patch

from shflbench.output.plot.page import WIDTH, Caption, Page
from shflbench.output.plot.style import house_style


def test_every_part_lies_on_the_page_however_long_its_text() -> None:
    with house_style():
        page = Page(
            title="a finding that takes more than one line " * 4,
            subtitle=("what is drawn " * 20, "", "and more"),
            caption=Caption("where the data come from " * 20, "why to doubt them " * 20),
            notes=["a note " * 40],
            legend=[Patch(label=f"a mechanism with a long name {number}") for number in range(9)],
            body=1.0,
        )
        page.figure.draw_without_rendering()
        width, height = page.figure.get_size_inches() * page.figure.dpi
        boxes = [item.get_window_extent() for item in (*page.figure.texts, *page.figure.legends)]
    assert all(box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_axes_are_placed_in_inches_from_the_top_left_of_the_body() -> None:
    page = Page(title="found", subtitle=(), caption=Caption("from"), body=2.0)
    upper, lower = page.axes(0, 0, 3, 1), page.axes(0, 1, 3, 1)
    assert upper.get_position().y0 == lower.get_position().y1
    assert round(upper.get_position().width * WIDTH, 6) == 3
