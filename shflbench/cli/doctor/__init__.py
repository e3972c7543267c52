"""Look for everything that this machine has and lacks."""
