"""Read the text of a PTX module."""
