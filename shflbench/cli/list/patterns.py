"""The patterns for `list patterns`: as records, in a few lines, and in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table, wrap_text
from shflbench.errors import UsageError
from shflbench.patterns.discover import builtin, load
from shflbench.suite.pattern_names import did_you_mean_pattern
from shflbench.suite.shipped_claims import claims_by_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.core.claims.claim import Claim
    from shflbench.patterns.declare import Pattern
    from shflbench.schemas.list import ListedFamily, ListedParameter, ListedPattern, ListedVariant

_INDENT = "  "


def records() -> list[ListedPattern]:
    """Return every pattern that comes with shflbench, with the claims of the suites about it."""
    claims = claims_by_pattern()
    return [_record(name, load(folder).declaration, claims.get(name, [])) for name, folder in builtin().items()]


def find_record(name: str, records: Sequence[ListedPattern]) -> ListedPattern:
    """Return the pattern called `name`; UsageError, with the nearest name, if there is none."""
    names = [record["name"] for record in records]
    if name not in names:
        advice = did_you_mean_pattern(name, names).removeprefix("; ") or f"there are: {', '.join(names)}"
        raise UsageError(f"there is no pattern `{name}`", advice)
    return records[names.index(name)]


def variant_records(pattern: Pattern) -> list[ListedVariant]:
    """Return every variant of a pattern."""
    return [
        {
            "name": variant.name,
            "mechanism": variant.mechanism.value,
            "safe": variant.safe,
            "dtypes": list(variant.dtypes or pattern.dtypes),
            "needs": variant.needs,
            "summary": variant.summary,
        }
        for variant in pattern.variants
    ]


def _family(pattern: Pattern) -> ListedFamily | None:
    """Return the parameters of the family, and how many members it has; None without one."""
    if pattern.family is None:
        return None
    parameters: list[ListedParameter] = [
        {"name": one.name, "values": list(one.values), "meaning": one.meaning} for one in pattern.family.parameters
    ]
    return {"members": len(pattern.members), "parameters": parameters}


def briefly(record: ListedPattern, width: int | None = None) -> str:
    """Return the pattern in a few lines, within `width` columns if given: what it does, and what can be chosen."""
    variants = (_mark(variant, record["baseline"]) for variant in record["variants"])
    options = (f"{name}={'|'.join(values)}" for name, values in record["options"].items())
    parts = {
        "variants": "  ".join(variants),
        "dtypes": " ".join(record["dtypes"]),
        "options": "  ".join(options),
        "claims": " ".join(record["claims"]),
    }
    lines = [f"{_INDENT}{name:<8}  {text}" for name, text in parts.items() if text]
    return _fitted((f"{record['name']}: {record['summary']}", *lines), width)


def in_full(record: ListedPattern, width: int | None = None) -> str:
    """Return all that the pattern declares, and the claims about it, within `width` columns if given."""
    lines = [f"{record['name']}: {record['summary']}", "", f"source: {record['source']}"]
    lines.append("one pass over its data" if record["one_pass"] else f"unrolled by {record['unroll']}")
    lines += [f"{name}: {' '.join(values)}" for name, values in record["options"].items()]
    parts = [_fitted(lines, width), _variants(record).text(width)]
    if record["family"]:
        parts.append(_fitted(_of_family(record["family"]), width))
    if record["claims"]:
        claims = (f"{_INDENT}{name}: {claim}" for name, claim in record["claims"].items())
        parts.append(_fitted(("claims", *claims), width))
    if record["notes"]:
        parts.append(_fitted(("notes", f"{_INDENT}{record['notes']}"), width))
    return "\n\n".join(parts)


def _record(name: str, pattern: Pattern, claims: Iterable[Claim]) -> ListedPattern:
    return {
        "name": name,
        "summary": pattern.summary,
        "dtypes": list(pattern.dtypes),
        "options": {option: list(values) for option, values in pattern.options.items()},
        "variants": variant_records(pattern),
        "family": _family(pattern),
        "baseline": pattern.baseline.name,
        "one_pass": pattern.one_pass,
        "unroll": None if pattern.one_pass else pattern.unroll,
        "source": pattern.source,
        "claims": {claim.id: claim.says for claim in claims},
        "notes": pattern.notes,
    }


def _mark(variant: ListedVariant, baseline: str) -> str:
    marks = [] if variant["safe"] else ["UNSAFE"]
    marks += ["baseline"] if variant["name"] == baseline else []
    return f"{variant['name']} ({', '.join(marks)})" if marks else str(variant["name"])


def _variants(record: ListedPattern) -> Table:
    columns = ("variant", "mechanism", "dtypes", "needs", "how")
    return Table("variants", columns, tuple(_line(variant, record["baseline"]) for variant in record["variants"]))


def _line(variant: ListedVariant, baseline: str) -> Line:
    cells: Iterable[str] = (
        _mark(variant, baseline),
        variant["mechanism"],
        " ".join(variant["dtypes"]),
        variant["needs"],
        variant["summary"],
    )
    return Line(tuple(cells))


def _fitted(texts: Iterable[str], width: int | None) -> str:
    return "\n".join("\n".join(wrap_text(text, width)) for text in texts)


def _of_family(family: ListedFamily) -> Iterator[str]:
    """Yield what the names of members are made of."""
    yield f"family: {family['members']} more variants, for suites that name them"
    for parameter in family["parameters"]:
        values = " ".join(value or "(none)" for value in parameter["values"])
        yield f"{_INDENT}{values}: {parameter['meaning']}"
