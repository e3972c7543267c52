"""Every error that a user can meet, each with its remedy and its exit code.

ShflbenchError
├── UsageError                 2   flags or arguments that make no sense together
├── InputError                 3   something that the user wrote or kept cannot be used
│   ├── SuiteError                 a suite file, with line and column
│   ├── PatternError               a pattern folder
│   └── ResultsError               a run folder
├── MissingError               4   something that this machine lacks
│   ├── DeviceError                no GPU, no driver, or a broken cupy
│   └── CompilerError              no NVRTC, no headers, no disassembler
└── KernelError                5   a kernel that cannot be used
    ├── CompileError               NVRTC refused it
    └── LaunchError                it crashed, or could not be started
        └── EmulatorError          the emulator cannot read, load or finish it
"""

from __future__ import annotations

INTERNAL_FAULT = 70  # EX_SOFTWARE of sysexits.h: a fault in shflbench itself
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
TERMINATED = 143  # 128 + SIGTERM


class TerminatedError(KeyboardInterrupt):
    """Somebody asked the process to end, as a queue does whose time is up; handled like Ctrl-C."""


class ShflbenchError(Exception):
    """Say in one sentence what went wrong and where; `advice` says what to do about it."""

    exit_code = INTERNAL_FAULT

    def __init__(self, message: str, advice: str = "") -> None:
        """Keep the sentence (no trailing period needed) and the remedy, which may be empty."""
        super().__init__(message)
        self.message = message
        self.advice = advice


class UsageError(ShflbenchError):
    """Flags or arguments that make no sense together."""

    exit_code = 2


class InputError(ShflbenchError):
    """Something that the user wrote or kept cannot be used."""

    exit_code = 3


class SuiteError(InputError):
    """A suite file is wrong; the message starts with file:line:column."""


class PatternError(InputError):
    """A pattern folder is wrong or unknown."""


class ResultsError(InputError):
    """A run folder cannot be read, written or continued."""


class MissingError(ShflbenchError):
    """Something that this machine lacks."""

    exit_code = 4


class DeviceError(MissingError):
    """No GPU, no driver, or a cupy that does not work."""


class CompilerError(MissingError):
    """NVRTC, its headers or the disassembler cannot be found."""


class KernelError(ShflbenchError):
    """A kernel that cannot be used."""

    exit_code = 5


class CompileError(KernelError):
    """NVRTC refused a kernel; the message shows the numbered source line."""


class LaunchError(KernelError):
    """A kernel crashed or could not be started."""


class EmulatorError(LaunchError):
    """The emulator cannot read, load or finish a kernel; the message names the instruction."""
