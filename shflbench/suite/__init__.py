"""Turn a suite file into cases: read it, check it, expand its axes."""

from typing import TYPE_CHECKING

from shflbench.core.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.suite.find import find_shipped, locate
    from shflbench.suite.loader import load
    from shflbench.suite.schema import json_schema
else:
    # `revision` serves commands that must start fast.
    __getattr__ = on_first_use(
        __name__,
        {
            "find": ("find_shipped", "locate"),
            "loader": ("load",),
            "schema": ("json_schema",),
        },
    )


__all__ = ["find_shipped", "json_schema", "load", "locate"]
