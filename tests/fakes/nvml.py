"""NVML that answers as a script says."""

from collections.abc import Callable, Mapping
from typing import Any

import pynvml
import pytest


def scripted(monkeypatch: pytest.MonkeyPatch, usual: Mapping[str, Any]) -> Callable[..., None]:
    """Make NVML give the `usual` answers, by the name of the question, and return what changes some of them.

    An answer that is an exception is raised.
    """

    def answering(answer: Any) -> Callable[..., Any]:
        def ask(*_: object) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask

    def answers(**changes: Any) -> None:
        for question, answer in {**usual, **changes}.items():
            monkeypatch.setattr(pynvml, question, answering(answer))

    answers()
    return answers
