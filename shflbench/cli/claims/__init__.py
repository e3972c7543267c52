"""Verdicts on the claims of suites."""
