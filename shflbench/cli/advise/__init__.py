"""Advice on which variant to use."""
