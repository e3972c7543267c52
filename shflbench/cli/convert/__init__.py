"""Convert files of other tools."""
