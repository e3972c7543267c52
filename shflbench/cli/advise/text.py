"""Advice as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.advice.answer import Role
from shflbench.analysis.advice.words import library_words
from shflbench.analysis.contest import MATTERS, Certainty, times, times_within
from shflbench.cli.advise.code import as_text
from shflbench.cli.advise.settle import OWN_SUITE
from shflbench.cli.layout import Line, Table, align_right
from shflbench.printable import escape
from shflbench.words import all_of, one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.advice.answer import Answer, EarlierAnswer, RankedVariant
    from shflbench.analysis.advice.nearest import Advice
    from shflbench.cli.advise.code import CopiedCode
    from shflbench.cli.advise.settle import SettlingRun
    from shflbench.model import Noise

ROLES = {Role.CANDIDATE: "", Role.UNSAFE: "unsafe", Role.LIBRARY: "library"}


def headline(advice: Advice, gpu: str) -> str:
    """Return the first line: what is advised on, and on which GPU; `gpu` is its title."""
    answer = advice.answer
    return f"{escape(answer.pattern)}, {escape(answer.setting)}, on {gpu}"


def sentences(advice: Advice, noise: Noise | None, settling: SettlingRun | None) -> Iterator[str]:
    """Yield the advice in sentences, a line each."""
    answer = advice.answer
    yield _verdict(advice)
    yield f"How sure: {_certainty(answer)}"
    for clause in library_words(answer):
        yield f"{escape(clause[:1].upper() + clause[1:])}"
    yield f"Rests on: {_rows(answer)}"
    yield from _earlier(answer)
    if noise and not noise.quiet:
        yield f"Noise: {escape(noise.verdict)}: {escape(noise.sentence)}"
    for difference in advice.differences:
        yield f"Differs: {escape(difference.sentence)}"
    yield from _exceptions(advice)
    if answer.limit_fraction is not None:
        yield f"Limit: {answer.limit_fraction:.0%} of what the hardware allows, set by {escape(answer.limit_by or '')}"
    for note in answer.notes:
        yield f"Safety: {escape(note)}"
    if settling:
        yield f"To settle it: {escape(settling.command)}"
        if settling.suite:
            yield f"with {OWN_SUITE}:"
            yield from (f"  {line}" for line in settling.suite.splitlines())


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
        return f"tie with {others}, within {MATTERS:.0%}; {escape(answer.variant)} {_simplest(answer)} of them"
    most = max((one.slowdown.high for one in answer.ranking if one.variant in answer.tied), default=1.0)
    many = len(answer.tied) > 1
    which = f"none of which takes more than {times(most)}" if many else f"which takes at most {times(most)}"
    return f"undecided: not shown to be faster than {others}, {which} as long"


def _simplest(answer: Answer) -> str:
    """Say in what the recommended variant is simpler than those that tie with it; see `advice.simplicity`."""
    mechanisms = {one.mechanism for one in answer.ranking if one.variant in answer.leaders}
    return one_or_many(len(mechanisms), "needs the fewest exchanges and barriers", "is the simplest")


def ranking(answer: Answer) -> Table:
    """Return the timed variants of the setting, the fastest first."""
    ranked = answer.ranking
    columns = {
        "variant": [escape(one.variant) for one in ranked],
        "mechanism": [escape(one.mechanism) for one in ranked],
        "time µs": align_right([f"{one.time_us.value:.2f}" for one in ranked]),
        "relative": align_right([_slowdown(one, answer) for one in ranked]),
        "of limit": align_right(["" if one.limit_fraction is None else f"{one.limit_fraction:.0%}" for one in ranked]),
        "limited by": [escape(one.limit_by or "") for one in ranked],
        "": [_remark(one, answer) for one in ranked],
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    styles = ["good" if one.variant == answer.variant else "" for one in ranked]
    body = tuple(Line(cells, style) for cells, style in zip(zip(*kept.values(), strict=True), styles, strict=True))
    return Table("", tuple(kept), body)


def _slowdown(one: RankedVariant, answer: Answer) -> str:
    return "1×" if one.variant == answer.variant else times(one.slowdown.value)


def _remark(one: RankedVariant, answer: Answer) -> str:
    if one.variant == answer.variant:
        return "recommended"
    if one.variant in answer.libraries:
        return "library, faster" if one.slowdown.high < 1 else "library, as fast"
    if one.variant in answer.undecided_libraries:
        return "library, undecided"
    return "ties" if one.variant in answer.tied and answer.certainty is Certainty.TIE else ROLES[one.role]


def code_lines(code: CopiedCode) -> str:
    """Return the code under a line that says what it is."""
    return f"// {as_text(code.origin)}\n{as_text(code.text)}".rstrip("\n")
