"""Recommend a variant: by setting, over settings, and for a request near measured settings (pure functions)."""
