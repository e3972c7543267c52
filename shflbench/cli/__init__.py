"""The command line: the only package that prints, exits or reads environment variables."""
