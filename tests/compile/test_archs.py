"""Every kernel there is, on six architectures: it keeps its promises, and the emulator knows its instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.patterns.discover import builtin
from tests import kernels
from tests.archs import ARCHS, see_all
from tests.backends.emulator.declared import forms_under_test

if TYPE_CHECKING:
    from tests.archs import Seen

pytestmark = pytest.mark.archs


@pytest.fixture(scope="module", params=ARCHS)
def seen(request: pytest.FixtureRequest) -> dict[str, Seen]:
    arch: str = request.param
    return see_all([arch], kernels.subjects())[arch]


@pytest.mark.parametrize("pattern", builtin())
def test_machine_code_of_every_kernel_keeps_what_its_pattern_promises(seen: dict[str, Seen], pattern: str) -> None:
    of_pattern = {name: item for name, item in seen.items() if name.startswith(f"{pattern}/")}
    assert of_pattern
    assert {name: item.problems for name, item in of_pattern.items() if item.problems} == {}


def test_every_form_has_a_property_test(seen: dict[str, Seen]) -> None:
    emitted = set().union(*(item.forms for item in seen.values()))
    assert sorted(emitted - set(forms_under_test())) == []
