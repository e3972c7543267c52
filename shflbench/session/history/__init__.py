"""Add runs to a history."""
