from shflbench.cli.layout import Line, Table

BODY = (Line(("smem-unsafe", "2"), "doubt"), Line(("shfl", "")))


def test_columns_are_as_wide_as_their_widest_cell_and_lines_end_without_blanks() -> None:
    assert Table("", ("variant", "n"), BODY).text() == "variant      n\nsmem-unsafe  2\nshfl"


def test_title_stands_above_and_the_table_is_indented() -> None:
    assert Table("neighbor", ("variant", "n"), BODY).text() == ("neighbor\n  variant      n\n  smem-unsafe  2\n  shfl")


def test_each_line_keeps_its_style() -> None:
    assert [style for _, style in Table("t", ("variant", "n"), BODY).lines()] == ["", "", "doubt", ""]


LONG = Table(
    "",
    ("verdict", "case", "base µs", "change"),
    (Line(("slower", "neighbor/shfl/f32/26x1024/4096", "70.00", "+27.1% (+26.9 to +27.3%)")),),
    key=2,
)


def test_a_table_that_fits_is_the_same_at_any_width() -> None:
    assert LONG.text(200) == LONG.text(74) == LONG.text()
    assert len(LONG.text().splitlines()) == 2


def test_a_table_that_is_too_wide_wraps_text_in_its_columns_but_no_word_and_no_figure() -> None:
    table = Table(
        "",
        ("variant", "limited by", "time µs", "summary"),
        (
            Line(("smem", "barrier", " 356.96 ± 0.07", "two barriers per step")),
            Line(("shfl", "exchange", "1119.39 ± 0.98", "one shuffle per step")),
        ),
    )
    assert (
        table.text(46)
        == """\
variant  limited   time µs         summary
         by
smem     barrier    356.96 ± 0.07  two
                                   barriers
                                   per step
shfl     exchange  1119.39 ± 0.98  one shuffle
                                   per step"""
    )


def test_a_table_whose_words_do_not_fit_has_named_figures_below_its_keys() -> None:
    assert (
        LONG.text(40)
        == """\
verdict  case
slower   neighbor/shfl/f32/26x1024/4096
    base µs 70.00, change +27.1% (+26.9
    to +27.3%)"""
    )


def test_a_key_is_never_cut() -> None:
    assert "slower   neighbor/shfl/f32/26x1024/4096" in LONG.text(20).splitlines()


def test_the_text_of_a_last_cell_wraps_in_its_column() -> None:
    table = Table("", ("variant", "verification"), (Line(("shfl", "UNSAFE, 8 of 8 inputs matched; drift")),))
    assert table.text(36) == "variant  verification\nshfl     UNSAFE, 8 of 8 inputs\n         matched; drift"


def test_notes_stand_below_the_table_and_wrap() -> None:
    table = Table("neighbor", ("variant", "n"), BODY, notes=("verified with up to 51 iterations instead of 4096",))
    assert table.text().endswith("\n  verified with up to 51 iterations instead of 4096")
    assert table.text(24).endswith("\n  verified with up to 51\n  iterations instead of\n  4096")


def test_cells_that_fit_nowhere_are_wrapped_as_text() -> None:
    table = Table("", ("name", "dtypes", "summary"), (Line(("scan", "f32 f64 i32 i64 bf16", "prefix sum")),))
    assert max(map(len, table.text(16).splitlines())) <= 16
