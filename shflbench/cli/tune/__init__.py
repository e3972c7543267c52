"""Tuning of a family."""
