// broken: only the threads of a constrained cell reach a barrier, and their warp has another cell
// fixed: clean
// launch: 2:16x2
// source: https://github.com/dealii/dealii/pull/8337
// Written anew after the thread: no code of it.
// Values of constrained cells are interpolated in place, with barriers between reads and writes. On Volta the code hung.
// The fix: the barriers stand outside of the condition.
// Left out: faces, directions, weights; every second cell is constrained.
__device__ void resolve_hanging_nodes(bool constrained, float *values, int node) {
#ifdef FIXED
    float interpolated = constrained ? 0.5f * (values[node] + values[node ^ 1]) : values[node];
    __syncthreads();
    values[node] = interpolated;
    __syncthreads();
#else
    if (constrained) {
        float interpolated = 0.5f * (values[node] + values[node ^ 1]);
        __syncthreads();  // later
        values[node] = interpolated;
        __syncthreads();
    }
#endif
}

__global__ void cell_loop(const float *in, float *out) {
    __shared__ float values[2][16];
    int node = threadIdx.x, cell = threadIdx.y, i = (blockIdx.x * 2 + cell) * 16 + node;
    values[cell][node] = in[i];
    __syncthreads();
    resolve_hanging_nodes(cell == 1, values[cell], node);
    __syncthreads();
    out[i] = values[cell][15 - node];
}
