import pytest

from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.errors import UsageError
from shflbench.user_kernels.challenge.challenged import challenged_pattern
from shflbench.user_kernels.challenge.settings import settings_of


def launches(name: str, *given: str, dtype: str | None = None, **options: str) -> list[tuple[str, int]]:
    settings = settings_of(challenged_pattern(name, dtype, options, DEFAULT_ARCH), given)
    return [(item.expression, item.iterations) for item in settings.launches]


def test_the_published_launches_are_those_of_the_suite_with_all_answers() -> None:
    assert launches("neighbor") == [
        ("sms x 32", 1024),
        ("sms x 256", 1024),
        ("sms x 1024", 1024),
        ("2*sms x 1024", 1024),
    ]


@pytest.mark.archs
def test_options_choose_among_the_experiments_of_the_suite() -> None:
    assert [launch for launch, _ in launches("reduce", width="8")] == [
        "sms x 32",
        "sms x 256",
        "sms x 1024",
        "2*sms x 1024",
    ]


def test_a_pattern_that_this_suite_lacks_has_the_launches_of_another_one() -> None:
    settings = settings_of(challenged_pattern("softmax", None, {}, DEFAULT_ARCH), ())
    assert settings.origin == "rows"
    assert len(settings.launches) >= 2


def test_named_launches_have_the_iterations_of_the_published_ones() -> None:
    assert launches("bitonic-sort", "1x64", "sms  x 32", "1x64") == [("1x64", 256), ("sms x 32", 256)]


def test_a_launch_that_the_kernels_do_not_support_is_refused() -> None:
    with pytest.raises(UsageError, match="handoff has no launch 2x32"):
        launches("handoff", "2x32")
