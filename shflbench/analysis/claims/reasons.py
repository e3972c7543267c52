"""Why a claim holds or fails: what limits the cases, and the counts of their machine code (pure functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.claims.resolve import ClaimSetting
    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit

MOST = 6  # cases that are explained
# What sets a limit, where the column `limit_by` has another word than the sentence.
LIMITS = {"issue": "issue-rate", "block start": "block-start", "dram": "DRAM", "exchange": "exchange", "l2": "L2"}


def why(setting: ClaimSetting, limits: Mapping[str, CaseLimit]) -> str:
    """Return counts and limits of the cases: `shfl: 1 SHFL per iteration, 99% of its exchange limit; smem: …`."""
    named: dict[str, str] = {}
    for call, rows in setting.rows.items():
        changes = ", ".join(f"{key}={value}" for key, value in call.settings)
        for row in rows:
            reason = _reason(row, limits.get(row.case_id))
            if reason:
                named.setdefault(
                    row.case_id, f"{row.variant} ({changes}): {reason}" if changes else f"{row.variant}: {reason}"
                )
    return "; ".join(list(named.values())[:MOST])


def _reason(row: Row, limit: CaseLimit | None) -> str:
    counts = row.sass_per_iteration or {}
    code = ", ".join(f"{count:g} {opcode}" for opcode, count in counts.items())
    parts = [f"{code} per iteration"] if code else []
    if limit and limit.limit_by and limit.limit_fraction is not None:
        parts.append(f"{100 * limit.limit_fraction:.0f}% of its {LIMITS.get(limit.limit_by, limit.limit_by)} limit")
    return ", ".join(parts)
