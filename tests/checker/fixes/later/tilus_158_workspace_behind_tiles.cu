// broken: out of bounds, memory is asked for without the gap that aligns the workspace behind the tiles
// fixed: clean
// launch: 2x32
// source: https://github.com/NVIDIA/tilus/pull/158
// Written anew after the thread: no code of it.
// A workspace lies behind the tiles, at a multiple of 128 bytes. The size is computed from the end of the tiles as it is.
// The fix: it is computed from where the workspace begins.
// Left out: dynamic shared memory, for which an array of that size stands here; barriers, the code generator.
constexpr int TILES = 200;
constexpr int WORKSPACE = 32 * sizeof(int);
constexpr int BEGIN = (TILES + 127) / 128 * 128;
#ifdef FIXED
constexpr int SIZE = BEGIN + WORKSPACE;
#else
constexpr int SIZE = TILES + WORKSPACE;
#endif

__global__ void reduce(const int *in, int *out) {
    __shared__ __align__(128) unsigned char memory[SIZE];
    int *workspace = reinterpret_cast<int *>(memory + BEGIN);
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    workspace[lane] = in[i];  // later
    __syncwarp();
    int sum = 0;
    for (int k = 0; k <= lane; k++) sum += workspace[k];
    out[i] = sum;
}
