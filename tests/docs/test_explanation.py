"""The figures and charts of the explanations are those of the committed runs."""

import re
from pathlib import Path

import pytest

from shflbench.store import Row, Run, find_runs, read_run
from tools.docs.figures import OTHERS, PAGES, refresh

ROOT = Path(__file__).parents[2]
COLUMN = {"µs": "time_us", "GB/s": "gb_per_s", "cycles": "cycles_per_iteration"}
LINE = re.compile(r"^\| `(?P<case>[^`]+)` \| (?P<figure>[\d.]+) (?P<unit>µs|GB/s|cycles) \|", re.MULTILINE)
TEXTS = {page: (ROOT / "docs" / "explanation" / page).read_text(encoding="utf-8") for page in PAGES}
FIGURES = [match.groups() for text in TEXTS.values() for match in LINE.finditer(text)]


SECTIONS = [
    pytest.param(section, id=section.partition("\n")[0])
    for text in TEXTS.values()
    for section in text.split("\n## ")[1:]
    if LINE.search(section)
]
CHART = re.compile(r"^!\[(?P<words>[^]]+)\]\((?P<path>[^)]+\.svg)\)$", re.MULTILINE)
NOT_QUIET = re.compile(r"busy GPU|unsteady\sGPU|drifting clock")


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    every = [read_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == "nvidia-h200"]
    return [run for run in every if run.info.suite.name not in OTHERS]


@pytest.fixture(scope="module")
def measured(runs: list[Run]) -> dict[str, Row]:
    return {row.case_id: row for run in runs for row in run.rows}


@pytest.mark.parametrize("page", PAGES)
def test_refreshing_writes_the_value_of_each_row_in_as_many_decimals(measured: dict[str, Row], page: str) -> None:
    stale = LINE.sub(lambda match: match[0].replace(match["figure"], re.sub(r"\d", "9", match["figure"])), TEXTS[page])
    assert stale != TEXTS[page]
    assert refresh(stale, measured) == TEXTS[page]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("explanation/*.md")), ids=lambda page: page.stem)
def test_a_page_about_a_suite_says_that_its_gpu_was_unsteady(runs: list[Run], page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    unsteady = [run.info.suite.name for run in runs if run.info.noise and not run.info.noise.quiet]
    named = [suite for suite in unsteady if f"`{suite}`" in text and re.search(r"\d(?:%|×)", text)]
    assert not named or NOT_QUIET.search(text), named


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_shows_charts_of_the_patterns_that_it_explains(section: str) -> None:
    charts = [Path(match["path"]) for match in CHART.finditer(section)]
    assert all((ROOT / "docs" / "explanation" / path).resolve().is_file() for path in charts)
    patterns = {match["case"].partition("/")[0] for match in LINE.finditer(section)}
    assert all(any(path.name.startswith(f"{pattern}-") for pattern in patterns) for path in charts)


@pytest.mark.parametrize("page", PAGES)
def test_each_pattern_of_a_page_has_a_chart_on_it(page: str) -> None:
    explained = {match["case"].partition("/")[0] for match in LINE.finditer(TEXTS[page])}
    drawn = [Path(match["path"]).name for match in CHART.finditer(TEXTS[page])]
    assert [pattern for pattern in explained if not any(name.startswith(f"{pattern}-") for name in drawn)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_runs_that_were_not_quiet(runs: list[Run], page: str) -> None:
    run_of = {row.case_id: run.info for run in runs for row in run.rows}
    sources = [run_of[match["case"]] for match in LINE.finditer(TEXTS[page])]
    verdicts = {(info.suite.name, info.noise.verdict) for info in sources if info.noise and not info.noise.quiet}
    said = [paragraph for paragraph in TEXTS[page].split("\n\n") if NOT_QUIET.search(paragraph)]
    assert {
        (suite, verdict)
        for paragraph in said
        for verdict in NOT_QUIET.findall(paragraph)
        for suite in re.findall(r"`([a-z-]+)`", paragraph)
    } == verdicts


@pytest.mark.parametrize("page", PAGES)
def test_every_case_of_a_page_has_its_figure(page: str) -> None:
    lines = [line for line in TEXTS[page].splitlines() if line.startswith("| `")]
    assert len(lines) == len(LINE.findall(TEXTS[page])) > 0


def test_the_pages_explain_hundreds_of_cases() -> None:
    """A page that is divided loses none of them."""
    assert len(FIGURES) > 250


def test_every_page_with_the_figure_of_a_case_is_checked() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "explanation").glob("*.md")}
    assert {name for name, text in texts.items() if LINE.search(text)} == set(PAGES)


