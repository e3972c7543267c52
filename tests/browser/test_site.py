"""The documentation builds without warnings; no page loads anything from another host, and all are accessible."""

import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browser.conftest import DESKTOP, PHONE, Opened

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]
OPTIONS = "-q -b html --nitpicky --fail-on-warning --keep-going"
SHOWN = ("index", "notebooks/explore-results", "reference/patterns/transpose", "files/shflbench/patterns/reduce/cg.cu")
SCREEN = 1080  # pixels
LONGEST = 120  # characters of a line of our sources and of most code in pages
FONTS = 1.05  # heights differ between machines, whose system fonts differ
Open = Callable[..., Opened]
HOSTS = re.compile(r"""^(?:https?:)?//""")
# What a style sheet or a script loads; a comment may name a host, as licenses do.
LOADS = re.compile(r"""@import\s+|url\(\s*["']?(?:https?:)?//|(?:fetch|import|importScripts)\(\s*["'](?:https?:)?//""")


class Document(HTMLParser):
    """What a page loads, where its links lead, and the ids in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a":
            self.links.append(values.get("href", ""))
        else:  # `link`, `script`, `img`, `iframe`, `use`, `object`, …
            self.loaded += [values[name] for name in ("src", "href", "data", "srcset", "poster") if name in values]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make site` does, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    assert f"bin/sphinx-build {OPTIONS} -d" in (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(BIN)", "bin")
    words = [*OPTIONS.split(), "-d", str(folder / "trees"), "docs", str(folder / "html")]
    build = [sys.executable, "-m", "sphinx", *words]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def documents(site: Path) -> dict[Path, Document]:
    return {path.relative_to(site): Document(path) for path in sorted(site.rglob("*.html"))}


def test_no_page_loads_anything_from_another_host(site: Path, documents: dict[Path, Document]) -> None:
    assert len(documents) > 60
    loaded = {(str(page), uri) for page, document in documents.items() for uri in document.loaded}
    assert {uri for _, uri in loaded if uri.endswith("site.css") or "site.css?" in uri}
    assert [item for item in loaded if HOSTS.match(item[1])] == []
    files = [path for kind in ("*.css", "*.js") for path in site.rglob(kind)]
    assert len(files) > 10
    assert [path.name for path in files if LOADS.search(path.read_text(encoding="utf-8"))] == []


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path, documents: dict[Path, Document]) -> None:
    broken = []
    for page, document in documents.items():
        for link in document.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = (site / page.parent / unquote(parts.path)).resolve() if parts.path else site / page
            target = documents.get(path.relative_to(site))
            if not path.is_file() or (parts.fragment and target and unquote(parts.fragment) not in target.ids):
                broken.append((str(page), link))
    assert broken == []
    assert sum(len(document.links) for document in documents.values()) > 1000


def test_a_link_to_a_kernel_leads_to_its_line(documents: dict[Path, Document]) -> None:
    links = documents[Path("reference/patterns/reduce.html")].links
    assert any(re.fullmatch(r"\.\./\.\./files/shflbench/patterns/reduce/cg\.cu\.html#L-\d+", link) for link in links)


def test_the_notebook_shows_its_tables_and_its_chart(site: Path) -> None:
    text = (site / "notebooks" / "explore-results.html").read_text(encoding="utf-8")
    assert text.count('class="dataframe"') >= 4
    assert re.search(r'<img alt="Time of a transpose[^"]*"[^>]* src="\.\./_images/\w+\.png"', text)


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop", "phone, dark"])
def test_a_page_is_accessible_and_asks_no_other_host(
    site: Path, open_page: Open, name: str, size: tuple[int, int], *, dark: bool
) -> None:
    opened = open_page(site / f"{name}.html", size, dark=dark)
    assert len(opened.requests) > 3  # style sheets and scripts
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.errors == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert opened.violations() == []


def test_the_search_finds_a_page(site: Path, open_page: Open) -> None:
    opened = open_page(site / "index.html")
    opened.page.get_by_label("Search").first.fill("bitonic")
    opened.page.keyboard.press("Enter")
    opened.page.get_by_role("link", name="bitonic-sort").last.wait_for(timeout=5000)
    assert [url for url in opened.requests if not url.startswith("file:")] == []


def test_code_that_scrolls_can_be_reached_by_the_keyboard(site: Path, open_page: Open) -> None:
    opened = open_page(site / "files" / "shflbench" / "patterns" / "reduce" / "cg.cu.html", PHONE)
    assert opened.page.locator("pre[tabindex='0']").count() == 1
    opened = open_page(site / "how-to" / "bench-a-file.html", (1600, 900))
    assert opened.page.locator("pre").count() >= 3
    assert opened.page.locator("pre[tabindex='0']").count() == 0


def test_the_first_page_fits_on_three_screens_and_its_tables_on_most_of_them(site: Path, open_page: Open) -> None:
    opened = open_page(site / "index.html", (1440, SCREEN))
    assert opened.page.locator("article img").evaluate_all("(images) => images.map((one) => one.naturalWidth > 0)") == [
        True
    ]
    tables = opened.page.locator("article table").evaluate_all("(tables) => tables.map((one) => one.offsetHeight)")
    assert len(tables) == 2
    assert 1000 < sum(tables) <= FONTS * 2.25 * SCREEN
    height = opened.page.locator("article").evaluate("(article) => article.offsetHeight")
    picture = opened.page.locator("article p:has(img)").evaluate("(one) => one.offsetHeight")
    assert height - picture <= FONTS * 3 * SCREEN


def test_code_of_120_characters_is_not_cut_on_a_laptop(site: Path, open_page: Open) -> None:
    """Longer lines scroll: machine code, and output of commands with wide tables."""
    cut = "(boxes) => boxes.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"
    for name in ("index", "how-to/performance-gate-in-ci", "files/shflbench/patterns/reduce/cg.cu"):
        opened = open_page(site / f"{name}.html", DESKTOP)
        codes = opened.page.locator("article pre").evaluate_all(cut)
        assert [code for code in codes if max(map(len, code.splitlines())) <= LONGEST] == [], name
        assert opened.page.evaluate("document.documentElement.scrollWidth") == DESKTOP[0]


def test_what_scrolls_on_a_phone_says_so_until_its_end(site: Path, open_page: Open) -> None:
    page = open_page(site / "index.html", PHONE).page
    table = page.locator(".table-wrapper").first
    words = "(box) => getComputedStyle(box, '::before').content"
    assert table.evaluate(words) == '"Scroll sideways →"'
    faded = "(boxes) => boxes.map((box) => getComputedStyle(box).maskImage.includes('gradient'))"
    assert set(page.locator(".table-wrapper, article pre").evaluate_all(faded)) == {True}
    table.evaluate("(box) => box.scrollTo(box.scrollWidth, 0)")
    page.wait_for_selector(".table-wrapper.scrolled-to-end")
    assert table.evaluate(words) == '"← Scroll sideways"'
    wide = open_page(site / "index.html", (1600, 900)).page
    assert wide.locator(".scrolls").count() == 0
