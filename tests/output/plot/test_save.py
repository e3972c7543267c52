import os
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.output.plot.page import Caption, Page
from shflbench.output.plot.save import save
from shflbench.output.plot.style import house_style


def put(folder: Path, words: str = "4.69×") -> list[Path]:
    with house_style():
        page = Page(title="the finding", subtitle=[words], caption=Caption("from"), body=1, scope=["neighbor/f32/1x32"])
        return [save(page, folder / f"chart.{kind}", "elsewhere") for kind in ("png", "svg")]


def test_a_page_is_saved_in_each_format_and_no_other_file_remains(tmp_path: Path) -> None:
    paths = put(tmp_path / "plots" / "new")
    assert [path.name for path in paths] == ["chart.png", "chart.svg"]
    assert sorted(path.name for path in (tmp_path / "plots" / "new").iterdir()) == ["chart.png", "chart.svg"]


def test_neither_file_says_when_or_with_what_it_was_drawn(tmp_path: Path) -> None:
    png, svg = (path.read_bytes() for path in put(tmp_path))
    assert b"Software" not in png
    assert b"<dc:date>" not in svg
    assert b"Matplotlib" not in png + svg
    assert "<title>the finding</title>" in svg.decode()


def test_the_svg_names_the_groups_that_it_shows(tmp_path: Path) -> None:
    _, svg = put(tmp_path)
    assert "<rdf:li>neighbor/f32/1x32</rdf:li>" in svg.read_text("utf-8")


def test_text_in_the_svg_is_text(tmp_path: Path) -> None:
    _, svg = put(tmp_path)
    assert ">4.69×</text>" in svg.read_text("utf-8")


def test_a_dollar_sign_is_no_formula(tmp_path: Path) -> None:
    _, svg = put(tmp_path, "cost $1 and $2")
    assert ">cost $1 and $2</text>" in svg.read_text("utf-8")


def test_an_unchanged_file_is_not_touched_and_a_changed_one_is_replaced(tmp_path: Path) -> None:
    paths = put(tmp_path)
    for path in paths:
        os.utime(path, (1, 1))
    put(tmp_path)
    assert [path.stat().st_mtime for path in paths] == [1, 1]
    put(tmp_path, "1.00×")
    assert all(path.stat().st_mtime > 1 for path in paths)


def test_a_folder_that_cannot_be_made_gives_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "plots").write_text("a file")
    with pytest.raises(ResultsError, match=r"plots/chart\.png cannot be written: .*plots is not a folder") as caught:
        put(tmp_path / "plots")
    assert caught.value.advice == "elsewhere"
