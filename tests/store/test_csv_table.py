import csv
import io
from dataclasses import dataclass
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.cells import FLAG, TEXT, number, whole
from shflbench.store.csv_table import CsvTable, complete_length, csv_line

FILE = Path("table.csv")


@dataclass(frozen=True)
class Item:
    name: str
    count: int | None
    share: float | None = None
    good: bool = False


TABLE = CsvTable(Item, {str: TEXT, bool: FLAG, int: whole(), "share": number()})
ITEMS = [Item("a", 1, 0.5, good=True), Item("b, c", None), Item('the "d"', 3, good=True)]


def read(text: str) -> list[Item]:
    return TABLE.decode(TABLE.columns(text, FILE))


def refusal(text: str) -> str:
    with pytest.raises(ResultsError) as caught:
        read(text)
    assert caught.value.advice
    return caught.value.message


def test_rows_come_back_as_they_were_written() -> None:
    text = TABLE.header() + TABLE.encode(ITEMS)
    assert text == 'name,count,share,good\na,1,0.5,true\n"b, c",,,false\n"the ""d""",3,,true\n'
    assert read(text) == ITEMS
    assert list(csv.reader(io.StringIO(text)))[2] == ["b, c", "", "", "false"]


SPREADSHEET = '"name","count","share","good"|"a","1.0","5e-01","TRUE"|"b, c","","","False"|"the ""d""","3.0","","True"|'
PANDAS = ',name,count,share,good|0,a,1,0.5,True|1,"b, c",,,False||2,"the ""d""",3,,True'


@pytest.mark.parametrize("text", [SPREADSHEET.replace("|", "\r\n"), PANDAS.replace("|", "\n")])
def test_a_table_that_was_saved_again_is_read(text: str) -> None:
    assert read(text) == ITEMS


def test_a_column_with_a_default_may_be_missing_and_unknown_ones_are_left_out() -> None:
    assert read("count,name,later\n2,a,x\n") == [Item("a", 2)]
    assert refusal("name,share\na,1\n") == "table.csv:1: the column count is missing"


def test_only_wanted_columns_are_read() -> None:
    assert TABLE.columns("name,count,share\na,1,nan\n", FILE, only=("name", "count")).values == {
        "name": ["a"],
        "count": [1],
    }


@pytest.mark.parametrize("line", ['"b,2,,false', 'b"ad,2,,false', 'b,"2"x,,false', '"b"",2,,false', 'b,2,,"'])
def test_a_stray_quotation_mark_is_blamed_on_its_own_line(line: str) -> None:
    text = f"name,count,share,good\na,1,,true\n{line}\nc,3,,true\nd,4,,true\n"
    assert refusal(text) == "table.csv:3: a quotation mark is out of place"


def test_a_line_break_within_a_cell_is_written_as_a_space() -> None:
    text = csv_line(["two\nlines", "and\r\nmore"])
    assert text == "two lines,and more\n"


def test_the_first_of_several_wrong_lines_is_named() -> None:
    text = "name,count\n" + "".join(f"a,{count}\n" for count in (1, -2, 1, -3, -2))
    assert refusal(text) == "table.csv:3: count is '-2', not an integer, 0 or above"


def test_whole_lines_end_at_a_newline() -> None:
    assert complete_length(b"a,b\n1,2\n") == 8
    assert complete_length(b"a,b\n1,2") == 4
    assert complete_length(b'a,b\n1,"x\n') == 9
    assert complete_length(b"a,b") == 0
