// Stands for the header of cuRAND, which the kernels do not use.
