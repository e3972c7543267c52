"""The JSON Schema of suite files."""
