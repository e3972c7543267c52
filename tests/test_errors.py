"""Errors travel between processes as they are, whatever their classes take."""

import pickle

import pytest

from shflbench.emulator.link.unsupported import UnsupportedKernelError
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.errors import CompileError, ResultsError, ShflbenchError, UsageError


@pytest.mark.parametrize(
    "error",
    [
        UsageError("a sentence", "what to do"),
        ResultsError("a\nb"),
        CompileError("line 1\nline 2"),
        KernelFault("it stops", "restart it", kind=FaultKind.OUT_OF_BOUNDS, threads=((0, 3),), buffer=1, low=4, high=8),
        UnsupportedKernelError(("one", "another")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_the_same_in_another_process(error: ShflbenchError) -> None:
    known = pickle.loads(pickle.dumps(error))  # noqa: S301  (of this file)
    assert type(known) is type(error)
    assert (str(known), known.args, vars(known)) == (str(error), error.args, vars(error))
