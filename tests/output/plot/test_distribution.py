from dataclasses import replace

import pytest

from shflbench.output.plot import distribution
from shflbench.output.plot.subject import ChartSubject
from tests.fakes.runs import measured
from tests.output.plot.subjects import SWEEP, points, subject, texts


def sampled(*dtypes: str, launches: tuple[str, ...] = ("26x1024",), noise: float = 0.001) -> ChartSubject:
    """Return neighbor with samples at its own iterations alone."""
    rows, samples = measured(patterns=["neighbor"], dtypes=dtypes or ["f32"], launches=launches, noise=noise)
    return subject(rows, [sample for sample in samples if sample.iterations == 4096])


def test_samples_are_drawn_in_per_cent_of_their_median_the_first_at_the_top() -> None:
    about = sampled()
    strip = max(distribution.strips(about), key=lambda strip: strip.spread)
    times = about.samples.loc[about.samples["case_id"] == strip.row.case_id, "time_us"]
    expected = 100 * (times / times.median() - 1)
    assert list(strip.percent) == pytest.approx(list(expected))
    (axes,) = distribution.draw(about).figure.axes
    low, high = axes.get_xlim()
    inside = [value for value in expected if low <= value <= high]
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    drawn, heights = points(dots)
    assert drawn == pytest.approx(inside)
    assert heights == sorted(heights)
    assert axes.yaxis_inverted()


def test_samples_beyond_the_axis_are_triangles_at_its_edge_and_counted() -> None:
    about = sampled()
    times = about.samples["time_us"].to_numpy(copy=True)
    times[0] *= 1.5
    about = replace(about, samples=about.samples.assign(time_us=times))
    page = distribution.draw(about)
    (axes,) = page.figure.axes
    edges = [points(line)[0] for line in axes.lines if line.get_marker() == ">"]
    far = f"{distribution.strips(about)[0].percent[0]:+.1f}%"
    assert {x for edge in edges for x in edge} == {axes.get_xlim()[1]}
    assert far.startswith(("+49", "+50"))
    assert f"Triangles: 1 sample beyond the axis, the furthest at {far} (smem)." in texts(page)


def test_the_title_says_how_wide_the_widest_case_is() -> None:
    about = sampled("f32", "f64")
    widest = max(distribution.strips(about), key=lambda strip: strip.spread)
    assert distribution.draw(about).title == (
        f"neighbor: the central 95% of a case's samples span at most {widest.spread:.2f}% (12 cases)"
    )


def test_of_many_cases_the_widest_are_drawn_and_the_chart_says_so() -> None:
    about = sampled(launches=SWEEP)
    page = distribution.draw(about)
    (axes,) = page.figure.axes
    spreads = sorted((strip.spread for strip in distribution.strips(about)), reverse=True)
    assert page.title.endswith("(widest 20 of 54 cases)")
    assert f"Not drawn: 34 cases with at most {spreads[19]:.2f}%." in texts(page)
    assert [text.get_text() for text in axes.texts] == [f"{spread:.2f}%" for spread in spreads[:20]]


def test_unsafe_bands_are_hatched() -> None:
    (axes,) = distribution.draw(sampled()).figure.axes
    drawn = dict(zip((label.get_text() for label in axes.get_yticklabels()), axes.patches, strict=True))
    assert {name for name, band in drawn.items() if band.get_hatch()} == {"smem-unsafe", "smem-deck"}


def test_dropped_samples_are_named() -> None:
    page = distribution.draw(replace(sampled(), dropped=3))
    assert "Not drawn and not used: 3 samples taken while the GPU was throttled." in texts(page)


def test_samples_that_are_all_equal_can_be_drawn() -> None:
    about = sampled()
    page = distribution.draw(replace(about, samples=about.samples.assign(time_us=70.0)))
    assert page.figure.axes[0].get_xlim() == (-1, 1)


def test_a_case_without_samples_is_left_out() -> None:
    about = sampled("f32", "f64")
    some = about.samples[about.samples["case_id"] != "neighbor/shfl/f64/26x1024/4096"]
    page = distribution.draw(replace(about, samples=some))
    assert page.title.endswith("(11 cases)")
    assert "shfl, f64" not in texts(page)


def test_a_run_of_several_patterns_has_one_chart_that_names_them() -> None:
    cases, samples = measured(dtypes=["i32"])
    kept = [sample for sample in samples if sample.iterations == 4096]
    whole = replace(subject(cases, kept), pattern="gtc2013")
    (chart,) = distribution.charts(whole)
    page = chart.draw()
    assert chart.kind == "samples"
    assert page.title.startswith("gtc2013: ")
    assert {"neighbor shfl", "reduce redux"} <= set(texts(page))


def test_without_samples_there_is_no_such_chart() -> None:
    assert not list(distribution.charts(subject(sampled().rows)))
