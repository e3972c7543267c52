"""Draw charts."""
