"""Load a suite file: read it, check it, expand it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from shflbench.core.model import MeasureRules, Overrides, Suite
from shflbench.suite.chart_names import check_charts
from shflbench.suite.checks import check_compare, check_defaults, check_experiment, check_rules, find_patterns
from shflbench.suite.claim_checks import check_claims
from shflbench.suite.claims import check_form, claims_from
from shflbench.suite.document import parse, read
from shflbench.suite.expand import by_group, expand, refuse
from shflbench.suite.overrides import apply_overrides
from shflbench.suite.problems import Problem, stop
from shflbench.suite.schema import Experiment, SuiteFile
from shflbench.suite.schema_problems import from_pydantic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.patterns.discover import LoadedPattern
    from shflbench.suite.positions import Entries

_NO_OVERRIDES = Overrides()


def load(path: Path, overrides: Overrides = _NO_OVERRIDES) -> Suite:
    """Return the suite in the file, its cases under `overrides`.

    SuiteError reports every problem of the file, one per line, with file:line:column; UsageError overrides that do not
    fit it.
    """
    text = read(path)
    document = parse(text, path)
    file, patterns = _check(document, path)
    cases, problems = expand(file, patterns)
    if problems := problems or [*check_compare(file.compare, cases), *check_claims(file.claims, cases)]:
        stop(path, document, problems)
    cases = by_group(apply_overrides(cases, overrides, file.name))
    for pattern in patterns.values():
        refuse(pattern, [case for case in cases if case.pattern == pattern.name])
    used = {case.pattern for case in cases}
    return Suite(
        name=file.name,
        title=file.title or file.name,
        path=path,
        text=text,
        cases=tuple(cases),
        rules=MeasureRules(**file.measure.model_dump()),
        pattern_folders={pattern.name: pattern.folder for pattern in patterns.values() if pattern.name in used},
        thresholds=file.compare.thresholds,
        claims=claims_from(file.claims),
        charts=file.charts,
    )


def _check(document: Entries, path: Path) -> tuple[SuiteFile, Mapping[str, LoadedPattern]]:
    """Return the file and its patterns, after a check of every key and value."""
    problems: list[Problem] = []
    try:
        file = SuiteFile.model_validate(document)
    except ValidationError as error:
        file = None
        problems += from_pydantic(error, document)
    experiments = dict(enumerate(file.experiments)) if file else _valid_experiments(document)
    patterns, unknown = find_patterns(experiments, path.parent)
    problems += unknown
    for index, experiment in experiments.items():
        if experiment.pattern in patterns:
            declaration = patterns[experiment.pattern].declaration
            problems += check_experiment(("experiments", index), experiment, declaration)
    if file:
        problems += [*check_rules(file.measure), *check_form(file.claims)]
    if file and not unknown:
        problems += check_defaults(file.defaults, [pattern.declaration for pattern in patterns.values()])
        problems += check_charts(file.charts, patterns.values())
    if problems or not file:
        stop(path, document, problems)
    return file, patterns


def _valid_experiments(document: Entries) -> dict[int, Experiment]:
    """Return the experiments that can be checked further, although another part of the file has a problem."""
    valid = {}
    experiments = document.get("experiments")
    for index, experiment in enumerate(experiments if isinstance(experiments, list) else []):
        try:
            valid[index] = Experiment.model_validate(experiment)
        except ValidationError:
            continue  # already one of the problems of the file
    return valid
