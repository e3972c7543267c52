"""Suites, patterns, variants and devices."""
