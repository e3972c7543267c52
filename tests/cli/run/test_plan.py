"""Work that is done before a device is opened."""

from typing import Any, cast

import pytest

from shflbench.cli.run import plan
from shflbench.core.model import Overrides
from shflbench.errors import DeviceError
from shflbench.session.run_request import RunRequest
from shflbench.store import surroundings


@pytest.mark.parametrize(("early", "order"), [(object(), ["versions", "executor"]), (None, ["executor"])])
def test_the_package_is_described_while_a_process_opens_the_gpu(
    monkeypatch: pytest.MonkeyPatch, early: object, order: list[str]
) -> None:
    happened = []

    def opened(*_: object) -> None:
        happened.append("executor")
        raise DeviceError("there is none", "stop")

    monkeypatch.setattr(surroundings, "versions", lambda: happened.append("versions"))
    monkeypatch.setattr(plan, "open_executor", opened)
    nothing = cast("Any", None)
    with pytest.raises(DeviceError):
        plan.plan_of(nothing, RunRequest("", Overrides()), nothing, cast("Any", early))
    assert happened == order
