"""The command `shflbench report`."""
