"""Check under few schedules."""

from tests.checker.schedules import few_schedules

__all__ = ["few_schedules"]
