"""Signals that the caller of the tests ignores or blocks, as `nohup` and scripts in the background do."""

import signal

RESTORED_BY_SUBPROCESS = {signal.SIGPIPE, signal.SIGXFSZ}  # Python ignores both for itself


def deliver_to_children() -> None:
    """Let processes that are started from now on receive every signal.

    A new program inherits which signals are ignored and blocked. It does not inherit handlers: a signal that this
    process catches has its default action there. So this process goes on to ignore what it ignored, by a handler.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - RESTORED_BY_SUBPROCESS:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)


def _do_nothing(*_: object) -> None:
    pass
