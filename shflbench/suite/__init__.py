"""Turn a suite file into cases: read it, check every word, expand its axes."""

from shflbench.suite.editors import json_schema
from shflbench.suite.find import locate, shipped
from shflbench.suite.launch import parse_launch, resolve_grid
from shflbench.suite.load import load
from shflbench.suite.overrides import Overrides

__all__ = ["Overrides", "json_schema", "load", "locate", "parse_launch", "resolve_grid", "shipped"]
