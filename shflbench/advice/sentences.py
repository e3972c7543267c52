"""Advice in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.settling_run import OWN_SUITE
from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.library_words import library_words
from shflbench.analysis.answers.predicted import PREDICTED_TIE, Basis
from shflbench.analysis.answers.safety import MECHANISM_NOTES
from shflbench.analysis.limits.distance import unreached_words
from shflbench.analysis.ranking import TIE, Certainty, times, times_within
from shflbench.core.model import WARP
from shflbench.core.words import all_of, join_words, one_or_many
from shflbench.printable import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.advice.settling_run import SettlingRun
    from shflbench.analysis.answers.answer import Answer, EarlierAnswer
    from shflbench.analysis.answers.nearest import Advice
    from shflbench.analysis.answers.predicted import PredictedAnswer
    from shflbench.core.model import Noise


def headline(advice: Advice, gpu: str) -> str:
    """Return the first line: what is advised on, and on which GPU; `gpu` is its title."""
    answer = advice.answer
    return f"{escape(answer.pattern)}, {escape(answer.setting)}, on {gpu}"


def sentences(
    advice: Advice, noise: Noise | None, settling: SettlingRun | None, untimed: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the advice in sentences, a line each; `untimed` are variants that the run did not time."""
    answer = advice.answer
    yield _verdict(advice)
    yield f"How sure: {_certainty(answer)}"
    for clause in library_words(answer):
        yield f"{escape(clause[:1].upper() + clause[1:])}"
    yield f"Rests on: {_rows(answer)}"
    if untimed:
        yield f"Not timed in that run, and perhaps faster: {join_words(untimed)}"
    yield from _earlier(answer)
    if noise and not noise.quiet:
        yield f"Noise: {escape(noise.verdict)}: {escape(noise.sentence)}"
    for difference in advice.differences:
        yield f"Differs: {escape(difference.sentence)}"
    yield from _exceptions(advice)
    if answer.limit_fraction is not None:
        yield _limit(answer.limit_fraction, escape(answer.limit_by or ""), is_unreached=answer.is_unreached)
    for note in answer.notes:
        yield f"Safety: {escape(note)}"
    if settling:
        yield f"To settle it: {escape(settling.command)}"
        if settling.suite:
            yield f"with {OWN_SUITE}:"
            yield from (f"  {line}" for line in settling.suite.splitlines())


def _limit(fraction: float, unit: str, *, is_unreached: bool) -> str:
    """Return how near the variant is to its limit, which says nothing where something else takes most of the time."""
    if is_unreached:
        return f"Limit: no throughput limit is reached ({unit}, {fraction:.0%}): {unreached_words(1)}"
    return f"Limit: {fraction:.0%} of what the hardware allows, set by {unit}"


def _rows(answer: Answer) -> str:
    """Return the rows of a setting, with `*` for their variants."""
    ranked = answer.ranking[0]
    rows = ranked.case_id.replace(f"/{ranked.variant}/", "/*/", 1)
    return f"{len(answer.ranking)} rows {escape(rows)} of {escape(answer.run)}"


def _earlier(answer: Answer) -> Iterator[str]:
    """Yield what earlier runs of the same setting name, where that reads differently."""
    for one in answer.earlier:
        if (named := _named(one)) != _named(answer.brief):
            yield f"Earlier run: {escape(one.run)} names {named}"


def _named(answer: EarlierAnswer) -> str:
    """Return the variant, and its speed relative to the next: `smem, 3.0× the speed of local`."""
    over = f", {times_within(answer.over)} the speed of {escape(answer.other)}" if answer.other and answer.over else ""
    return f"{escape(answer.variant)}{over}"