BLOCK, BLOCK_I32, BLOCK_F64 = ("f32/fill x 256/512", "i32/fill x 256/512", "f64/fill x 256/256")
SHORT_ROWS, LARGE_ARRAY = "32768x256/1/length=64/load=vector/norm=rms", "f32/16384x256/1/per_thread=32/order=block"


@pytest.mark.parametrize(
    ("figure", "slower", "faster"),
    [
        ("has 5.6×", f"row-norm/shfl-block/f32/{SHORT_ROWS}", f"row-norm/shfl-warp/f32/{SHORT_ROWS}"),
        ("(1.00×)", f"device-reduce/smem/{LARGE_ARRAY}", f"device-reduce/shfl/{LARGE_ARRAY}"),
        ("to 2.6×", f"block-reduce/smem/{BLOCK}/result=all", f"block-reduce/shfl-first-warp/{BLOCK}/result=all"),
        ("(3.3×)", f"block-reduce/smem/{BLOCK_I32}/result=all", f"block-reduce/redux/{BLOCK_I32}/result=all"),
        (
            "`): 1.5×",
            f"block-reduce/shfl-first-warp/{BLOCK}/result=all",
            f"block-reduce/raking-columns/{BLOCK}/result=all",
        ),
        (
            "has 1.4×",
            f"block-reduce/smem-syncwarp/{BLOCK}/result=all",
            f"block-reduce/shfl-first-warp/{BLOCK}/result=all",
        ),
        ("(4.1×)", f"block-reduce/smem/{BLOCK_I32}/result=all", f"block-reduce/raking-columns/{BLOCK_I32}/result=all"),
        (
            "(6.0×)",
            f"block-reduce/smem/{BLOCK_I32}/result=all",
            f"block-reduce/atomic-columns-redux/{BLOCK_I32}/result=all",
        ),
        (
            "and 0.54×",
            f"block-reduce/raking-columns/{BLOCK_F64}/result=all",
            f"block-reduce/smem-syncwarp/{BLOCK_F64}/result=all",
        ),
        (
            "has 1.02×",
            f"block-reduce/shfl-first-warp/{BLOCK_F64}/result=all",
            f"block-reduce/smem-syncwarp/{BLOCK_F64}/result=all",
        ),
        (
            ", 1.3×",
            f"block-reduce/shfl/{BLOCK_F64}/result=all",
            f"block-reduce/smem-syncwarp/{BLOCK_F64}/result=all",
        ),
    ],
)
def test_the_answer_about_blocks_and_rows_has_the_measured_factors(
    measured: dict[str, Row], figure: str, slower: str, faster: str
) -> None:
    answer = (ROOT / "docs" / "explanation" / "what-blocks-and-rows-show.md").read_text(encoding="utf-8")
    assert figure in " ".join(answer.split())
    times = measured[slower].time_us, measured[faster].time_us
    assert times[0]
    assert times[1]
    digits = len(figure.partition(".")[2].rstrip("×)"))
    assert f"{times[0] / times[1]:.{digits}f}" == re.sub(r"[^\d.]", "", figure)


FACTOR = re.compile(r"(?P<factor>[\d.]+)× the (?P<of>time|speed of local memory)$")


def test_each_factor_about_arrays_with_unknown_indices_is_the_measured_one(measured: dict[str, Row]) -> None:
    lines = [line.strip("| ").split(" | ") for line in TEXTS["what-unknown-indices-show.md"].splitlines()]
    noted = [(case.strip("`"), FACTOR.search(note)) for case, _, note in (line for line in lines if len(line) == 3)]
    factors = [(case, match) for case, match in noted if match and case.startswith("private-array/")]
    assert len(factors) == 6
    for case, match in factors:
        equal = re.sub("index=[a-z]+", "index=uniform", case)
        slower, faster = (case, equal) if match["of"] == "time" else (case.replace("/smem/", "/local/"), case)
        times = measured[slower].time_us, measured[faster].time_us
        assert times[0]
        assert times[1]
        assert f"{times[0] / times[1]:.{len(match['factor'].partition('.')[2])}f}" == match["factor"]


