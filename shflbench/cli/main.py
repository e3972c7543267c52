"""The one place where errors become sentences and exit codes."""

from __future__ import annotations

import gc
import logging
import os
import sys
import traceback
import warnings
from threading import Timer

import click

from shflbench import __version__
from shflbench.cli.console import Console, ReaderGoneError, discard
from shflbench.cli.log import show_log
from shflbench.cli.registry import LazyGroup
from shflbench.core.environment import color_choice, limit_threads
from shflbench.core.packages import package_error
from shflbench.core.signals import code_of, number_of, raise_on_signals, word_of
from shflbench.errors import (
    INTERNAL_FAULT,
    InputError,
    ShflbenchError,
    UsageError,
)

AGAIN_SECONDS = 0.05  # until a signal is sent again: a destructor takes less
READER_GONE = 141  # 128 + SIGPIPE, as shells report it


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="shflbench", message="%(prog)s %(version)s")
@click.pass_context
def shflbench(context: click.Context) -> None:
    """Warp shuffle or shared memory? Measure both on your GPU.

    `shflbench run gtc2013` compiles, verifies and times both; `shflbench plot results/` draws the results.
    """
    if context.invoked_subcommand is None:
        context.obj.report(context.get_help())
        context.exit(UsageError.exit_code)


def entry() -> None:
    """Run the command line as a process of its own, and exit with its code."""
    # After a kernel has crashed, CUDA's objects cannot be freed any more, and their destructors would print tracebacks
    # as the process ends: Cython's through both hooks. All other errors end in `main`.
    if "--debug" not in sys.argv:
        sys.excepthook = lambda *_: None
    sys.unraisablehook = _drop
    logging.getLogger().addHandler(logging.NullHandler())  # or Python prints what libraries log as it is
    if "--debug" not in sys.argv and not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for developers, and contain text of files as it is
        sys.warnoptions.append("ignore")  # which the processes that this one starts receive
    gc.set_threshold(10_000)  # new objects until a search for unused ones: an import makes many, and uses them all
    limit_threads()
    raise_on_signals()
    code = main()
    _discard_unwritten()
    sys.exit(code)


def _discard_unwritten() -> None:
    """Discard what standard output and standard error cannot take, or Python would exit with 120."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None where the shell closed it: >&-
        try:
            stream.flush()
        except OSError:
            discard(stream)


def _drop(unraisable: sys.UnraisableHookArgs) -> None:
    """Drop what a destructor raised, but send a signal that came while it ran again: it must not be lost."""
    if "--debug" in sys.argv:
        sys.__unraisablehook__(unraisable)
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        Timer(AGAIN_SECONDS, os.kill, (os.getpid(), number_of(unraisable.exc_value))).start()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; `arguments` are the process's own if None."""
    console = Console(color=color_choice())
    try:
        return _outcome(arguments, console)
    except (ReaderGoneError, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:  # click completed a command line for a shell
            return 0
        return READER_GONE  # click itself exits with 1 where the reader of its help went away


def _outcome(arguments: list[str] | None, console: Console) -> int:
    try:
        with show_log(console):
            outcome = shflbench.main(arguments, prog_name="shflbench", obj=console, standalone_mode=False)
        console.finish()
    except ReaderGoneError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (the one boundary: the user reads a sentence)
        if console.debug:
            console.report("".join(traceback.format_exception(error)).rstrip())
        code, sentence, advice = _explain(_before_click(error))
        console.error(sentence, advice)
        return code
    return outcome if isinstance(outcome, int) else 0


def _before_click(error: BaseException) -> BaseException:
    """Return what click turned into an Abort: the signals have different exit codes."""
    return error.__cause__ if isinstance(error, click.Abort) and error.__cause__ else error


def _explain(error: BaseException) -> tuple[int, str, str]:
    """Return the exit code, what is wrong, and what to do about it."""
    match error:
        case ShflbenchError():
            return error.exit_code, error.message, error.advice
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "shflbench"
            sentence = " ".join(error.format_message().split())  # click lists choices line by line
            return UsageError.exit_code, sentence, f"for usage, run: {command} --help"
        case KeyboardInterrupt() | click.Abort():
            return code_of(error), word_of(error), ""
        case _ if missing := package_error(error):
            return missing.exit_code, missing.message, missing.advice
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            sentence = where + (error.strerror or str(error)).lower()
            return InputError.exit_code, sentence, "check the path, its permissions and the space left on its disk"
        case _:
            sentence = f"shflbench itself failed: {type(error).__name__}: {error}"
            advice = "please report this, with the output of the same command and --debug"
            return INTERNAL_FAULT, sentence, advice
