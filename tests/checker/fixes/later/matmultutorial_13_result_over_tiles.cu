// broken: WAR results are stored where the last tiles lie, which other warps still multiply
// fixed: clean
// launch: 2x64
// source: https://github.com/KnowingNothing/MatmulTutorial/issues/13
// Written anew after the thread: no code of it.
// The result goes through shared memory to be written row by row, and takes the place of both input tiles.
// The fix: a barrier before it is stored (proposed in the issue).
// Left out: tensor cores, the shapes of tiles; a thread computes one value.
constexpr int TILES = 2;

__global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float memory[128];
    float *tile_a = memory, *tile_b = memory + 64;
    int t = threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < TILES; tile++) {
        __syncthreads();
        tile_a[t] = a[(blockIdx.x * TILES + tile) * 64 + t];
        tile_b[t] = b[tile * 64 + t];
        __syncthreads();
        for (int k = 0; k < 64; k++) sum += tile_a[k] * tile_b[(k + t) % 64];  // earlier
    }
#ifdef FIXED
    __syncthreads();
#endif
    memory[t] = sum;  // later
    __syncthreads();
    c[blockIdx.x * 64 + t] = memory[63 - t];
}
