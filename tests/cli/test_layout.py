from shflbench.cli.layout import Line, Table

BODY = (Line(("smem-unsafe", "2"), "doubt"), Line(("shfl", "")))


def test_columns_are_as_wide_as_their_widest_cell_and_lines_end_without_blanks() -> None:
    assert Table("", ("variant", "n"), BODY).text() == "variant      n\nsmem-unsafe  2\nshfl"


def test_title_stands_above_and_the_table_is_indented() -> None:
    assert Table("neighbor", ("variant", "n"), BODY).text() == ("neighbor\n  variant      n\n  smem-unsafe  2\n  shfl")


def test_each_line_keeps_its_style() -> None:
    assert [style for _, style in Table("t", ("variant", "n"), BODY).lines()] == ["", "", "doubt", ""]
