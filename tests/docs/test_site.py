"""The first page of the site is current, its sentences hold in the runs, and every page and file can be reached."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

from tools.docs import claims_page, contradictions_page
from tools.docs.first_page import PAGE, render, verdicts
from tools.docs.measured import Setting, settings
from tools.docs.opponents import RECORDS
from tools.docs.site_files import all_files, body, page_name
from tools.docs.site_links import DOCS, FileLink, entries, file_link, file_links, parse, rewrite

TEXT = PAGE.read_text(encoding="utf-8")
NOTEBOOK = DOCS / "notebooks" / "explore-results.md"
CELL = re.compile(r"^```\{code-cell\} python\n(?:---\n.*?^---\n)?(.*?)^```", re.MULTILINE | re.DOTALL)
TRANSPOSE = "gtc2013 transpose f32 104x256 words="
PRIVATE = "dynamic-indexing private-array f32 8*sms x 64 length=32"
LANES = "dynamic-indexing lane-array f32 2*sms x 1024"
STRUCTS = "gtc2013 struct-access f32"


@pytest.fixture(scope="module")
def at() -> dict[str, Setting]:
    return settings()


@pytest.mark.archs
def test_the_first_page_is_current() -> None:
    assert render() == TEXT, "run `make plots`"


def test_it_fits_on_two_screens() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 110
    assert max(len(line) for line in lines if not line.startswith("|")) <= 130


@pytest.mark.archs
def test_what_its_sentences_say_of_other_settings_holds_in_the_runs(at: dict[str, Setting]) -> None:
    for words in (2, 4, 8, 16):
        assert at[f"{TRANSPOSE}{words}"].leaders()[0].startswith("smem-")
    assert at[f"{TRANSPOSE}3"].leaders() == ["shfl"]
    assert at[f"{TRANSPOSE}32"].leaders() == ["quarter-shfl"]
    assert at["residency transpose f32 8*sms x 256 words=2"].leaders() == ["shfl"]
    assert at["residency transpose f32 8*sms x 256 words=8"].leaders()[0].startswith("smem-")
    assert at["gtc2013 reduce f32 26x1024 width=8"].leaders() == ["shfl"]
    assert at["gtc2013 broadcast f32 26x1024 values=4"].leaders() == ["shfl"]
    assert at[f"{PRIVATE} index=uniform math=0"].leaders() == ["smem-dp4a"]
    assert at[f"{LANES} length=64 index=uniform"].leaders() == ["smem-dp4a"]
    for launch, words in (("65536x256", 2), ("32768x256", 4), ("16384x256", 8), ("16384x256", 12)):
        assert "direct" in at[f"{STRUCTS} {launch} words={words} way=load"].leaders()
    assert "direct" not in at[f"{STRUCTS} 16384x256 words=16 way=load"].leaders()
    assert at["residency scan f64 sms x 32 kind=inclusive"].leaders() == ["smem-wide"]
    assert "redux" in at["residency count i32 64x256 counters=1"].leaders()
    assert "shared" not in at["residency count i32 64x256 counters=1"].leaders()
    assert at["warp-collectives reserve i32 16384x256"].leaders() == ["leader-block"]


def test_the_page_says_whether_its_gpu_was_quiet() -> None:
    loud = sum(not record["quiet"] for record in RECORDS.values())
    assert TEXT.count("which was [not quiet](../benchmarks/earlier.md)") == loud


def test_its_counts_of_verdicts_are_those_of_the_pages_on_claims() -> None:
    texts = [(DOCS / "explanation" / f"{name}.md").read_text(encoding="utf-8") for name in claims_page.NAMES.values()]
    number = verdicts(DOCS / "explanation" / "claims.md")
    assert set(number) == {"confirmed", "refuted", "depend", "inconclusive", "untestable"}
    assert number["confirmed"] == sum(text.count("| **confirmed** |") for text in texts)
    assert (
        f"Of {sum(number.values())} published claims of four talks and articles, {number['confirmed']} are confirmed"
        in TEXT
    )
    others = [(DOCS / "explanation" / f"{name}.md").read_text(encoding="utf-8") for name in contradictions_page.NAMES]
    listed = sum(len(re.findall("^[|] [BR][0-9]+ ", text, re.MULTILINE)) for text in others)
    assert f"{listed} claims of code bases" in TEXT


@pytest.mark.archs
def test_the_fastest_variants_are_safe_and_tie(at: dict[str, Setting]) -> None:
    neighbor = at["gtc2013 neighbor f32 26x1024 mode=idx"]
    assert neighbor.leaders() == ["shfl"]
    assert neighbor.faster() == "shfl"
    assert at["gtc2013 reduce f32 26x1024 width=32"].best() == "`shfl` (also `cg`)"
    assert at["blocks block-reduce f32 fill x 256 result=all"].best() == "`raking-columns`"
    tie = at[f"{LANES} length=64 index=random"]
    assert tie.faster() == "tie"
    assert not neighbor.rows["smem-unsafe"].safe
    assert at[f"{TRANSPOSE}8"].leaders() == ["smem-stmatrix", "smem-syncwarp", "smem-wide"]


def test_the_cells_of_the_notebook_run(monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.chdir(NOTEBOOK.parent)
    sources = CELL.findall(NOTEBOOK.read_text(encoding="utf-8"))
    assert len(sources) == NOTEBOOK.read_text(encoding="utf-8").count("{code-cell}") >= 5
    space: dict[str, object] = {}
    for cell in sources:
        exec(compile(cell, NOTEBOOK, "exec"), space)  # noqa: S102  (a page of this repository)
    best = space["best"]
    assert best.loc[("gtc2013", "reduce", "f32", "26x1024", "width=8"), "variant"] == "shfl"  # type: ignore[attr-defined]
    assert space["near"].limit_fraction.between(0, 1.01).all()  # type: ignore[attr-defined]


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, waiting = set[Path](), [PAGE]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        listed = entries(page.read_text(encoding="utf-8")) if page.stem in {"index", "README"} else []
        waiting.extend({(page.parent / target).resolve() for target in listed} - reached)
    assert reached == set(DOCS.rglob("*.md"))


def test_a_link_to_a_file_outside_the_documentation_becomes_one_to_its_page() -> None:
    page = DOCS / "reference" / "patterns" / "reduce.md"
    link = file_link(page, "../../../shflbench/patterns/reduce/cg.cu#L13")
    assert link == FileLink("shflbench/patterns/reduce/cg.cu", "L-13")
    assert parse(str(link)) == link
    assert page_name(link) == "files/shflbench/patterns/reduce/cg.cu"
    for other in ("../columns.md", "#variants", "https://example.org/x.cu", "../../../missing.cu", "../../../../x"):
        assert file_link(page, other) is None


def test_links_in_code_and_images_stay_as_they_are() -> None:
    text = "[a](x.cu) ![chart](x.svg)\n```\n[b](x.cu)\n```\n[`c` [d]](x.cu#L1)\n"
    assert rewrite(text, str.upper) == "[a](X.CU) ![chart](x.svg)\n```\n[b](x.cu)\n```\n[`c` [d]](X.CU#L1)\n"


def test_a_link_to_a_heading_of_a_file_leads_to_its_id() -> None:
    links = {
        link for page in DOCS.rglob("*.md") for link in file_links(page) if link.place and link.path.endswith(".md")
    }
    pages = {path: body(FileLink(path), str) for path in {link.path for link in links}}
    assert pages
    assert [link for link in links if f'id="{link.place}"' not in pages[link.path]] == []


def test_every_linked_file_has_a_page_with_its_lines() -> None:
    files = all_files(sorted(DOCS.rglob("*.md")))
    kernels = FileLink("shflbench/patterns/reduce/cg.cu")
    assert {kernels, FileLink("benchmarks/limits.md"), FileLink("results/gtc2013/nvidia-h200")} <= set(files)
    assert 'id="L-13"' in body(kernels, str)
    assert "results.csv" in body(FileLink("results/gtc2013/nvidia-h200"), str)
    compare = body(FileLink("benchmarks/compare_power.md"), lambda name: f"/site/{name}.html")
    assert 'href="/site/explanation/how-we-compare.html"' in compare
    assert "<table" in compare
