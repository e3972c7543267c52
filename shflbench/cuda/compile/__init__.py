"""From CUDA C++ to PTX, cubin, SASS and what can be read from them; needs no GPU."""
