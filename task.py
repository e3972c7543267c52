
import numpy as np

sizes = {"rows": [3], "n": (1, 130)}
grid, block = 3, 64


def inputs(random, rows, n):
    return random.random(rows * n, np.float32), np.zeros(rows, np.float32), n


def reference(values, out, n):
    return values.reshape(-1, n).sum(axis=1)
