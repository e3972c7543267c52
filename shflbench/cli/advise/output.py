"""Print advice as text, JSON or code alone."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from shflbench.advice.sentences import headline, predicted_sentences, sentences
from shflbench.analysis.answers.costs import ExchangeCost
from shflbench.cli.advise.text import code_lines, predicted_ranking, ranking
from shflbench.cli.layout import wrap_text
from shflbench.errors import ResultsError
from shflbench.schemas.advise import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.advice.api import AdviceResult
    from shflbench.advice.copied_code import CopiedCode
    from shflbench.cli.console import Console
    from shflbench.cli.layout import Table
    from shflbench.schemas.advise import AdviceDocument, CostsDocument, FileAdviceDocument


def print_advice(console: Console, result: AdviceResult, form: str) -> None:
    """Print the advice for each GPU, or what was predicted, which is always labeled so."""
    if form == "json":
        console.json(as_json(result.to_dict()))
        return
    for number, (lines, table, code, variant) in enumerate(_parts(result)):
        if number:
            console.data("")
        if form == "text":
            console.data(lines[0] if result.measured else _fitted(lines[:1], console))
            console.data(_fitted(lines[1:], console))
            console.data("")
            console.table(table, data=True)
            if code:
                console.data("")
        _print_code(console, code, form, variant)


def _parts(result: AdviceResult) -> Iterator[tuple[list[str], Table, CopiedCode | None, str]]:
    """Yield the sentences, the ranking, the code and the recommended variant of each GPU."""
    if result.predicted:
        answer = result.predicted.answer
        yield predicted_sentences(answer), predicted_ranking(answer), result.predicted.code, answer.variant
    for one in result.measured:
        lines = [headline(one.advice, one.gpu), *sentences(one.advice, one.noise, one.settling, one.untimed)]
        yield lines, ranking(one.advice.answer), one.code, one.advice.answer.variant


def _fitted(lines: Iterable[str], console: Console) -> str:
    """Return lines for the terminal's width; commands and suites stay in one piece, to be copied."""
    width = console.width(data=True)
    copied = ("To settle it:", " ")
    fitted = (text for line in lines for text in ([line] if line.startswith(copied) else wrap_text(line, width)))
    return "\n".join(fitted)


def _print_code(console: Console, code: CopiedCode | None, form: str, variant: str) -> None:
    if code:
        console.data(code_lines(code))
    elif form == "code":
        raise ResultsError(f"there is no code of {variant} to copy", "see the kernels: shflbench list patterns")


def print_costs(console: Console, costs: Iterable[ExchangeCost]) -> None:
    """Print the table of costs as JSON, with the meaning of each field."""
    meanings = {item.name: item.metadata["meaning"] for item in fields(ExchangeCost)}
    console.json(as_json({"schema": SCHEMA, "fields": meanings, "costs": [asdict(cost) for cost in costs]}))


def as_json(document: AdviceDocument | CostsDocument | FileAdviceDocument) -> str:
    """Return an object as text; ASCII, because a name in a run may hold what controls a terminal."""
    text = json.dumps(document, indent=2, allow_nan=False)
    return text.replace("\x7f", "\\u007f")
