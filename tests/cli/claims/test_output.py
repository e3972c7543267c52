from dataclasses import replace

from shflbench.cli.claims.output import blocks_of, short_table
from tests.output.export.claims.gpu import judged
from tests.output.export.claims.verdicts import CONFIRMED, DEPENDS, INCONCLUSIVE, REFUTED, UNTESTABLE

ALL = (CONFIRMED, UNTESTABLE, DEPENDS, REFUTED, INCONCLUSIVE)
TEXT = """\
NVIDIA H200, sm_90, 1 run
with a probability of 99%, the intervals of all settings of a claim contain the true values; unlike the \
intervals of `show`, these include differences between processes

G12  confirmed     a reduction by shuffles is faster than one through shared memory
     claimed       about 3× (GTC 2013)
     tested        speedup(shfl, smem) > 1
     measured      2.9× to 3.1× in 2 settings
     result        it holds in both settings
     why           shfl: exchange

G22  depends       a reduction by shuffles is faster than one through shared memory
     claimed       about 3× (GTC 2013)
     tested        speedup(shfl, smem) > 1
     measured      2.9× to 3.1× in 2 settings
     result        it holds with f32 and fails with f64

A11  untestable    the shuffle version is hard to read
     reason        nobody can measure how readable code is

3 claims: 1 confirmed, 0 refuted, 1 depends, 0 inconclusive, 1 untestable"""


def text(width: int | None = None) -> str:
    return "\n".join(line for line, _ in blocks_of([judged(*ALL)], width))


def test_each_claim_has_a_block_and_those_that_cannot_be_tested_are_last() -> None:
    assert "\n".join(line for line, _ in blocks_of([judged(CONFIRMED, UNTESTABLE, DEPENDS)], None)) == TEXT


def test_blocks_fit_the_terminal_and_lose_nothing() -> None:
    for width in (100, 60, 40):
        assert max(map(len, text(width).splitlines())) <= width
        assert text(width).split() == text().split()


def test_verdict_decides_the_color() -> None:
    styles = {line.split()[0]: style for line, style in blocks_of([judged(*ALL)], None) if style}
    assert styles == {"G12": "good", "G22": "doubt", "G23": "bad", "N05": "doubt"}


def test_required_claim_says_so() -> None:
    one = replace(CONFIRMED, claim=replace(CONFIRMED.claim, required=True))
    assert [line for line, _ in blocks_of([judged(one)], None)][3].endswith("shared memory (required)")


def test_claim_with_a_long_id_stands_below_its_verdict() -> None:
    one = replace(CONFIRMED, claim=replace(CONFIRMED.claim, id="shuffles-are-faster"))
    head, says, next_line = [line for line, _ in blocks_of([judged(one)], 100)][4:7]
    assert head == "shuffles-are-faster  confirmed"
    assert says.startswith("                        a reduction by shuffles")
    assert next_line.startswith("          claimed       about 3×")


def test_several_gpus_follow_one_another() -> None:
    heads = [line for line, _ in blocks_of([judged(CONFIRMED), judged(REFUTED)], None) if line.startswith("NVIDIA")]
    assert heads == ["NVIDIA H200, sm_90, 1 run"] * 2


def test_a_run_prints_a_line_per_claim() -> None:
    assert short_table([CONFIRMED, INCONCLUSIVE]).text().splitlines() == [
        "claim  verdict       measured",
        "G12    confirmed     2.9× to 3.1×",
        "N05    inconclusive",
    ]
