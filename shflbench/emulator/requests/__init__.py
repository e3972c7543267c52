"""Requests of a launch's instructions to the memory system: passes through banks, sectors, active lanes."""
