"""Launches that overlap: what a dependent launch accesses before the launches before it are known to have ended."""
