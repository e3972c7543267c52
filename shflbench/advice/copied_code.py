"""The code of a variant, to copy: that which comes with shflbench, else the kernel that a run stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.patterns.copies import copy_of
from shflbench.suite.revision import patterns_by_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Run


@dataclass(frozen=True, slots=True)
class CopiedCode:
    """Code to copy."""

    text: str
    origin: str  # where it is from, in words
    is_complete: bool  # whether it compiles as it is, without headers of shflbench


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case whose kernel a run may have stored."""

    case_id: str
    run: Run


def code_of(
    pattern: str, variant: str, dtype: str, options: Mapping[str, str], *, stored: StoredCase | None = None
) -> CopiedCode | None:
    """Return the code of a variant; where shflbench has none to copy, the kernel that a run stored.

    None where there is neither. ResultsError where the kernels of the run are damaged.
    """
    # A user's folder may have the name of a pattern that comes with shflbench.
    is_shipped = stored is None or pattern not in patterns_by_folder(stored.run.info.suite.text)
    if is_shipped and (text := copy_of(pattern, variant, dtype, options)):
        origin = f"{variant} of {pattern} for {dtype}, which needs no header of shflbench"
        return CopiedCode(text, origin, is_complete=True)
    archive = stored.run.kernels() if stored else None
    kernel = archive.kernel_of(stored.case_id) if archive and stored else None
    if archive is None or kernel is None or stored is None:
        return None
    source = archive.contents[kernel.source].decode(errors="replace")
    origin = f"{kernel.expression} of {kernel.unit}, as compiled for {stored.run.folder}"
    return CopiedCode(source, origin, is_complete=False)
