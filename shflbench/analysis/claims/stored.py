"""The claims of a stored run: those of the suite's text that it keeps, else those of the shipped suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.suite import find_shipped
from shflbench.suite.revision import claims_of
from shflbench.suite.shipped_claims import shipped_claims

if TYPE_CHECKING:
    from shflbench.core.claims.claim import Claim
    from shflbench.store import RunInfo


def claims_of_run(info: RunInfo) -> tuple[Claim, ...]:
    """Return the claims of a run's suite; no path of the run is opened.

    A text without claims may be older than they are: then those of the shipped suite of the same name are taken.
    SuiteError where the section is damaged.
    """
    claims = claims_of(info.suite.text)
    if claims is None and (path := find_shipped().get(info.suite.name)):
        claims = claims_of(path.read_text(encoding="utf-8"))
    return claims or ()


def current_claims(info: RunInfo) -> tuple[Claim, ...]:
    """Return the claims of a run's suite; for a shipped suite, as this version has corrected them.

    A suite with a claim that the shipped one of its name does not have, or that it requires, is one's own: its claims
    stay as they are. SuiteError where the section is damaged.
    """
    stored = claims_of_run(info)
    shipped = shipped_claims().get(info.suite.name, [])
    is_shipped = {claim.id for claim in stored} <= {claim.id for claim in shipped}
    return tuple(shipped) if is_shipped and not any(claim.required for claim in stored) else stored
