"""The plugin for pytest: the fixture `assert_race_free`, which fails a test with the findings of a check.

```python
def test_reduce(assert_race_free):
    assert_race_free("reduce.cu", launch=(2, 256))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import shflbench

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from shflbench.checker.python.results import CheckResult

PASSING = ("clean", "schedule-dependent")  # verdicts without a race, a fault or an open question


def assert_race_free(source: object, *arguments: Any, allow: Collection[str] = (), **options: Any) -> CheckResult:  # noqa: ANN401  (those of `shflbench.check`)
    """Check kernels as `shflbench.check` does, and fail the test unless the verdict is clean or schedule-dependent.

    `allow` names further verdicts that pass, such as `doubtful` or `needs arguments`. Return the result. Raise
    shflbench.errors.UsageError for arguments that do not fit the kernel.
    """
    __tracebackhide__ = True
    result = shflbench.check(source, *arguments, **options)
    if result.verdict not in {*PASSING, *allow}:
        pytest.fail(result.text())
    return result


@pytest.fixture(name="assert_race_free", scope="session")
def _assert_race_free() -> Callable[..., CheckResult]:
    """Return `shflbench.pytest_plugin.assert_race_free`: check a kernel, and fail with the findings."""
    return assert_race_free
