"""The signals that end a command: what each raises, its exit code, and the word for it."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, NoReturn

from shflbench.errors import HangUpError, TerminatedError

if TYPE_CHECKING:
    from collections.abc import Mapping

RAISED: Mapping[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: TerminatedError,
    signal.SIGHUP: HangUpError,
}
WORDS: Mapping[int, str] = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "ended by SIGHUP",
}


def raise_on_signals() -> None:
    """Have the signals that Python does not handle raise their errors; one that `nohup` ignores stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGTERM or not is_ignored(number):
            signal.signal(number, _raise)


def is_ignored(number: int) -> bool:
    """Whether the process ignores a signal."""
    return signal.getsignal(number) is signal.SIG_IGN


def _raise(number: int, _frame: object) -> NoReturn:
    raise RAISED[number]


def number_of(error: BaseException) -> int:
    """Return the signal that raised the error; Ctrl-C if it is another one, such as click's Abort."""
    return next((number for number, kind in RAISED.items() if type(error) is kind), signal.SIGINT)


def code_of(error: BaseException) -> int:
    """Return the exit code of a command that a signal ended, as shells report it."""
    return 128 + number_of(error)


def word_of(error: BaseException) -> str:
    """Return what happened to the command."""
    return WORDS[number_of(error)]
