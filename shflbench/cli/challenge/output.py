"""The tables and sentences of a challenge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.answers.predicted import PREDICTED_TIE
from shflbench.cli.layout import Line, Table, align_right
from shflbench.core.words import count_noun, join_words
from shflbench.user_kernels.challenge.verdict import ChallengeVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.user_kernels.challenge.prediction import EstimatedSetting, EstimatedVariant
    from shflbench.user_kernels.challenge.verdict import RivalComparison, SettingVerdict

WORDS = {
    ChallengeVerdict.BEATS: "beats",
    ChallengeVerdict.TIES: "ties with",
    ChallengeVerdict.SLOWER: "is slower than",
    ChallengeVerdict.UNDECIDED: "is not decided from",
    ChallengeVerdict.DOUBTFUL: "is not comparable with",
}
STYLES = {
    ChallengeVerdict.BEATS: "good",
    ChallengeVerdict.SLOWER: "bad",
    ChallengeVerdict.UNDECIDED: "doubt",
    ChallengeVerdict.DOUBTFUL: "bad",
}


def show_verdicts(verdicts: Sequence[SettingVerdict], names: Sequence[str], launches: int, console: Console) -> None:
    """Print at each launch which published variants a challenger beats, why, and a summary."""
    for verdict in verdicts:
        console.data("")
        console.table(verdict_table(verdict), data=True)
        for facts in verdict.facts:
            if facts.sentence:
                console.data(f"  {facts.variant}: {facts.sentence}")
        doubts = {one.challenger: one.doubt for one in verdict.comparisons if one.doubt}
        for name, doubt in doubts.items():
            console.data(f"  {name} is not compared: {doubt}")
        if verdict.missing:
            console.data(f"  not timed, so that no kernel beats all: {join_words(verdict.missing)}")
    if verdicts:
        console.data("")
        for sentence in summary(verdicts, names, launches):
            console.data(sentence)


def verdict_table(verdict: SettingVerdict) -> Table:
    """Return a line for each challenger and each mechanism of a published variant."""
    head = verdict.rows[0]
    title = "  ".join((head.pattern, head.dtype, head.launch, *head.option_texts, f"times per {verdict.basis}"))
    columns = {
        "challenger": [one.challenger for one in verdict.comparisons],
        "": [WORDS[one.verdict] for one in verdict.comparisons],
        "published best": [one.published for one in verdict.comparisons],
        "mechanism": [one.mechanism for one in verdict.comparisons],
        "speed": [one.factor_text for one in verdict.comparisons],
    }
    lines = zip(zip(*columns.values(), strict=True), verdict.comparisons, strict=True)
    body = tuple(Line(cells, STYLES.get(one.verdict, "")) for cells, one in lines)
    return Table(title, tuple(columns), body)


def summary(verdicts: Sequence[SettingVerdict], names: Sequence[str], launches: int) -> Iterator[str]:
    """Yield for each challenger at how many launches it beats all that is published, and each beaten answer."""
    for name in names:
        won = [verdict for verdict in verdicts if verdict.beats_all(name)]
        known = [verdict for verdict in verdicts if any(one.challenger == name for one in verdict.comparisons)]
        if not known:
            yield f"{name} was not timed."
            continue
        unknown = launches - len(known)
        rest = f"; at {count_noun(unknown, 'launch')}, it was not timed" if unknown else ""
        won_at = f"{len(won)} of {count_noun(launches, 'launch')}"
        yield f"{name} beats the published best of each mechanism at {won_at}{rest}."
        yield from (f"  {_beaten(_closest(verdict, name), verdict)}" for verdict in won)


def _closest(verdict: SettingVerdict, name: str) -> RivalComparison:
    return min((one for one in verdict.comparisons if one.challenger == name), key=lambda one: one.factor.value)


def _beaten(one: RivalComparison, verdict: SettingVerdict) -> str:
    return f"{verdict.launch}: {one.challenger} beats {one.published} ({one.mechanism}) by {one.factor_text}"


def show_estimates(
    estimates: Sequence[EstimatedSetting], names: Sequence[str], doubts: Mapping[str, str], console: Console
) -> None:
    """Print the limits and predictions at each launch, which are never called measured."""
    for estimate in estimates:
        if all(one.limit_cycles is None for one in estimate.variants):
            continue
        console.data("")
        console.table(estimate_table(estimate), data=True)
        for sentence in _compared(estimate, [name for name in names if name not in doubts]):
            console.data(f"  {sentence}")
        for name, doubt in doubts.items():
            console.data(f"  {name} is not compared: {doubt}")
    if any(one.limit_cycles is not None for item in estimates for one in item.variants):
        console.say(f"A limit is a lower bound; predictions that differ by less than {PREDICTED_TIE:.0%} say nothing.")
    if estimates and all(one.limit_cycles is None for item in estimates for one in item.variants):
        reasons = dict.fromkeys(one.remark for one in estimates[0].variants if one.remark)
        console.say(f"No limits or predictions: {join_words(list(reasons)) or 'none is known'}.")


def estimate_table(estimate: EstimatedSetting) -> Table:
    """Return a line for each variant, the one with the fewest predicted cycles first."""
    shown = estimate.variants
    columns = {
        "variant": [one.variant for one in shown],
        "mechanism": [one.mechanism for one in shown],
        "instructions": align_right([_number(one.instructions, ".1f") for one in shown]),
        "limit cycles": align_right([_number(one.limit_cycles, ".0f") for one in shown]),
        "limited by": [one.limit_by for one in shown],
        "predicted cycles": align_right([_number(one.predicted_cycles, ".0f") for one in shown]),
        " ": [_remark(one) for one in shown],
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    styles = ["good" if one.is_challenger else "" for one in shown]
    body = tuple(Line(cells, style) for cells, style in zip(zip(*kept.values(), strict=True), styles, strict=True))
    return Table(f"{estimate.launch}  {estimate.arch}, per iteration, estimated and not timed", tuple(kept), body)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _remark(one: EstimatedVariant) -> str:
    return "; ".join(filter(None, ("challenger" if one.is_challenger else "", one.remark)))


def _compared(estimate: EstimatedSetting, names: Sequence[str]) -> Iterator[str]:
    best = list(estimate.published_best().values())
    basis = "prediction" if estimate.is_predicted else "limit"
    for one in estimate.variants:
        if one.variant in names and one.cycles and best:
            least = min(best, key=lambda other: other.cycles or 0.0)
            factor = (least.cycles or 0.0) / one.cycles
            yield f"{one.variant}: {factor:.2f}× the speed of {least.variant} ({least.mechanism}) by {basis}"
