"""All errors that are reported to users, with advice and exit code.

ShflbenchError
├── UsageError                 2   invalid options or arguments
├── InputError                 3   an invalid file or folder of the user
│   ├── SuiteError                 a suite file, with line and column
│   ├── PatternError               a pattern folder
│   └── ResultsError               a run folder
├── MissingError               4   a missing or broken component of this machine
│   ├── DeviceError                no GPU, no driver, or a broken cupy
│   └── CompilerError              no NVRTC, no headers, or no disassembler
└── KernelError                5   a kernel that cannot be used
    ├── NoKernelError              a file defines none
    ├── TemplatesError             no instance of its templates is known
    ├── CompileError               a compiler rejected it
    ├── BudgetError                the budget of its file was reached
    │   └── TimeLimitError             its time limit was
    └── LaunchError                it crashed or could not be started
        └── EmulatorError          the emulator cannot read, load or complete it
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from shflbench.printable import escape, escape_lines

if TYPE_CHECKING:
    from pathlib import Path

FINDING_EXIT = 1  # what the command looks for was found: a slower case, a refuted claim, a race, an outlier
UNDECIDED_EXIT = 6  # `--strict`: what the user requires is neither shown to hold nor to fail
INTERNAL_FAULT = 70  # EX_SOFTWARE of sysexits.h: a fault in shflbench itself
HUNG_UP = 129  # 128 + SIGHUP, as shells report it
INTERRUPTED = 130  # 128 + SIGINT
TERMINATED = 143  # 128 + SIGTERM


class TerminatedError(KeyboardInterrupt):
    """The process received a signal to end, for example from a job queue; handled like Ctrl-C."""


class HangUpError(KeyboardInterrupt):
    """The terminal of the process was closed, or its connection was lost; handled like Ctrl-C."""


class ShflbenchError(Exception):
    """An error in one sentence: what is wrong and where; `advice` is what to do about it."""

    exit_code = INTERNAL_FAULT
    escape = staticmethod(escape_lines)  # a message may have several lines, such as those of a compiler

    def __init__(self, message: str, advice: str = "") -> None:
        """Keep the sentence, without a period at its end, and the advice, which may be empty."""
        message = self.escape(message)
        super().__init__(message)
        self.message = message
        self.advice = advice

    def without_folder(self, folder: Path) -> Self:
        """Return the same error that names the files of a temporary folder without it, as the user knows them."""
        made = copy(self)
        for name, text in vars(self).items():
            if isinstance(text, str):
                setattr(made, name, text.replace(f"{folder}/", ""))
        made.args = (made.message,)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes with all that it has, whatever arguments its class takes."""
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[ShflbenchError], texts: tuple[object, ...]) -> ShflbenchError:
    return kind.__new__(kind, *texts)


class UsageError(ShflbenchError):
    """Invalid options or arguments."""

    exit_code = 2


class InputError(ShflbenchError):
    """An invalid file or folder of the user."""

    exit_code = 3


class SuiteError(InputError):
    """An invalid suite file; the message starts with file:line:column."""


class PatternError(InputError):
    """An invalid or unknown pattern folder."""


class ResultsError(InputError):
    """A run folder that cannot be read, written or resumed; the message is one line, whatever it quotes."""

    escape = staticmethod(escape)


class MissingError(ShflbenchError):
    """A missing or broken component of this machine."""

    exit_code = 4


class DeviceError(MissingError):
    """No GPU, no driver, or a cupy that does not work."""


class CompilerError(MissingError):
    """NVRTC, its headers or the disassembler cannot be found."""


class KernelError(ShflbenchError):
    """A kernel that cannot be used."""

    exit_code = 5


class TemplatesError(KernelError):
    """A file has only kernel templates, and no instance of them is known."""


class NoKernelError(KernelError):
    """A file defines no kernel."""


class CompileError(KernelError):
    """A compiler rejected a kernel or a file; the message shows the source line with its number."""

    def __init__(self, reason: str, advice: str = "", subject: object = "", log: str = "") -> None:
        """Keep both parts of `SUBJECT does not compile: REASON`, and what the compiler wrote, which the reason quotes.

        `subject` is the kernel, or the path of the file; without it, `reason` is the whole sentence, and not kept.
        """
        super().__init__(f"{not_compiled(subject)}{reason}" if subject else reason, advice)
        self.subject = self.escape(str(subject))
        self.reason = self.escape(reason) if subject else ""
        self.log = log


def not_compiled(subject: object) -> str:
    """Return how the message of a CompileError begins that has a subject."""
    return f"{subject} does not compile: "


class BudgetError(KernelError):
    """The budget of a file was reached, in instructions, while its kernels were emulated."""

    def __init__(self, message: str, option: str) -> None:
        """Keep the sentence and the option, or the argument of a function, that gives more."""
        super().__init__(message, f"Give more with {option}.")
        self.option = option


class TimeLimitError(BudgetError):
    """The time limit of a file was reached while a kernel of it was compiled or emulated."""


class LaunchError(KernelError):
    """A kernel crashed or could not be started."""


class EmulatorError(LaunchError):
    """The emulator cannot read, load or complete a kernel; the message names the instruction."""


class UnsupportedError(EmulatorError):
    """The emulator does not support an instruction, which the message quotes."""
