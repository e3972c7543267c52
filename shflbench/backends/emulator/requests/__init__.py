"""What the instructions of a launch ask of the memory system: passes through banks, sectors, active lanes."""
