"""Render a report: one HTML file whose style and script stand in it, and which may request nothing."""

from __future__ import annotations

from base64 import b64encode
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from shflbench.core.model import Mechanism
from shflbench.core.palette import COLORS, DARK_COLORS, NAMES
from shflbench.output.export.html.texts import sentence, short, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.output.export.html.content import ReportContent

FOLDER = Path(__file__).parent
GENERATOR = "shflbench report"  # by which the command recognizes a report that it may replace
LONGEST_HERE = 260  # characters of a claim beside its pattern: the table of claims has all of it
OTHER = "other"  # the look of a mechanism that this version does not know


def render(content: ReportContent) -> str:
    """Return the text of the HTML file."""
    names = {str(mechanism): NAMES[mechanism] for mechanism in Mechanism}
    return render_page("report.html", GENERATOR, report=content, mechanisms=names)


def render_page(template: str, generator: str, folder: Path = FOLDER, style: str = "", **values: object) -> str:
    """Return a page of a template in `folder`, which may use those of the report, with more rules of style."""
    style, script = f"{_style()}{style}", _script()
    return (
        _environment(folder)
        .get_template(template)
        .render(
            generator=generator,
            style=Markup(style),  # noqa: S704  (files of this package: nothing of a run is in them)
            script=Markup(script),  # noqa: S704
            policy=_policy(style, script),
            license=_text("vendor/sortable.LICENSE.txt"),
            **values,
        )
    )


def _policy(style: str, script: str) -> str:
    """Return the policy that lets the browser run and load nothing but the style and the script of this page."""
    hashes = {name: b64encode(sha256(text.encode()).digest()).decode() for name, text in (("s", style), ("j", script))}
    return (
        f"default-src 'none'; style-src 'sha256-{hashes['s']}'; script-src 'sha256-{hashes['j']}'; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment(folder: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([folder / "templates", FOLDER / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["mechanism"] = _mechanism
    environment.filters["sentence"] = sentence
    environment.filters["brief"] = partial(short, most=LONGEST_HERE)
    return environment


def _finalize(value: object) -> object:
    """Return what is written for a value: text of a run without characters that a browser hides or obeys."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _mechanism(name: str) -> str:
    """Return the class of a mechanism: names of classes come from this package only."""
    return name if name in set(Mechanism) else OTHER


@cache
def _style() -> str:
    """Return the style sheet: colors of mechanisms, light and dark, and the rules."""
    dark = _text("assets/dark.css") + _variables(DARK_COLORS)
    return "\n".join(
        (
            f":root{{{_text('assets/light.css')}{_variables(COLORS)}}}",
            f'@media screen and (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}',
            f'@media screen{{:root[data-theme="dark"]{{{dark}}}}}',
            "".join(f".m-{mechanism}{{--m:var(--m-{mechanism})}}" for mechanism in Mechanism),
            _text("assets/report.css"),
        )
    )


def _variables(colors: Mapping[Mechanism, str]) -> str:
    return "".join(f"--m-{mechanism}:{color};" for mechanism, color in colors.items())


@cache
def _script() -> str:
    return f"{_text('vendor/sortable.js')}\n{_text('assets/report.js')}"


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
