"""The pages of patterns link to the kernels instead of showing them."""

import re

import pytest

from shflbench.cuda.compile.source import kernel_name
from shflbench.patterns.discover import builtin, load
from shflbench.suite.shipped_claims import shipped_claims
from tools.docs.pattern_pages import FOLDER

LINK = re.compile(r"\[[^]]*\]\((?P<file>[^)#]+)(?:#L(?P<line>\d+))?\)")


@pytest.mark.parametrize("name", builtin())
def test_each_variant_links_to_the_line_that_defines_its_kernel(name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text("utf-8")
    linked = []
    for file, line in LINK.findall(page):
        text = (FOLDER / file).read_text("utf-8")
        if line:
            linked.append(text.splitlines()[int(line) - 1])
    variants = load(builtin()[name]).declaration.variants
    assert len(linked) == len(variants)
    for variant, code in zip(variants, linked, strict=True):
        # Launch bounds may take the line before the name.
        assert re.match(rf"(?:\s*__global__ void .*\b)?{kernel_name(name, variant)}\(", code)


def test_a_page_has_the_claims_of_the_suites_about_its_pattern() -> None:
    claims = shipped_claims()["gtc2013"]
    (scan,) = (claim for claim in claims if claim.id == "G14")
    page = (FOLDER / "scan.md").read_text("utf-8")
    assert f"| G14 | {scan.says} | {scan.source} |" in page
    assert "| G19 |" not in page


def test_pages_link_to_the_headers_of_the_pattern_and_to_those_that_all_share() -> None:
    links = dict(LINK.findall((FOLDER / "scan.md").read_text("utf-8")))
    headers = {file.rpartition("/")[2] for file in links if file.endswith(".cuh")}
    assert headers == {"recurrence.cuh", "shflbench.cuh"}
    assert "shflbench/patterns/shflbench.cuh" in (FOLDER / "README.md").read_text("utf-8")