def _exceptions(advice: Advice) -> Iterator[str]:
    """Yield when another variant wins."""
    dtype = escape(advice.answer.dtype)
    others = len(advice.around) - 1
    where = f"the other measured setting of {dtype}"
    where = where if others == 1 else all_of(others, f"other measured settings of {dtype}")
    for exception in advice.depends:
        yield f"Other settings: use {escape(exception)}"
    if advice.robust:
        yield f"In doubt: use {escape(advice.robust)}, which ties here and leads or ties in {where}"
    if advice.depends and advice.open_factors:
        options = " ".join(f"--option {escape(name)}=…" for name in advice.open_factors)
        yield f"Give your setting: {options}"
    if not advice.depends and others:
        yield f"Other settings: the same variant leads or ties in {where}"
    for exception in advice.elsewhere:
        yield f"Elsewhere: {escape(exception)}"


def _verdict(advice: Advice) -> str:
    answer = advice.answer
    next_best, over_next = answer.next_best
    compared = {next_best: (over_next, "the next mechanism (%s)" if answer.rival else "%s")}
    compared.setdefault(answer.baseline, (answer.over_baseline, "the baseline (%s)"))
    factors = [
        f"{times_within(over)} the speed of {which % escape(other)}"
        for other, (over, which) in compared.items()
        if other and over
    ]
    verb = "At this setting, use" if advice.depends else "Use"
    return f"{verb} {escape(answer.variant)}{': ' if factors else ''}{', '.join(factors)}"


def _certainty(answer: Answer) -> str:
    if answer.certainty is Certainty.CLEAR:
        slower = (one for one in answer.ranking if one.role is Role.CANDIDATE and one.variant != answer.variant)
        least = min((one.slowdown.low for one in slower), default=1.0)
        aside = " (library calls aside)" if answer.libraries else ""
        longer = f"{times(least)} as long (low end of the interval)"
        return f"clear: every other safe variant{aside}, of any mechanism, takes at least {longer}"
    others = ", ".join(map(escape, answer.tied))
    if answer.certainty is Certainty.TIE:
        return f"tie with {others}, within {TIE:.0%}; {escape(answer.variant)} {_simplest(answer)} of them"
    most = max((one.slowdown.high for one in answer.ranking if one.variant in answer.tied), default=1.0)
    many = len(answer.tied) > 1
    which = f"none of which takes more than {times(most)}" if many else f"which takes at most {times(most)}"
    return f"undecided: not shown to be faster than {others}, {which} as long"


def _simplest(answer: Answer) -> str:
    """Say in what the recommended variant is simpler than those that tie with it; see `advice.simplicity`."""
    mechanisms = {one.mechanism for one in answer.ranking if one.variant in answer.leaders}
    return one_or_many(len(mechanisms), "needs the fewest exchanges and barriers", "is the simplest")


def predicted_sentences(answer: PredictedAnswer) -> list[str]:
    """Return the predicted answer in sentences, which are always labeled so."""
    options = "".join(f", {name}={value}" for name, value in answer.options)
    omitted = ", ".join(dict.fromkeys(part for one in answer.ranking for part in one.limit_omits))
    warps = answer.blocks_per_sm * -(-answer.block // WARP)
    return [
        f"{answer.pattern}, {answer.dtype}{options}, on {answer.arch}: predicted, not measured",
        _predicted_verdict(answer),
        f"Assumed: {answer.blocks_per_sm} blocks of {answer.block} threads per SM, {warps} warps",
        *(
            [f"Tie: {', '.join(answer.tied)} within {PREDICTED_TIE:.0%}, which no prediction decides"]
            if answer.tied
            else []
        ),
        *(f"Safety: {note}" for mechanism, note in MECHANISM_NOTES.items() if mechanism == answer.mechanism),
        *([f"Left out, because no figure of {answer.arch} is known: {omitted}"] if omitted else []),
        f"To settle it, on such a GPU: shflbench run quick --pattern {answer.pattern}",
    ]


def _predicted_verdict(answer: PredictedAnswer) -> str:
    by = "by predicted cycles" if answer.basis is Basis.PREDICTION else "by the least cycles that the hardware allows"
    if answer.over_runner_up is None:
        return f"Use {answer.variant}, {by}"
    return f"Use {answer.variant}: {times(answer.over_runner_up)} the speed of {answer.runner_up}, {by}"
