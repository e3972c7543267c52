from dataclasses import replace

from shflbench.analysis.settings import GRID
from shflbench.core.model import Status
from shflbench.output.plot import curves
from shflbench.output.plot.subject import parts
from shflbench.output.plot.sweeps import beside, blocks_along, sweeps
from tests.fakes.runs import untimed
from tests.output.plot.subjects import rows, subject, texts

WIDTHS = tuple(f"width={width}" for width in (2, 4, 8))


def test_the_factor_with_the_fewest_panels_is_the_axis() -> None:
    options = [f"{width};math={math}" for width in WIDTHS for math in (0, 1, 2, 3)]
    (cases,) = sweeps(subject(rows(options=options)))
    assert (cases.factor, cases.settings) == ("math", 3)


def test_two_experiments_of_a_pattern_make_two_sweeps_that_share_a_case() -> None:
    over_width = rows(options=WIDTHS)
    over_blocks = rows(launches=("26x1024", "132x1024", "264x1024"), options=["width=4"])
    every = {row.case_id: row for row in (*over_width, *over_blocks)}
    cases = sweeps(subject(every.values()))
    assert [sweep.factor for sweep in cases] == ["width", "grid"]
    assert [len(sweep.rows) for sweep in cases] == [18, 18]


def test_two_values_are_left_to_bars() -> None:
    about = subject(rows(options=WIDTHS[:2]))
    assert sweeps(about) == []
    assert beside(about) == list(about.rows)


def test_blocks_that_follow_from_an_option_lie_on_its_axis() -> None:
    cases = [
        row
        for words, blocks in ((2, 4096), (4, 2048), (8, 1024))
        for row in rows(pattern="struct-access", launches=(f"{blocks}x256",), options=[f"words={words}"])
    ]
    (sweep,) = sweeps(subject(cases))
    assert (sweep.factor, sweep.drawn, sweep.settings) == ("words", frozenset({"words", "grid"}), 1)
    (chart,) = curves.charts(subject(cases))
    page = chart.draw()
    assert (chart.kind, len(page.figure.axes)) == ("bandwidth-by-words", 1)
    assert "Blocks: 4096 at words=2; 2048 at words=4; 1024 at words=8." in texts(page)


def test_blocks_are_named_only_where_they_lie_along_the_axis_of_another_factor() -> None:
    cases = rows(pattern="struct-access", launches=("64x256", "128x256"), options=["words=2", "words=4"])
    assert blocks_along(cases, "words", {"words", GRID}) == ["Blocks: 64 at words=2, 4; 128 at words=2, 4."]
    assert blocks_along(cases, "words", {"words"}) == blocks_along(cases, GRID, {GRID}) == []
    assert blocks_along(cases[:1], "words", {"words", GRID}) == []


def test_words_make_no_axis() -> None:
    assert sweeps(subject(rows(options=["mode=idx", "mode=up", "mode=down"]))) == []


def test_cases_that_lie_on_no_sweep_are_beside_it() -> None:
    alone = rows("f64", options=WIDTHS[:1])
    about = subject([*rows(options=WIDTHS), *alone])
    assert beside(about) == alone


def test_a_value_without_any_time_makes_no_axis() -> None:
    cases = [
        untimed(row, Status.FAILED, "crashed") if row.option_texts == ("width=8",) else row
        for row in rows(options=WIDTHS)
    ]
    assert sweeps(subject(cases)) == []


def test_a_grid_that_follows_the_device_is_placed_by_its_blocks() -> None:
    launches = ("1x1024", "sms x 1024", "2*sms x 1024")
    (cases,) = sweeps(subject(rows(launches=launches)))
    assert cases.factor == "grid"


def test_parts_are_made_by_element_type_first_and_named_after_what_they_share() -> None:
    options = [f"mode={mode};words={words}" for mode in ("idx", "xor") for words in (1, 2)]
    about = subject(rows("f32", "f64", options=options))
    assert [ending for ending, _ in parts(about, 8, ())] == [""]
    assert [ending for ending, _ in parts(about, 4, ())] == ["-f32", "-f64"]
    assert [ending for ending, _ in parts(about, 1, {"words"})] == ["-f32-idx", "-f32-xor", "-f64-idx", "-f64-xor"]
    assert parts(about, 1, ())[-1][0] == "-f64-xor-words-2"


def test_a_part_without_a_time_is_left_out() -> None:
    cases = [untimed(row, Status.FAILED, "crashed") if row.dtype == "f64" else row for row in rows("f32", "f64")]
    assert [ending for ending, _ in parts(subject(cases), 1, ())] == ["-f32"]


def test_one_iteration_of_a_pass_over_data_is_no_setting() -> None:
    about = subject([*rows(), *(replace(row, pattern="neighbor") for row in rows(pattern="struct-access"))])
    assert about.shared_setting == " at f32, 26x1024, 4096 iterations"
