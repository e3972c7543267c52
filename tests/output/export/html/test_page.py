"""The page: one file, which may run and load nothing but its own style and script, and shows text as text."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.output.export.html import render
from shflbench.output.export.html.page import FOLDER
from tests.fakes.hostile_runs import PAYLOADS, REAL, RUNS, plant
from tests.output.export.html.pages import Parsed, content_of, parsed, small

ALLOWED_LINK = re.compile(r"#[\w-]+")
REFERRING = {"src", "href", "srcset", "data", "action", "poster", "xlink:href", "ping", "background"}
SECRET = "what nobody may read"  # noqa: S105  (a text to look for)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    return render(content_of(plant(REAL, folder / "run", folder / "secret.txt"), title=PAYLOADS[0]))


def test_nothing_in_the_page_refers_to_another_place(hostile: str) -> None:
    for page in (parsed(small()), Parsed(hostile)):
        links = [
            (name, value)
            for item in page.elements
            for name, value in item.attributes.items()
            if name in REFERRING and not ALLOWED_LINK.fullmatch(value)
        ]
        assert links == []
        tags = {item.tag for item in page.elements}
        assert tags.isdisjoint({"img", "iframe", "object", "embed", "link", "form", "base", "video", "audio", "use"})
        assert "url(" not in re.sub(r"url\(#[a-z-]+\)", "", str(page.elements))


def test_the_policy_allows_exactly_the_style_and_the_script_of_the_page() -> None:
    html = render(small())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    rules = policy[1].replace("&#39;", "'")
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in rules
    assert rules.startswith("default-src 'none'; ")
    assert "unsafe" not in rules
    assert "@import" not in html


def test_no_element_has_a_style_or_a_handler(hostile: str) -> None:
    for page in (parsed(small()), Parsed(hostile)):
        names = {name for item in page.elements for name in item.attributes}
        assert {name for name in names if name.startswith("on") or name == "style"} == set()
        assert len(page.tags("script")) == len(page.tags("style")) == 1


def test_planted_markup_is_shown_as_text(hostile: str) -> None:
    page = Parsed(hostile)
    for payload in PAYLOADS:
        assert payload in page.text
    assert RUNS not in "".join(value for item in page.elements for value in item.attributes.values() if "on" in value)
    classes = {name for item in page.elements for name in item.attributes.get("class", "").split()}
    assert {name for name in classes if not re.fullmatch(r"[a-zA-Z-]+", name)} == set()


def test_templates_in_a_run_are_not_evaluated(hostile: str) -> None:
    assert "1337" not in hostile
    assert "root:x:0" not in hostile


def test_a_path_in_a_run_is_never_opened(hostile: str) -> None:
    assert SECRET not in hostile


def test_control_characters_and_directions_are_replaced(hostile: str) -> None:
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]", hostile) == []
    assert "a\ufffdb\ufffdc\ufffdd\ufffde" in hostile


def test_huge_values_and_long_texts_are_shortened(hostile: str) -> None:
    assert len(hostile) < 400_000
    assert "99,999,999,999,999,999" in hostile
    assert "long " * 200 not in hostile


def test_a_folder_whose_name_is_no_text_does_not_end_the_page() -> None:
    card = replace(small().runs[0], label="run \udcff", facts={"Folder": "\udcff"})
    assert "run \ufffd" in render(replace(small(), runs=(card,)))


def test_headings_cells_and_captions_are_marked_for_screen_readers() -> None:
    page = parsed(small())
    html = render(small())
    tables = page.tags("table")
    assert len(tables) >= 4
    assert len(page.tags("caption")) == len(tables)
    assert {item.attributes.get("scope") for item in page.tags("th")} == {"row", "col"}
    assert '<html lang="en">' in html
    assert html.count("<h1>") == 1
    ids = [item.attributes["id"] for item in page.elements if "id" in item.attributes]
    assert len(ids) == len(set(ids))
    targets = {item.attributes["href"][1:] for item in page.tags("a")}
    assert targets <= set(ids)


def test_the_same_runs_give_the_same_page() -> None:
    assert render(small()) == render(content_of(REAL))


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("sortable.js", "0b2d084fcfa5fad5d0e8c2282cca7466b170b30e54e289efdd69c7454b44d14f"),
        ("sortable.LICENSE.txt", "88d9b4eb60579c191ec391ca04c16130572d7eedc4a86daa58bf28c6e14c9bcd"),
    ],
)
def test_vendored_files_are_those_of_the_pinned_version(name: str, digest: str) -> None:
    assert sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest


def test_each_vendored_library_has_its_license_in_the_report_and_a_reason_in_the_guide() -> None:
    guide = (Path(__file__).parents[4] / "docs/contributing/dependencies.md").read_text(encoding="utf-8")
    text = parsed(small()).text
    for script in (FOLDER / "vendor").glob("*.js"):
        terms = (FOLDER / "vendor" / f"{script.stem}.LICENSE.txt").read_text(encoding="utf-8")
        assert terms in text
        assert f"`{script.stem}`" in guide
