"""Make the request of a user, and refuse what no pattern has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.answers.request import Request, usual_request
from shflbench.core.launch import resolve_grid
from shflbench.core.model import DTYPES
from shflbench.core.words import did_you_mean
from shflbench.errors import ResultsError, UsageError
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import builtin, builtin_declaration
from shflbench.printable import escape
from shflbench.suite import pattern_values
from shflbench.suite.pattern_names import did_you_mean_pattern
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.core.model import Device
    from shflbench.store import Row


def make_request(
    pattern: str, dtype: str | None, block: int | None, launch: str | None, options: Mapping[str, str]
) -> Request:
    """Return the request; UsageError for a dtype, option, value, block or launch that cannot be."""
    declaration = builtin_declaration(pattern)
    if dtype is not None and dtype not in DTYPES:
        raise UsageError(
            f"unknown dtype {quote(dtype)}{did_you_mean(dtype, DTYPES)}", f"there are: {', '.join(DTYPES)}"
        )
    if declaration:
        pattern_values.require_options(pattern, declaration, options)
    request = replace(usual_request(pattern, dtype), options=options, block=block)
    if launch is not None:
        parsed = pattern_values.read_launch(launch)
        if declaration and parsed.dims:
            pattern_values.require_launch(pattern, declaration, parsed)
        if block not in (None, parsed.block):
            raise UsageError(f"--block {block} contradicts --launch {parsed.expression}", "leave out --block")
        request = replace(request, block=parsed.block, launch=parsed.expression, grid=parsed.grid)
    if declaration and declaration.blocks and request.block and request.block not in declaration.block_sizes:
        sizes = ", ".join(map(str, declaration.block_sizes))
        raise UsageError(f"{pattern} has no blocks of {request.block} threads", f"its kernels support: {sizes}")
    return request


def resolve(request: Request, device: Device | None) -> Request:
    """Return the request with the grid that its launch has on a GPU; `fill` depends on the kernel."""
    if device is None:
        return request
    request = replace(request, full_threads=usual_request(request.pattern, device=device).full_threads)
    if request.launch is None or request.grid is not None or request.launch.startswith("fill"):
        return request
    return replace(request, grid=resolve_grid(request.launch, device.sms, None))


def require_pattern(pattern: str, rows: Iterable[Row], *, has_results: bool) -> None:
    """Raise UsageError for a pattern that nobody knows, ResultsError for one that the results lack."""
    measured = {row.pattern for row in rows}
    if pattern in measured:
        return
    known = sorted({*builtin(), *measured})
    if pattern not in known:
        shown = ", ".join(map(escape, known))
        raise UsageError(
            f"unknown pattern {quote(pattern)}{did_you_mean_pattern(pattern, known)}", f"there are: {shown}"
        )
    if has_results:
        listed = f"they have: {', '.join(map(escape, sorted(measured)))}" if measured else ""
        raise ResultsError(
            f"the results have no timed case of {pattern}; {listed}".rstrip("; "),
            f"measure it: shflbench run quick --pattern {pattern}; or give --arch for a prediction",
        )


def require_options(request: Request, rows: Iterable[Row]) -> None:
    """Raise UsageError for an option that no measured case of a user's own pattern has."""
    if builtin_declaration(request.pattern) is not None:
        return
    known = sorted({name for row in rows for name, _ in row.options} | set(LAUNCH_OPTIONS))
    for name in request.options:
        if name not in known:
            listed = ", ".join(map(escape, known))
            raise UsageError(f"{quote(request.pattern)} has no option {quote(name)}", f"there are: {listed}")
