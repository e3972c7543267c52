// broken: RAW a cell reads its neighbor in another block, which no barrier of its own block waits for
// fixed: clean
// launch: 2x64
// source: https://github.com/numba/numba/issues/7502
// Written anew after the thread: no code of it.
// Cells with even numbers are updated from odd ones in one step, and the other way round in the next one. Steps are separated by
// __syncthreads(), which is none for the grid.
// The fix: one launch per step (the issue is closed; the change itself was not read).
// Left out: the second dimension, the five values of a cell, random neighbors.
#ifdef FIXED
constexpr int STEPS = 1;
#else
constexpr int STEPS = 2;
#endif

__global__ void update(int *cells) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int step = 0; step < STEPS; step++) {
        if (i % 2 == step % 2) {
            int neighbor = cells[(i + 1) % 128];  // later
            cells[i] = max(cells[i], neighbor);  // earlier
        }
        __syncthreads();
    }
}
