// broken: DEPENDENT_RAW WAITS_LATER
// pdl: route,grouped_gemm
// same: route.rows=grouped_gemm.rows
// same: route.out=grouped_gemm.a
// source: https://github.com/NVIDIA/cutlass/issues/2962, BSD-3-Clause
// Written anew after the thread: no code of it.
// The constructor of the tile scheduler reads the shape of the first problem before the wait.
// Left out: everything of the multiplication but one load per tile.
struct TileScheduler {
    const int *rows;
    int first;
    __device__ explicit TileScheduler(const int *given) : rows(given), first(given[0]) {}  // later
    __device__ int tiles(int group) const { return (group == 0 ? first : rows[group]) / 32; }
};

__global__ void route(int *rows, float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    if (blockIdx.x == 0 && threadIdx.x < 4) rows[threadIdx.x] = 32 * (threadIdx.x + 1);  // earlier
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void grouped_gemm(const int *rows, const float *a, float *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    cudaGridDependencySynchronize();
    TileScheduler scheduler(rows);
#else
    TileScheduler scheduler(rows);
    cudaGridDependencySynchronize();
#endif
    d[i] = a[i] * scheduler.tiles(blockIdx.x % 4);
}
