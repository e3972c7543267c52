// broken: out of bounds, lanes move what follows the last whole tile of a buffer, which is full and ends there
// fixed: clean
// launch: 2x32
// source: https://github.com/openmm/openmm/issues/2825
// Written anew after the thread: no code of it.
// A warp collects atoms in shared memory, stores whole tiles of 32, and moves the rest to the begin of its buffer.
// The fix: nothing is moved if all tiles of the buffer have been stored.
// Left out: the choice of atoms, which fills the buffer here; several warps per block.
constexpr int TILE = 32;
constexpr int SIZE = 2 * TILE;
constexpr int ROUNDS = 2;

__global__ void find_interactions(const int *atoms, int *tiles) {
    __shared__ int buffer[SIZE];
    int lane = threadIdx.x, first = blockIdx.x * ROUNDS * SIZE;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = lane; k < SIZE; k += TILE) buffer[k] = atoms[first + round * SIZE + k];
        __syncwarp();
        int stored = 0;
        for (; stored < SIZE / TILE; stored++)
            tiles[first + round * SIZE + stored * TILE + lane] = buffer[stored * TILE + TILE - 1 - lane];
        __syncwarp();
#ifdef FIXED
        if (stored < SIZE / TILE)
#endif
            buffer[lane] = buffer[lane + stored * TILE];  // later
        __syncwarp();
    }
}
