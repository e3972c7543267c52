"""Signals during a fleet run: which of them ends it in order, and which at once."""

import os
import signal
from unittest.mock import Mock

import pytest

from shflbench.cli.run.fleet import stop
from shflbench.cli.run.fleet.stop import StopSignals
from shflbench.errors import TerminatedError


def test_first_signal_raises_and_sets_the_event() -> None:
    with StopSignals() as signals:
        with pytest.raises(TerminatedError):
            signal.raise_signal(signal.SIGTERM)
        assert signals.stop.wait(10)


def test_signal_that_was_sent_twice_at_once_raises_until_the_first_is_seen() -> None:
    with StopSignals() as signals:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        signals.is_seen = True
        signal.raise_signal(signal.SIGINT)  # does not disturb what the first one ends


def test_later_signal_ends_the_process_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    end = Mock(side_effect=SystemExit)
    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(stop, "SAME_SECONDS", -1.0)
    with StopSignals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
    end.assert_called_once_with(128 + signal.SIGINT)
