"""`shflbench inspect`: the machine code of kernels, and the limits that follow from it."""
