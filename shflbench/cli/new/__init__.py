"""A first pattern."""
