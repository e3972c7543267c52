"""Commands whose help groups options under headings, and options that every command takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from click.core import augment_usage_errors

from shflbench.core.docstrings import docstring_of
from shflbench.core.numerals import decimal_number, whole_number
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.cli.console import Console

    Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS, GLOBAL = "Options", "Global options"
NumberType: TypeAlias = click.types.IntParamType | click.types.FloatParamType
STRICT: Mapping[type[NumberType], Callable[[str], float]] = {  # how numbers may be written
    click.types.IntParamType: whole_number,
    click.types.FloatParamType: decimal_number,
}
EMPTY = "it is empty; is a variable of a script not set?"
KEEP_LINES = (
    r"\b"  # as raw docstrings have it, above a paragraph whose lines stay as they are; click expects a backspace
)
WIDEST = 30  # columns of an option's name beside its text, as click has it


class HeadedOption(click.Option):
    """An option that stands under a heading in the help."""

    heading = OPTIONS
    takes_empty = False  # whether an empty text is a value

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:  # noqa: ANN401  (any type of an option)
        """Return the value in the option's type; BadParameter for empty text, and for numbers such as `1_000`."""
        texts = value if isinstance(value, tuple | list) else (value,)
        if "" in texts and not self.takes_empty:
            raise click.BadParameter(EMPTY, ctx, self)
        for kind, read in STRICT.items():
            for text in texts:
                try:
                    if isinstance(self.type, kind) and isinstance(text, str):
                        read(text.strip())
                except ValueError:
                    raise click.BadParameter(f"{text!r} is not a valid {self.type.name}.", ctx, self) from None
        return super().type_cast_value(ctx, value)

    def get_help_extra(self, ctx: click.Context) -> Any:  # noqa: ANN401  (a private type of click)
        """Return what click adds to a help text, without ranges such as `x>=0` and brackets around a default."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


def option(*declarations: str, **attributes: Any) -> Callable[[Function], Function]:  # noqa: ANN401  (click's own)
    """Return a decorator that gives a command an option, as `click.option` does."""
    return click.option(*declarations, cls=HeadedOption, **attributes)


def add_heading(heading: str, *options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Return a decorator that gives a command `options`, in this order, under a heading."""

    def decorate(function: Function) -> Function:
        known = len(_parameters(function))
        for one in reversed(options):
            function = one(function)
        for parameter in _parameters(function)[known:]:
            parameter.heading = heading
        return function

    return decorate


def _parameters(function: object) -> list[HeadedOption]:
    """Return the options that decorators gave to a function, as click keeps them until it makes a command of it."""
    parameters: list[HeadedOption] = getattr(function, "__click_params__", [])
    return parameters


def _set(attribute: str, value: object) -> Callable[[click.Context, click.Parameter, bool], None]:
    """Return what sets an attribute of the console where an option is given."""

    def apply(context: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001  (click's signature)
        if given:
            setattr(context.find_root().obj, attribute, value)

    return apply


def _global(*declarations: str, text: str, attribute: str, value: object) -> click.Option:
    callback = _set(attribute, value)
    made = HeadedOption(declarations, is_flag=True, expose_value=False, is_eager=True, callback=callback, help=text)
    made.heading = GLOBAL
    return made


class Command(click.Command):
    """A command: its help groups options, it takes the global ones, and it names what replaced a removed option."""

    def __init__(self, *arguments: Any, removed: Mapping[str, str] | None = None, **attributes: Any) -> None:  # noqa: ANN401
        """Make a command; `removed` are options of earlier versions, each with the command that replaced it."""
        if attributes.get("help") is None and (callback := attributes.get("callback")):
            attributes["help"] = docstring_of(callback)
        if text := attributes.get("help"):
            attributes["help"] = text.replace(KEEP_LINES, "\b")
        super().__init__(*arguments, **attributes)
        self._removed = removed or {}
        self.params += [
            _global("-q", "--quiet", text="Print results, warnings and errors only.", attribute="quiet", value=True),
            _global("-v", "--verbose", text="Print each step.", attribute="verbose", value=True),
            _global("--no-color", text="Disable colored output, as NO_COLOR does.", attribute="color", value=False),
            _global("--debug", text="Print the traceback of an error.", attribute="debug", value=True),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; UsageError with today's command for an option that was removed."""
        for flag, command in self._removed.items():
            if any(word == flag or word.startswith(f"{flag}=") for word in args):
                raise UsageError(f"`{ctx.info_name} {flag}` is now a command of its own: shflbench {command}")
        with augment_usage_errors(ctx):  # so that every error names the help of this command
            rest = super().parse_args(ctx, args)
            self._refuse_empty(ctx)
        console: Console | None = ctx.find_root().obj
        if console and console.quiet and console.verbose:
            raise UsageError("--quiet and --verbose contradict each other", "leave one of them out")
        return rest

    def _refuse_empty(self, ctx: click.Context) -> None:
        """Raise BadParameter for an argument that is an empty text: as a path it would mean the current folder."""
        for parameter in self.params:
            value = ctx.params.get(parameter.name or "")
            if isinstance(parameter, click.Argument) and "" in (value if isinstance(value, tuple) else (value,)):
                raise click.BadParameter(EMPTY, ctx, parameter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings; the global ones in a line, but in the help of `shflbench` itself."""
        is_root = ctx.parent is None
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            heading = getattr(parameter, "heading", GLOBAL)
            if record and (is_root or heading != GLOBAL):
                sections.setdefault(heading, []).append(record)
        width = max((len(name) for records in sections.values() for name, _ in records), default=0)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(min(width, WIDEST)), text) for name, text in records])
        if not is_root:
            formatter.write_paragraph()
            formatter.write_text("Global options: -q, -v, --no-color, --debug, -h; see shflbench --help.")


class CommandGroup(Command, click.Group):
    """A command of shflbench that has commands of its own."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)
