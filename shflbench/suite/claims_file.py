"""Read the claims of a suite file, without its patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from shflbench.suite.claims import check_form, claims_from
from shflbench.suite.document import parse, read
from shflbench.suite.problems import stop
from shflbench.suite.schema import SuiteFile
from shflbench.suite.schema_problems import from_pydantic

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.core.claims.claim import Claim


def read_claims(path: Path) -> tuple[str, tuple[Claim, ...]]:
    """Return the name of the suite in the file, and its claims.

    SuiteError reports every mistake in the form of the file with file:line:column. Names of patterns, variants and
    options are not checked: no pattern is opened.
    """
    document = parse(read(path), path)
    try:
        file = SuiteFile.model_validate(document)
    except ValidationError as error:
        stop(path, document, from_pydantic(error, document))
    if problems := list(check_form(file.claims)):
        stop(path, document, problems)
    return file.name, claims_from(file.claims)