def test_the_answer_about_elements_per_thread_has_the_measured_factors(measured: dict[str, Row]) -> None:
    def times(pattern: str, place: str) -> dict[str, float]:
        rows = {name: measured[f"{pattern}/{name}/f32/{place}missing=0"] for name in ("shfl", "global", "smem")}
        return {name: row.time_us or 0.0 for name, row in rows.items()}

    one = times("moving-average", "262144x256/1/")
    four, eight = (
        times("moving-average-blocked", f"{blocks}x256/1/per_thread={number}/")
        for number, blocks in ((4, 65536), (8, 32768))
    )
    text = " ".join(TEXTS["what-moving-averages-and-filters-show.md"].split())
    gains = sorted(one[name] / four[name] for name in one)
    assert f"{gains[0]:.1f}× to {gains[-1]:.1f}× as fast as with one." in text
    assert max(four.values()) / min(four.values()) < 1.03
    slower = [100 * (eight[name] / eight["shfl"] - 1) for name in ("global", "smem")]
    assert f"{slower[0]:.0f}% faster than plain loads, and {slower[1]:.0f}% faster than `smem`." in text


def test_the_cost_of_filling_private_arrays_is_the_measured_one(measured: dict[str, Row]) -> None:
    place = "f32/8*sms x 64/1024/length=32/index="
    local, shared = (measured[f"private-array/{variant}/{place}worst/math=0"] for variant in ("local", "smem"))
    equal, other = (measured[f"private-array/{variant}/{place}uniform/math=0"] for variant in ("local", "smem"))
    text = " ".join(TEXTS["what-unknown-indices-show.md"].split())
    assert f"{shared.launch_overhead_us:.1f} µs with shared memory and {local.launch_overhead_us:.1f} µs with" in text
    differing = (local.ns_per_iteration or 0) / (shared.ns_per_iteration or 1)
    same = (equal.ns_per_iteration or 0) / (other.ns_per_iteration or 1)
    assert f"{differing:.1f}× the speed of local memory at different indices and {same:.1f}× at equal ones" in text


def test_the_answer_about_rows_has_the_measured_share_of_a_copy_and_the_difference_of_mechanisms(
    measured: dict[str, Row],
) -> None:
    copies = {
        "f32": measured["stream/vector/f32/16384x256/1/work=copy/per_thread=32"],
        "bf16": measured["stream/vector/bf16/32768x256/1/work=copy/per_thread=32"],
    }
    rows = [row for row in measured.values() if row.pattern in {"row-norm", "softmax"} and "load=vector" in row.case_id]
    large = [row for row in rows if (row.gb_per_s or 0) * (row.time_us or 0) > 1e6]  # more than 1 GB read and written
    length = re.compile(r"length=(\d+)")
    lengths = {row.case_id: int(match[1]) for row in large if (match := length.search(row.case_id))}
    shares = [
        (row.gb_per_s or 0) / (copies[row.dtype].gb_per_s or 1)
        for row in large
        if row.variant == "shfl-warp" and lengths[row.case_id] <= 4096
    ]
    assert len(shares) == 24
    assert f"{min(shares):.0%} to {max(shares):.0%}" == "96% to 101%"
    longest: dict[str, list[float]] = {}
    for row in large:
        if lengths[row.case_id] == 16384 and row.variant not in {"shfl-warp", "smem-warp"}:
            longest.setdefault(row.case_id.replace(f"/{row.variant}/", "/"), []).append(row.time_us or 0)
    assert len(longest) == 5
    assert 1.01 < max(max(times) / min(times) for times in longest.values()) <= 1.02


@pytest.mark.parametrize(("case", "figure", "unit"), FIGURES)
def test_each_figure_is_that_of_its_row(measured: dict[str, Row], case: str, figure: str, unit: str) -> None:
    value = getattr(measured[case], COLUMN[unit])
    assert value is not None
    assert f"{value:.{len(figure.partition('.')[2])}f}" == figure
