"""The installation of shflbench on this machine: what is there, what is missing, and how to install it."""
