"""Interpret the host code of a CUDA file: its launches with the grids, arguments and buffers that it gives them."""
