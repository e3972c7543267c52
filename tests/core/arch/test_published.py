"""Published values belong to figures that `calibrate` measures, and say where they come from."""

from shflbench.core.arch.published import published_prices
from shflbench.measure.calibrate.probes import PROBES


def test_each_value_is_of_a_figure_and_has_a_source() -> None:
    names = {probe.name for probe in PROBES}
    for price in published_prices():
        assert price.name in names
        assert 0 < price.low <= price.high
        assert price.gpu
        assert price.source
        assert price.about


def test_a_range_is_short() -> None:
    assert {price.range for price in published_prices() if price.name == "dsmem_latency_one"} == {"181", "190–203"}
