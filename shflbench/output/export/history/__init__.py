"""A history for people: its changes in words and as a page."""
