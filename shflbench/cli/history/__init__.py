"""Times of suites over months."""
