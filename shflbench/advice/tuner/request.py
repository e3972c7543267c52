"""The request of a tuning run: a pattern, one setting per launch, and the seed."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.advice.advice_request import make_request
from shflbench.core.arch import load
from shflbench.core.model import WARP
from shflbench.errors import UsageError
from shflbench.patterns.discover import builtin, builtin_declaration
from shflbench.suite.pattern_names import did_you_mean_pattern
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.patterns.declare import Pattern

# Latency shows with one warp per SM, the throughput of the SM with 64; between them, answers flip.
WARPS_PER_SM = (1, 8, 32, 64)
LARGEST_BLOCK = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest:
    """What is tuned, and with which seed."""

    pattern: str
    dtype: str
    options: Mapping[str, str]  # all of the pattern's
    launches: tuple[str, ...]
    iterations: int | None = None  # None: so many that the fastest candidate takes about 0.1 ms
    seed: int = 0


def tune_request(pattern: str, dtype: str | None, options: Mapping[str, str], launches: Sequence[str]) -> TuneRequest:
    """Return the request; what is not named is that of the pattern's usual setting, at 1, 8, 32 and 64 warps per SM.

    UsageError for a pattern without a family, for a setting without members, and for what no pattern has.
    """
    declared = builtin_declaration(pattern)
    if declared is None:
        known = sorted(builtin())
        raise UsageError(
            f"unknown pattern {quote(pattern)}{did_you_mean_pattern(pattern, known)}", f"there are: {', '.join(known)}"
        )
    if declared.family is None:
        raise UsageError(f"{pattern} has no family of variants to choose from", f"these have: {', '.join(tunable())}")
    launches = launches or default_launches(declared)
    parsed = [make_request(pattern, dtype, None, launch, options).launch for launch in launches]
    usual = declared.usual
    request = TuneRequest(
        pattern=pattern,
        dtype=dtype or usual.dtype,
        options={**usual.options, **options},
        launches=tuple(dict.fromkeys(launch for launch in parsed if launch)),
    )
    if not any(member.variant.has(request.dtype, request.options) for member in declared.members.values()):
        setting = ", ".join([request.dtype, *(f"{name}={value}" for name, value in request.options.items())])
        raise UsageError(
            f"no member of the family of {pattern} supports {setting}",
            f"`shflbench list patterns {pattern}` shows what they support",
        )
    return request


def tunable() -> list[str]:
    """Return the patterns that have a family."""
    return [name for name in sorted(builtin()) if (declared := builtin_declaration(name)) and declared.family]


def for_arch(request: TuneRequest, arch: str) -> TuneRequest:
    """Return a request of the default launches with those of which an SM of the architecture holds all warps."""
    declared, figures = builtin_declaration(request.pattern), load(arch)
    if declared is None or figures is None or figures.resident_warps is None:
        return request
    return replace(request, launches=tuple(default_launches(declared, figures.resident_warps.value)))


def default_launches(declared: Pattern, most: int = max(WARPS_PER_SM)) -> list[str]:
    """Return a launch per residency of at most so many warps per SM, in blocks as large as the pattern allows."""
    residencies = dict.fromkeys(min(warps, most) for warps in WARPS_PER_SM)
    return [f"{_blocks(warps, block)} x {block}" for warps in residencies if (block := _block(declared, warps))]


def _block(declared: Pattern, warps: int) -> int:
    """Return the largest supported block that so many warps per SM consist of; 0 if there is none."""
    sizes = declared.block_sizes or range(WARP, LARGEST_BLOCK + 1, WARP)
    return max((size for size in sizes if warps * WARP % size == 0), default=0)


def _blocks(warps: int, block: int) -> str:
    blocks = warps * WARP // block
    return "sms" if blocks == 1 else f"{blocks}*sms"
