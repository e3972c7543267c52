"""Completion of the command line in a shell."""
