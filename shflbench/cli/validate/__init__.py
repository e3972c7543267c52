"""Check suite files."""
